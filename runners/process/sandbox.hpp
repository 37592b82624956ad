#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tandem::runners {

/// The two programs that make a sandbox: bubblewrap, and the shim that runs inside as the parent of the
/// child, keeps its limits and reports how it truly ended.
struct SandboxTools {
  std::filesystem::path bwrap;
  std::filesystem::path shim;
};

/// Where and under which limits a child runs: the system read-only, nothing else of the host but the mounts,
/// a /tmp, process ids and a network (only its own loopback) of its own. When the caller is root, the child
/// runs as another user.
struct Sandbox {
  enum class Access { read, write };
  struct Mount {
    std::filesystem::path from;    ///< on the host; must exist
    std::filesystem::path inside;  ///< absolute
    Access access = Access::read;
  };
  SandboxTools tools;
  std::vector<Mount> mounts;
  std::uint64_t memory_bytes = 0;  ///< of all processes together, with what they keep in /tmp; 0: no limit
  std::uint64_t disk_bytes = 0;    ///< added below all writable mounts together; 0: no limit
  std::size_t processes = 0;       ///< at one time; 0: no limit
  /// How often the shim looks at the limits, but never for more than a hundredth of the time. 0: never; then
  /// only the size of each file is limited, to `disk_bytes`. Those of memory and processes are the kernel's
  /// affair where a control group can be had (control_group.hpp).
  std::chrono::milliseconds look_every{20};
  std::vector<int> look_cpus = {};  ///< where the shim runs; empty: where the child does
};

/// Whether a child that has no sandbox runs somebody else's code. If so it gets a session keyring of its own,
/// can gain no rights, and dangerous system calls are refused to it (call_filter.hpp); when the caller is
/// root, it also runs as the user that a sandboxed child would have.
enum class Foreign { no, yes };

/// What a foreign child without a sandbox may take; 0: no limit. Memory and processes need a delegated
/// control group (control_group.hpp), or a user of our own for the processes; nobody adds up its files.
struct ForeignLimits {
  std::uint64_t memory_bytes = 0;
  std::uint64_t file_bytes = 0;  ///< of each file that it writes
  std::size_t processes = 0;
};

/// What stood between this host and the code that was built and run on it.
struct IsolationFacts {
  enum class Kind { unknown, sandbox, other_user, same_user } kind = Kind::unknown;
  bool call_filter = false;
  bool operator==(const IsolationFacts&) const = default;
};
[[nodiscard]] const char* name_of(IsolationFacts::Kind kind);  ///< "unknown", "sandbox", "other user", …

/// Tries whether a child can be run in a sandbox on this host. The second form is a sentence that says why
/// not and what to do, for the status.
[[nodiscard]] std::variant<SandboxTools, std::string> find_sandbox(const std::filesystem::path& shim);

/// Whether foreign code can be run without a sandbox by a caller that is root: nothing, or a sentence that
/// says why not. `directory` must be within reach of the other user.
[[nodiscard]] std::optional<std::string> complain_of_other_user(const std::filesystem::path& directory);

/// Gives a tree to the user as whom a sandboxed child runs, so that it can be written inside. Does nothing
/// unless the caller is root. Links are not followed.
void give_to_sandbox(const std::filesystem::path& tree);

/// Lets that user pass through a directory to what it knows by name: without a sandbox, foreign programs are
/// started from there. Does nothing unless the caller is root.
void let_sandbox_enter(const std::filesystem::path& directory);

}  // namespace tandem::runners
