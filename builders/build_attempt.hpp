#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "builders/build_failure.hpp"
#include "builders/build_sandbox.hpp"
#include "builders/build_script.hpp"
#include "builders/builder.hpp"
#include "builders/cache/entry.hpp"
#include "builders/work_directory.hpp"

namespace tandem::builders {

/// What one build starts from.
struct BuildOrder {
  Commit commit;
  BuildScript script;
  std::vector<UserSource> sources;
};

/// One run of a framework's script on a fresh tree. The directories, and with them what was built, live as
/// long as this. Trouble with the disk is a std::system_error.
class BuildAttempt {
 public:
  BuildAttempt(const BuildSettings& settings, const BuildOrder& order, unsigned jobs);

  struct Built {
    std::filesystem::path directory;  ///< of the programs
    std::string program;              ///< the name of the one that the script was told to leave
    Links links;
  };
  [[nodiscard]] std::variant<Built, BuildFailure> run(const std::stop_token& stop);

  /// A failure of this build, with the log as far as it goes.
  [[nodiscard]] BuildFailure failed(BuildFailure::Kind kind, const std::string& why) const;

 private:
  std::optional<BuildFailure> fill_tree(const std::stop_token& stop) const;
  std::optional<BuildFailure> run_script(std::vector<std::string> more_environment,
                                         const std::stop_token& stop);
  std::optional<BuildFailure> check_program() const;

  const BuildSettings& settings_;
  const BuildOrder& order_;
  unsigned jobs_;
  WorkSlot slot_;
  std::filesystem::path log_;
  BuildRooms rooms_;
  std::string program_;
  std::optional<int> exit_status_;
};

}  // namespace tandem::builders
