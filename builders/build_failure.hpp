#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tandem::builders {

/// Why a commit gave no executable. `sentence` is for a person.
struct BuildFailure {
  enum class Kind {
    source,
    timed_out,
    memory,
    disk,
    processes,
    output,
    sandbox,
    not_a_program,
    script_missing,
    checkout,
    stopped
  };
  std::string commit;
  Kind kind = Kind::source;
  std::optional<int> exit_status;  ///< of the build script, if it ended by itself
  std::string sentence;
  std::filesystem::path log;  ///< empty if the script was not started
  std::string last_lines;     ///< of the log
};

/// Whether the same commit may build another time: the failure was the ground's, not the source's.
[[nodiscard]] bool may_pass_later(BuildFailure::Kind kind);

[[nodiscard]] constexpr const char* name_of(BuildFailure::Kind kind) {
  switch (kind) {
    case BuildFailure::Kind::source:
      return "source";
    case BuildFailure::Kind::timed_out:
      return "timed_out";
    case BuildFailure::Kind::memory:
      return "memory";
    case BuildFailure::Kind::processes:
      return "processes";
    case BuildFailure::Kind::output:
      return "output";
    case BuildFailure::Kind::sandbox:
      return "sandbox";
    case BuildFailure::Kind::not_a_program:
      return "not_a_program";
    case BuildFailure::Kind::script_missing:
      return "script_missing";
    case BuildFailure::Kind::checkout:
      return "checkout";
    case BuildFailure::Kind::disk:
      return "disk";
    case BuildFailure::Kind::stopped:
      return "stopped";
  }
  return "unknown";
}

}  // namespace tandem::builders
