#include "config/settings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "config/checks.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::config {

namespace {

std::filesystem::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_writable_directory(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) && ::access(path.c_str(), W_OK | X_OK) == 0;
}

std::filesystem::path tidy(const std::filesystem::path& path) {
  return std::filesystem::absolute(path).lexically_normal();
}

}  // namespace

StateDirPlaces StateDirPlaces::of_this_process() {
  StateDirPlaces places;
  places.tandem_state_dir = from_environment("TANDEM_STATE_DIR");
  places.xdg_state_home = from_environment("XDG_STATE_HOME");
  places.home = from_environment("HOME");
  return places;
}

std::filesystem::path choose_state_dir(const std::optional<std::filesystem::path>& flag,
                                       const std::optional<std::filesystem::path>& configured,
                                       const StateDirPlaces& places) {
  if (flag) return tidy(*flag);
  if (!places.tandem_state_dir.empty()) return tidy(places.tandem_state_dir);
  if (configured) return tidy(*configured);
  if (is_writable_directory(places.system_dir)) return tidy(places.system_dir);
  // The XDG base directory specification says to ignore a relative path.
  if (places.xdg_state_home.is_absolute()) return tidy(places.xdg_state_home / "tandem");
  if (places.home.is_absolute()) return tidy(places.home / ".local" / "state" / "tandem");
  throw InputError(
      "there is no state directory: HOME is not set; give --state_dir DIR or set TANDEM_STATE_DIR");
}

namespace {

template <typename Value>
void take(Value& to, const std::optional<Value>& from) {
  if (from) to = *from;
}

void apply(WatchSettings& watch, const WatchOverrides& said) {
  take(watch.name, said.name);
  take(watch.repo, said.repo);
  take(watch.repo_dir, said.repo_dir);
  take(watch.remote_repository, said.remote_repository);
  take(watch.key_file, said.key_file);
  take(watch.token_file, said.token_file);
  take(watch.branch, said.branch);
  take(watch.framework, said.framework);
  take(watch.frameworks_dir, said.frameworks_dir);
  take(watch.platforms, said.platforms);
  take(watch.benchmark_file, said.benchmark_file);
  take(watch.base_commit, said.base_commit);
  take(watch.commit, said.commit);
  take(watch.commit_file, said.commit_file);
  take(watch.step, said.step);
  take(watch.walk, said.walk);
  take(watch.catch_up, said.catch_up);
  take(watch.control, said.control);
  take(watch.control_tag, said.control_tag);
  take(watch.regression, said.regression);
  take(watch.ab_testing, said.ab_testing);
  take(watch.same_host, said.same_host);
  take(watch.needs_git, said.needs_git);
  take(watch.margin, said.margin);
}

void apply(Settings& settings, const Overrides& said) {
  take(settings.exec_dir, said.exec_dir);
  take(settings.status_file, said.status_file);
  take(settings.interval, said.interval);
  take(settings.once, said.once);
  take(settings.max_launches, said.max_launches);
  take(settings.build_timeout, said.build_timeout);
  take(settings.benchmark_timeout, said.benchmark_timeout);
  take(settings.fetch_timeout, said.fetch_timeout);
  take(settings.confirmation_time, said.confirmation_time);
  take(settings.jobs, said.jobs);
  take(settings.cxxflags, said.cxxflags);
  take(settings.ldflags, said.ldflags);
  take(settings.sandbox, said.sandbox);
  take(settings.sandbox_read, said.sandbox_read);
  take(settings.build_memory, said.build_memory);
  take(settings.build_disk, said.build_disk);
  take(settings.build_processes, said.build_processes);
  take(settings.cache_budget, said.cache_budget);
  take(settings.keep_commits, said.keep_commits);
  take(settings.keep_samples, said.keep_samples);
  take(settings.keep_logs, said.keep_logs);
  take(settings.ccache_budget, said.ccache_budget);
  take(settings.layouts, said.layouts);
  apply(settings.harness, said.harness);
}

void refuse_setting_if(const char* flag, const std::string& complaint) {
  if (!complaint.empty()) throw InputError(fmt::format("--{}: {}", flag, complaint));
}

template <typename Value, typename Complain>
void check(const char* flag, const std::optional<Value>& value, Complain&& complain) {
  if (value) refuse_setting_if(flag, complain(*value));
}

void check_path(const char* flag, std::optional<std::filesystem::path>& path) {
  if (!path) return;
  refuse_setting_if(flag, complain_of_path(*path));
  *path = std::filesystem::absolute(*path).lexically_normal();
}

/// The flags with every value checked and every path absolute, so that the daemon may change its directory.
Overrides checked(Overrides flags) {
  check("name", flags.name, complain_of_watch_name);
  check("repo", flags.repo, complain_of_repo);
  check("remote_repository", flags.remote_repository, complain_of_remote);
  check("branch", flags.branch, complain_of_branch);
  check("framework", flags.framework, complain_of_framework);
  check("platforms", flags.platforms, complain_of_platforms);
  check("base_commit", flags.base_commit, complain_of_commit);
  check("commit", flags.commit, complain_of_commit);
  check("step", flags.step, [](int step) { return complain_of_count(step, 1, most_steps); });
  check("margin", flags.margin, complain_of_margin);
  check("interval", flags.interval, [](Seconds value) { return complain_of_duration(value, no_time); });
  const auto timeout = [](Seconds value) { return complain_of_duration(value, shortest_timeout); };
  check("build_timeout", flags.build_timeout, timeout);
  check("benchmark_timeout", flags.benchmark_timeout, timeout);
  check("fetch_timeout", flags.fetch_timeout, timeout);
  check("confirmation_time", flags.confirmation_time, timeout);
  check("max_launches", flags.max_launches,
        [](int count) { return complain_of_count(count, 1, most_launches); });
  check("jobs", flags.jobs, [](int count) { return complain_of_count(count, 0, most_jobs); });
  check("build_processes", flags.build_processes,
        [](int count) { return complain_of_count(count, 0, most_processes); });
  for (const auto& [name, kept] :
       {std::pair{"keep_commits", &flags.keep_commits}, std::pair{"keep_samples", &flags.keep_samples},
        std::pair{"keep_logs", &flags.keep_logs}}) {
    check(name, *kept, [](int count) { return complain_of_count(count, least_kept, most_kept); });
  }
  check("layouts", flags.layouts, [](int count) { return complain_of_count(count, 1, most_layouts); });
  check("control_tag", flags.control_tag, complain_of_commit);
  check_path("key_file", flags.key_file);
  check_path("token_file", flags.token_file);
  if (flags.sandbox_read) {
    for (std::filesystem::path& path : *flags.sandbox_read) {
      std::optional<std::filesystem::path> one = path;
      check_path("sandbox_read", one);
      path = *one;
    }
  }
  check_path("frameworks_dir", flags.frameworks_dir);
  check_path("benchmark_file", flags.benchmark_file);
  check_path("commit_file", flags.commit_file);
  check_path("state_dir", flags.state_dir);
  check_path("exec_dir", flags.exec_dir);
  check_path("status_file", flags.status_file);
  if (flags.repo_dir && !is_url(*flags.repo_dir)) {
    std::optional<std::filesystem::path> path = *flags.repo_dir;
    check_path("repo_dir", path);
    flags.repo_dir = path->string();
  }
  flags.harness = checked(std::move(flags.harness));
  return flags;
}

void refuse_flags_for_one_watch(const WatchOverrides& flags, const ConfigFile& file) {
  const std::pair<const char*, bool> given[] = {
      {"name", flags.name.has_value()},
      {"repo", flags.repo.has_value()},
      {"repo_dir", flags.repo_dir.has_value()},
      {"remote_repository", flags.remote_repository.has_value()},
      {"branch", flags.branch.has_value()},
      {"framework", flags.framework.has_value()},
      {"benchmark_file", flags.benchmark_file.has_value()},
      {"base_commit", flags.base_commit.has_value()},
      {"commit", flags.commit.has_value()},
      {"commit_file", flags.commit_file.has_value()},
  };
  for (const auto& [flag, is_given] : given) {
    if (!is_given) continue;
    throw InputError(fmt::format("--{} can only be meant for one watch and {} has {}; write it there", flag,
                                 file.file.string(), file.watches.size()));
  }
}

/// A sentence's subject for a watch: `watch "x" (FILE:LINE:COLUMN)`, or what the flags made.
std::string subject(const WatchSettings& watch) {
  if (watch.source.empty()) return "the watch given by flags";
  return watch.name.empty() ? fmt::format("the watch at {}", watch.source)
                            : fmt::format("watch {} ({})", in_quotes(watch.name), watch.source);
}

void require(const WatchSettings& watch, const char* key, const std::string& value) {
  if (!value.empty()) return;
  if (watch.source.empty())
    throw InputError(fmt::format("there is no {0}; give --{0}, or a --config file", key));
  throw InputError(fmt::format("{0} has no {1}; write \"{1}\" there or give --{1}", subject(watch), key));
}

void finish(WatchSettings& watch) {
  require(watch, "repo_dir", watch.repo_dir);
  require(watch, "framework", watch.framework);
  if (watch.control == ControlRule::fixed && watch.base_commit.empty()) {
    throw InputError(fmt::format(
        "{} has control \"fixed\" without a base_commit; name the commit to compare with", subject(watch)));
  }
  if (watch.name.empty()) {
    watch.name = watch.framework + "-" + watch.branch;
    std::replace(watch.name.begin(), watch.name.end(), '/', '-');
  }
}

void check_watches_differ(const std::vector<WatchSettings>& watches) {
  std::map<std::string, const WatchSettings*> names;
  std::map<std::filesystem::path, const WatchSettings*> commit_files;
  for (const WatchSettings& watch : watches) {
    if (const auto [first, added] = names.try_emplace(watch.name, &watch); !added) {
      throw InputError(fmt::format("two watches are called {}, at {} and {}; give one another \"name\"",
                                   in_quotes(watch.name), first->second->source, watch.source));
    }
    if (watch.commit_file.empty()) continue;
    if (const auto [first, added] = commit_files.try_emplace(watch.commit_file, &watch); !added) {
      throw InputError(fmt::format("{} and {} have the same commit_file; give each its own",
                                   subject(*first->second), subject(watch)));
    }
  }
}

}  // namespace

namespace {

/// Everything but the watches; `flags` are checked.
Settings merge_top(const std::optional<ConfigFile>& file, const Overrides& flags,
                   const StateDirPlaces& places) {
  Settings settings;
  if (file) apply(settings, file->top);
  apply(settings, flags);
  settings.state_dir = choose_state_dir(flags.state_dir, file ? file->top.state_dir : std::nullopt, places);
  if (settings.exec_dir.empty()) settings.exec_dir = settings.state_dir / "cache";
  if (settings.harness.model_cache.empty()) settings.harness.model_cache = settings.state_dir / "models";
  // One pass is meant to be short: what a file says about idle time does not make it long.
  const bool wanted = !file || file->top.calibrate.value_or(true);
  settings.calibrate = flags.calibrate.value_or(wanted && !settings.once);
  return settings;
}

}  // namespace

std::uint64_t share_of_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) return 0;
  return static_cast<std::uint64_t>(pages) / 4 * 3 * static_cast<std::uint64_t>(page_bytes);
}

Settings merge_for_run(const std::optional<ConfigFile>& file, const Overrides& given,
                       const StateDirPlaces& places) {
  const Overrides flags = checked(given);
  Settings settings = merge_top(file, flags, places);
  apply(settings.watches.emplace_back(), flags);
  WatchSettings& watch = settings.watches.front();
  if (watch.repo_dir.empty()) return settings;
  finish(watch);
  return settings;
}

Settings merge(const std::optional<ConfigFile>& file, const Overrides& given, const StateDirPlaces& places) {
  const Overrides flags = checked(given);
  Settings settings = merge_top(file, flags, places);
  if (file && file->watches.size() > 1) refuse_flags_for_one_watch(flags, *file);
  if (file) {
    for (const ConfigFile::Watch& written : file->watches) {
      WatchSettings watch;
      apply(watch, written);
      watch.source = written.source;
      settings.watches.push_back(std::move(watch));
    }
  }
  if (settings.watches.empty()) settings.watches.emplace_back();
  for (WatchSettings& watch : settings.watches) {
    apply(watch, flags);
    finish(watch);
  }
  check_watches_differ(settings.watches);
  return settings;
}

}  // namespace tandem::config
