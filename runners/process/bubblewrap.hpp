#pragma once

#include <sys/types.h>

#include <string_view>

#include "runners/process/command.hpp"
#include "specs/foundation/descriptor.hpp"

namespace tandem::runners {

/// A sandboxed command as it is really started: bubblewrap's command line, and the file from which the shim
/// reads what the child is (shim/orders.hpp).
struct Confined {
  Command command;
  OwnedDescriptor orders;
};

/// Who sees to it that memory and processes stay within their limits.
enum class LimitsKept { by_the_shim, by_the_kernel };

/// `command.sandbox` is set. Throws `Error` for a mount that cannot be made.
[[nodiscard]] Confined confine(const Command& command, LimitsKept limits);

/// Puts what the shim reported (shim/orders.hpp) into `finished`. `status` is what wait4 says of bubblewrap:
/// where there is no report, it tells a sandbox that could not be made from one whose shim was killed.
void take_report(std::string_view report, int status, Finished& finished);

/// As whom a sandboxed child runs when the caller is root: `tandem-build` if there is such a user, else
/// `nobody`.
struct SandboxUser {
  uid_t user = 65534;
  gid_t group = 65534;
  bool is_ours = false;  ///< nobody else has processes under it
};
[[nodiscard]] SandboxUser sandbox_user();

/// The limit on a user's processes and threads (RLIMIT_NPROC): it counts all that the user has on this host,
/// so there is one only for a user of our own. 0: none.
[[nodiscard]] std::uint64_t most_tasks(const SandboxUser& user, std::size_t processes);

/// The child's process on this host, found below bubblewrap, the first process inside and the shim; 0 while
/// it is being started. It leads a group of its own.
[[nodiscard]] int program_inside(int bubblewrap);

/// Where the shim lies inside; benchmarks have their copies beside it.
inline constexpr const char* inside_root = "/tandem";

}  // namespace tandem::runners
