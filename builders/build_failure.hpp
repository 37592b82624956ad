#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tandem::builders {

/// Why a commit gave no executable. `sentence` is for a person.
struct BuildFailure {
  enum class Kind {
    source,          ///< the script ended by itself, not with 0
    timed_out,       ///< it took longer than its deadline
    memory,          ///< more than its limit, or than the host has
    disk,            ///< the host has no room
    disk_limit,      ///< it wrote more than its limit
    processes,       ///< more at a time than its limit
    output,          ///< it printed without end
    sandbox,         ///< the sandbox could not be made
    not_a_program,   ///< it ended well and left no program, or something that cannot be kept
    script_missing,  ///< the script, or a file that the `build` section names, is not there or cannot be run
    checkout,        ///< the tree cannot be written out as it is
    fetch,           ///< a submodule could not be fetched
    mirror,          ///< the mirror is damaged; it was put aside and is made again by the next fetch
    too_large,       ///< it filled the disk, which has room again without it
    unexpected,      ///< something failed that is neither known to be the commit's doing nor the host's
    stopped
  };
  std::string commit;
  Kind kind = Kind::source;
  std::optional<int> exit_status;  ///< of the build script, if it ended by itself
  std::string sentence;
  std::filesystem::path log;  ///< empty if the script was not started
  std::string last_lines;     ///< of the log
};

/// Whether the same commit may build another time, because something else than the source failed:
/// disk, fetch, mirror, sandbox, script_missing, too_large, unexpected, stopped. Memory and time are the
/// commit's once the builder gives up.
[[nodiscard]] bool may_pass_later(BuildFailure::Kind kind);

/// Whether every other commit would meet the same: disk, mirror, sandbox, script_missing.
[[nodiscard]] bool is_of_host(BuildFailure::Kind kind);

[[nodiscard]] const char* name_of(BuildFailure::Kind kind);

/// `<state_dir>/logs/build-<commit>-<platform>.log`, where everything that the script printed is kept.
[[nodiscard]] std::filesystem::path build_log(const std::filesystem::path& state_dir,
                                              const std::string& commit, const std::string& platform);

/// The last lines of a log, at most 20 and 8 KiB, as printable text. Empty if there is no log.
[[nodiscard]] std::string last_lines(const std::filesystem::path& log);

/// Whether a compiler says at the end of the log that the kernel killed one of its parts, which it does
/// because the host has no memory left. Such a script ends like one whose source is wrong.
[[nodiscard]] bool tells_of_memory(const std::string& last_lines);

}  // namespace tandem::builders
