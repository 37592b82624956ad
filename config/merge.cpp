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

namespace fs = std::filesystem;

fs::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_writable_directory(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error) && ::access(path.c_str(), W_OK | X_OK) == 0;
}

fs::path tidy(const fs::path& path) {
  return fs::absolute(path).lexically_normal();
}

}  // namespace

StateDirPlaces StateDirPlaces::of_this_process() {
  StateDirPlaces places;
  places.tandem_state_dir = from_environment("TANDEM_STATE_DIR");
  places.xdg_state_home = from_environment("XDG_STATE_HOME");
  places.home = from_environment("HOME");
  return places;
}

fs::path choose_state_dir(const std::optional<fs::path>& flag, const std::optional<fs::path>& configured,
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

/// Maps are merged, what is said going before what is there; all else is replaced.
void take(Texts& to, const std::optional<Texts>& from) {
  if (!from) return;
  for (const auto& [name, value] : *from) to[name] = value;
}

void apply(WatchSettings& watch, const WatchOverrides& said) {
#define WATCH(type, name, value, check, use, help) take(watch.name, said.name);
#include "config/settings.def"
}

void apply(Settings& settings, const Overrides& said) {
#define SETTING(type, name, value, check, use, help) take(settings.name, said.name);
#define HARNESS(type, name, value, check, use, help) take(settings.harness.name, said.harness.name);
#include "config/settings.def"
}

template <class Value, class Check>
void settle_flag(const char* flag, std::optional<Value>& value, Check check) {
  if (!value) return;
  if (const std::string wrong = settle(*value, check, fs::current_path()); !wrong.empty())
    throw InputError(fmt::format("--{}: {}", flag, wrong));
}

/// The flags with every value checked and every path absolute, so that the daemon may change its directory.
Overrides checked(Overrides flags) {
#define WATCH(type, name, value, check, use, help) settle_flag(#name, flags.name, check);
#define SETTING(type, name, value, check, use, help) settle_flag(#name, flags.name, check);
#define HARNESS(type, name, value, check, use, help) settle_flag(#name, flags.harness.name, check);
#include "config/settings.def"
  return flags;
}

void refuse_flags_for_one_watch(const WatchOverrides& flags, const ConfigFile& file) {
  const auto refuse = [&](const char* flag, bool is_given, Use use) {
    if (!is_given || use != Use::one_watch) return;
    throw InputError(fmt::format("--{} can only be meant for one watch and {} has {}; write it there", flag,
                                 file.file.string(), file.watches.size()));
  };
#define WATCH(type, name, value, check, use, help) refuse(#name, flags.name.has_value(), Use::use);
#include "config/settings.def"
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
  std::map<fs::path, const WatchSettings*> commit_files;
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

std::string added_arguments(const HarnessSettings& settings) {
  std::string all = settings.command_args;
  if (!settings.backend.empty())
    all += fmt::format("{}--backend {}", all.empty() ? "" : " ", settings.backend);
  return all;
}

}  // namespace tandem::config
