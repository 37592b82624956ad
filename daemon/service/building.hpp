#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "builders/builder.hpp"
#include "builders/source.hpp"
#include "config/settings.hpp"
#include "daemon/service/loop.hpp"
#include "daemon/walk/build_ahead.hpp"
#include "runners/host/cpu_choice.hpp"
#include "runners/pairing/hooked_runner.hpp"

namespace tandem::daemon {

/// What stands between this host and the code that it builds and runs.
struct Isolation {
  std::optional<runners::SandboxTools> tools;       ///< nothing: no sandbox
  runners::Foreign foreign = runners::Foreign::no;  ///< how code is run where there is no sandbox
  runners::IsolationFacts facts;                    ///< for the reports
  std::string sentence;                             ///< for the status
};

/// Tries the sandbox once. Without one, unless none is wanted, code is run as foreign: by root as another
/// user, who must be able to enter `state_dir`. Throws Error if what is wanted cannot be had.
[[nodiscard]] Isolation choose_isolation(config::Isolation wish, const std::filesystem::path& shim,
                                         const std::filesystem::path& state_dir);

/// The programs of a launch share what one build may take of the memory.
inline constexpr std::uint64_t sides = 2;

/// How benchmarks run in it: nothing if there is none. Beside their own files they may read what the settings
/// name.
[[nodiscard]] std::optional<runners::Sandbox> benchmark_sandbox(const Isolation& isolation,
                                                                const config::Settings& settings);

/// Puts it into the settings of a runner; nobody's secrets are in the environment of its programs then.
void isolate_benchmarks(const Isolation& isolation, const config::Settings& settings,
                        runners::HostSettings& host);

/// Of this process's environment only what says how programs find their libraries and use their threads.
[[nodiscard]] std::vector<std::string> benchmark_environment();

/// The builders of one platform: one for what is needed now and, where builds may run beside measurements,
/// one for what comes next.
class Building {
 public:
  /// `settings` are those of the first; the second gets the processors that do not measure.
  Building(const builders::BuildSettings& settings, bool same_host, const runners::CpuChoice& cpus);

  [[nodiscard]] builders::Builder& builder();
  /// Builds these while others are measured; nothing happens where that is not allowed.
  void expect(std::vector<builders::Commit> commits);
  /// Lets nothing be built ahead during launches that have more than the one processor that measures.
  [[nodiscard]] runners::RunnerHook pause_during_launches();
  /// Whether commits are built ahead, or why not.
  [[nodiscard]] const std::string& ahead_sentence() const { return sentence_; }

 private:
  std::unique_ptr<builders::ScriptBuilder> front_;
  std::unique_ptr<builders::ScriptBuilder> behind_;
  std::unique_ptr<BuildAhead> ahead_;
  std::string sentence_;
};

/// What the builds of one watch rest on.
struct BuildGround {
  const config::Settings& settings;
  const config::WatchSettings& watch;
  const Installation& installation;
  const Isolation& isolation;
  std::filesystem::path mirror;
  builders::Source source;
  std::optional<specs::BuildSection> section;
};

/// Where the watch's branch comes from. Throws InputError.
[[nodiscard]] builders::Source source_of(const config::WatchSettings& watch);

[[nodiscard]] builders::BuildSettings build_settings(const BuildGround& ground, const std::string& platform);

}  // namespace tandem::daemon
