#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "builders/build_failure.hpp"
#include "builders/build_script.hpp"
#include "builders/cache/manifest.hpp"
#include "builders/commit.hpp"
#include "builders/work_directory.hpp"
#include "runners/process/sandbox.hpp"

namespace tandem::builders {

/// A directory of a build: where it lies on the host, and under which path the build sees it.
struct BuildDirectory {
  std::filesystem::path host;
  std::filesystem::path seen;
  runners::Sandbox::Access access = runners::Sandbox::Access::write;
};

/// The directories of one build. In a sandbox each has a fixed path below /tandem, so that nothing of a
/// program depends on where it was built; without one, host and seen are the same.
struct BuildDirectories {
  BuildDirectory tree;
  BuildDirectory out;
  BuildDirectory home;
  BuildDirectory objects;  ///< an empty directory for what the script makes on the way
  BuildDirectory scratch;  ///< TMPDIR
  BuildDirectory sources;  ///< the user's own, named in the `build` section
  BuildDirectory links;    ///< what the final links read
  BuildDirectory framework;
  BuildDirectory sdk;        ///< this and the rest are empty if there is none
  BuildDirectory ccache;     ///< shared by the builds of one watch and isolation
  BuildDirectory compilers;  ///< links to ccache with the names of the compilers
  BuildDirectory linker;     ///< the wrapper that captures links
};

/// Makes the directories that do not exist yet, below `work`, and finds ccache.
[[nodiscard]] BuildDirectories prepare_directories(const BuildSettings& settings,
                                                   const std::filesystem::path& work,
                                                   const BuildScript& script);

/// Drops what builds of every isolation left in their ccache, where a script may write anything.
void empty_ccache(const BuildSettings& settings);

/// Nothing if the build runs on the host itself. Hands the writable directories to the sandbox's user, who
/// also runs foreign scripts without a sandbox.
[[nodiscard]] std::optional<runners::Sandbox> sandbox_of(const BuildSettings& settings,
                                                         const BuildDirectories& directories);

/// Everything a script finds in its environment but what the `build` section and the link capture add. The
/// same for every build of a commit: no name of the host, its time zone or its user is in it.
[[nodiscard]] std::vector<std::string> environment_of(const BuildSettings& settings,
                                                      const BuildDirectories& directories,
                                                      const Commit& commit, unsigned jobs);

/// The compiler's flags as the settings and the link capture want them; part of the key.
[[nodiscard]] std::string flags_of(const BuildSettings& settings);

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
  BuildDirectories directories_;
  std::string program_;
  std::optional<int> exit_status_;
};

}  // namespace tandem::builders
