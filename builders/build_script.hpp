#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "builders/fetch.hpp"
#include "runners/process/sandbox.hpp"
#include "specs/benchmark/build_section.hpp"

namespace tandem::builders {

class CacheBudget;

/// What the builds of one framework on one platform have in common.
struct BuildSettings {
  std::filesystem::path state_dir;
  std::filesystem::path exec_dir;  ///< empty: <state_dir>/cache
  std::filesystem::path mirror;
  std::optional<Source>
      source;  ///< where the mirror comes from, for its submodules; nothing: they must be there
  FetchOptions fetch;
  std::filesystem::path frameworks_dir;
  std::string framework;
  std::string platform;
  std::filesystem::path sdk_dir;  ///< given to scripts as TANDEM_SDK_DIR
  unsigned jobs = 1;
  std::string cxxflags = "-O2";  ///< of C as well
  std::string ldflags;
  std::string search_path = "/usr/local/bin:/usr/bin:/bin";
  enum class Ccache { if_present, off } ccache = Ccache::if_present;  ///< changes no byte, only the time
  std::filesystem::path ccache_dir;  ///< empty: <state_dir>/ccache; below it, one for each isolation
  std::uint64_t ccache_bytes = std::uint64_t{5} << 30;
  std::uint64_t seed = 0;
  std::chrono::nanoseconds deadline = std::chrono::minutes{60};
  std::optional<specs::BuildSection> section;             ///< the benchmark file's `build`; part of the key
  enum class Git { absent, provided } git = Git::absent;  ///< provided: the tree has a `.git` of its own
  std::optional<runners::SandboxTools> sandbox;           ///< nothing: builds run on the host itself
  runners::Foreign foreign = runners::Foreign::no;        ///< without a sandbox: how scripts are run
  std::vector<std::filesystem::path> readable;            ///< shown to the build read-only, at their own path
  std::uint64_t memory_bytes = 0;  ///< this and the next two only of foreign code; 0: no limit
  std::uint64_t disk_bytes = 0;
  std::size_t processes = 0;
  std::vector<int> cpus;  ///< empty: any
  std::filesystem::path
      linker;                 ///< the folder of the wrapper that captures links; empty: nothing is captured
  std::filesystem::path lld;  ///< what it links with
  std::shared_ptr<CacheBudget> budget = {};  ///< what was added is made room for; nothing: no limit
};

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
