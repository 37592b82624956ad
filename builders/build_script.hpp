#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem::builders {

/// The user's script that makes a program of a source tree.
struct BuildScript {
  std::filesystem::path script;
  std::filesystem::path framework_folder;  ///< everything in it may influence the build
};

/// `<frameworks_dir>/<framework>/<platform>/build.sh`, else `<frameworks_dir>/<framework>/build.sh`. Throws
/// InputError that names both if there is neither, or if a name would lead out of its folder.
[[nodiscard]] BuildScript find_build_script(const std::filesystem::path& frameworks_dir,
                                            const std::string& framework, const std::string& platform);

/// How to start it: by its own first line if it is executable, else with sh.
[[nodiscard]] std::vector<std::string> start_of(const BuildScript& script);

}  // namespace tandem::builders
