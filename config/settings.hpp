#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/harness_settings.hpp"

namespace tandem::config {

/// Where a state directory may come from besides flag and config file; values of the environment, empty if
/// not set.
struct StateDirPlaces {
  std::filesystem::path tandem_state_dir;                ///< TANDEM_STATE_DIR
  std::filesystem::path xdg_state_home;                  ///< XDG_STATE_HOME
  std::filesystem::path home;                            ///< HOME
  std::filesystem::path system_dir = "/var/lib/tandem";  ///< used if it exists and is writable

  [[nodiscard]] static StateDirPlaces of_this_process();
};

/// The state directory, absolute, not created: the flag, TANDEM_STATE_DIR, the config file, the system
/// directory, XDG_STATE_HOME/tandem, HOME/.local/state/tandem, in this order. Throws InputError if none of
/// them is there.
[[nodiscard]] std::filesystem::path choose_state_dir(
    const std::optional<std::filesystem::path>& flag,
    const std::optional<std::filesystem::path>& configured = std::nullopt,
    const StateDirPlaces& places = StateDirPlaces::of_this_process());

using Seconds = std::chrono::duration<double>;

/// Which earlier commit a new one is compared with: the first of its week, its parent, `base_commit`, the
/// last tag.
enum class ControlRule { week, parent, fixed, tag };

[[nodiscard]] const char* name_of(ControlRule rule);
[[nodiscard]] ControlRule control_rule(std::string_view name);  ///< throws InputError that lists the names

/// Whether builds and benchmarks run in a sandbox: where the host allows it, always, never.
enum class Isolation { automatic, required, none };

/// Which commits are walked: along first parents, or every commit of the branch, merged ones too.
enum class Walk { first_parent, all };

/// When the walk is behind: every commit in turn, or the newest first and the others only if it is slower.
enum class CatchUp { every, newest };

[[nodiscard]] const char* name_of(Isolation isolation);  ///< "auto", "required", "none"
[[nodiscard]] const char* name_of(Walk walk);
[[nodiscard]] const char* name_of(CatchUp catch_up);
[[nodiscard]] Isolation isolation(std::string_view name);  ///< these throw InputError that lists the names
[[nodiscard]] Walk walk(std::string_view name);
[[nodiscard]] CatchUp catch_up(std::string_view name);

/// One branch of one repository under one framework. Paths are absolute.
struct WatchSettings {
  std::string name;  ///< default: FRAMEWORK-BRANCH
  std::string repo = "git";
  std::string repo_dir;  ///< a clone or a URL
  std::string remote_repository = "origin";
  std::filesystem::path key_file;    ///< ssh key; empty: the agent's
  std::filesystem::path token_file;  ///< "user:password" or a token for http; empty: none
  std::string branch = "main";       ///< FAI-PEP's default was master
  std::string framework;
  std::filesystem::path frameworks_dir;  ///< empty: the one installed with Tandem
  std::vector<std::string> platforms = {"linux"};
  std::filesystem::path benchmark_file;  ///< empty: the benchmarks that the program itself lists
  std::string base_commit;
  std::string commit;                 ///< where to start; empty: at the tip
  std::filesystem::path commit_file;  ///< empty: none
  int step = 1;                       ///< every step-th commit
  Walk walk = Walk::first_parent;
  CatchUp catch_up = CatchUp::every;
  ControlRule control = ControlRule::week;
  std::string control_tag = "*";  ///< with the rule `tag`: which tags count, with * and ?
  bool regression = false;        ///< confirm and report; else measure and store only
  bool ab_testing = false;
  bool same_host = false;  ///< never build while measuring
  bool needs_git = false;  ///< builds see a `.git`
  double margin = 0.01;    ///< the change worth knowing, as a fraction

  std::string source;  ///< "FILE:LINE:COLUMN" of the watch, or empty when flags made it
};

/// Three quarters of this host's memory in bytes: what one build or launch may take without a setting.
[[nodiscard]] std::uint64_t share_of_memory();

/// Everything the daemon is told, complete and checked. Only `merge` makes one.
struct Settings {
  std::filesystem::path state_dir;
  std::filesystem::path exec_dir;     ///< default: STATE_DIR/cache
  std::filesystem::path status_file;  ///< the stop file; empty: none
  Seconds interval{60};               ///< at least this long between two runs
  bool once = false;
  int max_launches = 66;  ///< of one screen
  Seconds build_timeout{3600};
  Seconds benchmark_timeout{300};   ///< where the spec does not say
  Seconds fetch_timeout{600};       ///< without anything arriving
  Seconds confirmation_time{3600};  ///< of one commit; suspects left over wait for idle time
  int jobs = 0;                     ///< of a build; 0: as many as there are cores
  std::string cxxflags = "-O2";
  std::string ldflags;
  Isolation sandbox = Isolation::automatic;
  std::vector<std::filesystem::path> sandbox_read;  ///< what builds and benchmarks see beside the system
  /// Of all processes of one build, or of both programs of a launch; 0: no limit. Default: three quarters of
  /// the host's memory.
  std::uint64_t build_memory = share_of_memory();
  std::uint64_t build_disk = std::uint64_t{64} << 30;
  int build_processes = 4096;
  std::uint64_t cache_budget = std::uint64_t{20} << 30;  ///< bytes; 0: no limit
  std::uint64_t ccache_budget = std::uint64_t{5} << 30;  ///< bytes of each watch; 0: no limit
  int keep_commits = 5000;  ///< of the newest commits of a walk: verdicts and builds stay in the store
  int keep_samples = 500;   ///< of the newest commits: every launch of their screens, too
  int keep_logs = 200;      ///< of the newest builds of a platform
  int layouts = 8;          ///< linkings per side that a screen draws from
  bool calibrate = true;    ///< in idle time; with `once` only if a flag asks for it
  HarnessSettings harness;
  std::vector<WatchSettings> watches;  ///< at least one
};

/// What one source says about a watch; what is not said stays empty.
struct WatchOverrides {
  std::optional<std::string> name, repo, repo_dir, remote_repository, branch, framework;
  std::optional<std::string> base_commit, commit, control_tag;
  std::optional<std::filesystem::path> frameworks_dir, benchmark_file, commit_file, key_file, token_file;
  std::optional<std::vector<std::string>> platforms;
  std::optional<int> step;
  std::optional<ControlRule> control;
  std::optional<Walk> walk;
  std::optional<CatchUp> catch_up;
  std::optional<bool> regression, ab_testing, same_host, needs_git;
  std::optional<double> margin;
};

/// What the command line says, one field per flag of the same name.
struct Overrides : WatchOverrides {
  std::optional<std::filesystem::path> state_dir, exec_dir, status_file;
  std::optional<Seconds> interval, build_timeout, benchmark_timeout, fetch_timeout, confirmation_time;
  std::optional<bool> once, calibrate;
  std::optional<int> max_launches, jobs, build_processes, layouts, keep_commits, keep_samples, keep_logs;
  std::optional<std::string> cxxflags, ldflags;
  std::optional<Isolation> sandbox;
  std::optional<std::vector<std::filesystem::path>> sandbox_read;
  std::optional<std::uint64_t> build_memory, build_disk, cache_budget, ccache_budget;
  HarnessOverrides harness;
};

/// What a config file says: paths already relative to its folder, values already checked one by one.
struct ConfigFile {
  struct Watch : WatchOverrides {
    std::string source;  ///< "FILE:LINE:COLUMN"
  };
  std::filesystem::path file;
  Overrides top;  ///< its watch fields stay empty
  std::vector<Watch> watches;
};

/// Defaults, then the config file, then the flags. Throws InputError with a sentence to act on.
///
/// Without watches in a file the flags make one. With one watch in the file every flag changes it. With
/// several, the flags that say how to measure (frameworks_dir, platforms, step, control, regression,
/// ab_testing, same_host, margin) apply to all of them, and those that say what to watch (name, repo_dir,
/// branch, commit, …) are refused, because they can only be meant for one.
[[nodiscard]] Settings merge(const std::optional<ConfigFile>& file, const Overrides& flags,
                             const StateDirPlaces& places = StateDirPlaces::of_this_process());

/// The same for one run by hand: its one watch need not say what is watched, because executables may be
/// given.
[[nodiscard]] Settings merge_for_run(const std::optional<ConfigFile>& file, const Overrides& flags,
                                     const StateDirPlaces& places = StateDirPlaces::of_this_process());

/// "a,b" as `--platforms` takes it.
[[nodiscard]] std::vector<std::string> split_platforms(std::string_view list);

/// "20G", "512M" or a plain number of bytes; K, M, G and T are powers of 1024. Throws InputError.
[[nodiscard]] std::uint64_t bytes(std::string_view text);

}  // namespace tandem::config
