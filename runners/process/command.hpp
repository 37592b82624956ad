#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runners/pairing/samples.hpp"

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

/// What to start: no shell, no search path, nothing inherited but what is written here.
struct Command {
  std::vector<std::string> argv;            ///< argv[0] is also the file that is executed
  std::vector<std::string> environment;     ///< "NAME=value"
  std::filesystem::path working_directory;  ///< empty: the caller's; in a sandbox, its /tmp
  std::vector<int> cpus;                    ///< empty: any
  std::filesystem::path log_file;           ///< both outputs are written here as well, as they come
  std::optional<Sandbox> sandbox = {};      ///< with it, program, arguments and directories are paths inside
  Foreign foreign = Foreign::no;            ///< without a sandbox: what the child is kept from
  ForeignLimits foreign_limits = {};        ///< of a foreign one
};

struct Limits {
  std::chrono::nanoseconds deadline = std::chrono::minutes{5};
  std::size_t output_bytes = std::size_t{1}
                             << 20;  ///< of stdout and stderr together; past it the child is killed
};

/// How a child ended, with everything it used and the output it left.
struct Finished {
  enum class How {
    exited,
    signalled,
    timed_out,
    flooded,
    over_memory,
    over_disk,
    over_processes,
    not_started,
    no_sandbox,  ///< the sandbox could not be made; the reason is in `errors`
    stopped
  };
  How how = How::not_started;
  int code = 0;                 ///< exit status or signal number; errno for `not_started`
  ResourceUsage usage;          ///< only `wall` for a sandboxed child that was killed from outside
  std::size_t left_behind = 0;  ///< processes it started that were still alive when it had ended; killed
  std::string output;
  std::string errors;

  [[nodiscard]] bool succeeded() const { return how == How::exited && code == 0; }
};

/// What a child gets beside its three standard streams.
struct ChildOptions {
  std::size_t output_bytes = std::size_t{1} << 20;
  enum class Channel { no, yes } channel = Channel::no;  ///< TANDEM_FD: a stream socket for lines
  int page = -1;                                         ///< a descriptor it inherits as `page_descriptor`
};

}  // namespace tandem::runners
