#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "builders/build_failure.hpp"
#include "builders/commit.hpp"
#include "builders/executable.hpp"
#include "builders/fetch.hpp"
#include "builders/layout/layout.hpp"
#include "runners/process/sandbox.hpp"
#include "specs/benchmark/build_section.hpp"

namespace tandem::builders {

class CacheBudget;

/// Makes one executable of one commit, for one platform.
class Builder {
 public:
  Builder() = default;
  virtual ~Builder() = default;
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  /// What may happen to a commit is the result; broken ground (an unreadable mirror, a disk error) throws
  /// Error.
  [[nodiscard]] virtual std::variant<Executable, BuildFailure> build(const Commit& commit,
                                                                     std::stop_token stop) = 0;

  /// The same executable in another layout: the order of its functions and data decided by `seed`. Made once
  /// by one linker call per program and kept beside it.
  [[nodiscard]] virtual std::variant<Executable, RelinkFailure> relink(const Executable& executable,
                                                                       std::uint64_t seed,
                                                                       std::stop_token stop) = 0;

  /// A layout that nobody will ask for again need not be kept. It stays if somebody else uses it.
  virtual void drop_layout(Executable /*layout*/) {}
};

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

/// Checks the commit out into a fresh tree and runs the framework's `build.sh <repo_dir> <dst>` on it, once.
/// The script's status decides, and `<dst>` must then be a program; files beside it are further programs.
/// Results are kept in the executable cache and taken from there. The same source gives the same bytes.
///
/// A build that ran out of memory is tried once more at once, with one job, if it had several; nothing else
/// is. Which failures may pass another time says may_pass_later. Not thread-safe; several may share a state
/// directory.
class ScriptBuilder final : public Builder {
 public:
  /// Removes what killed builds left in the state directory. Throws InputError if a generic framework is not
  /// told what to build.
  explicit ScriptBuilder(BuildSettings settings);

  [[nodiscard]] std::variant<Executable, BuildFailure> build(const Commit& commit,
                                                             std::stop_token stop) override;
  [[nodiscard]] std::variant<Executable, RelinkFailure> relink(const Executable& executable,
                                                               std::uint64_t seed,
                                                               std::stop_token stop) override;
  void drop_layout(Executable layout) override;

 private:
  BuildSettings settings_;
};

}  // namespace tandem::builders
