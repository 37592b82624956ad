#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "specs/benchmark/build_section.hpp"

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

/// A file of the user's that a `build` section names, with its content, so that what is hashed is what is
/// built.
struct UserSource {
  std::string path;  ///< relative, with '/'
  std::string content;
};

/// Throws InputError if one is not there any more or all together are larger than 64 MiB.
[[nodiscard]] std::vector<UserSource> read_user_sources(const specs::BuildSection& section);

/// Over paths and contents.
[[nodiscard]] std::string hash_of(const std::vector<UserSource>& sources);

/// Throws std::system_error if the disk fails.
void write_user_sources(const std::vector<UserSource>& sources, const std::filesystem::path& folder);

/// The section as a script sees it: `TANDEM_BUILD_…=…`, lists with one entry a line, the sources under
/// `folder`.
[[nodiscard]] std::vector<std::string> variables_of(const specs::BuildSection& section,
                                                    const std::filesystem::path& folder);

}  // namespace tandem::builders
