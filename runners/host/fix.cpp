#include "runners/host/fix.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include "specs/foundation/error.hpp"

namespace tandem::runners {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view cpu_folder = "sys/devices/system/cpu";
constexpr const char* smt_setting = "sys/devices/system/cpu/smt/control";
constexpr const char* no_turbo = "sys/devices/system/cpu/intel_pstate/no_turbo";
constexpr const char* boost = "sys/devices/system/cpu/cpufreq/boost";
constexpr const char* paranoid = "proc/sys/kernel/perf_event_paranoid";
constexpr const char* randomisation = "proc/sys/kernel/randomize_va_space";

std::vector<std::string> existing(const PlatformSources& sources, std::vector<std::string> files) {
  std::erase_if(files, [&](const std::string& file) { return !first_line(sources, file); });
  return files;
}

/// One file in each numbered folder, where it exists.
std::vector<std::string> in_each(const PlatformSources& sources, const fs::path& folder, const char* prefix,
                                 const char* file) {
  std::vector<std::string> files;
  for (const fs::path& one : numbered(sources, folder, prefix)) files.push_back((one / file).string());
  return existing(sources, std::move(files));
}

HostSetting smt(const PlatformSources& sources) {
  HostSetting setting{"SMT", "off", existing(sources, {smt_setting}), ""};
  const auto now = first_line(sources, smt_setting);
  if (!now || *now == "notsupported" || *now == "notimplemented") setting.left_alone = "this host has none";
  if (now && *now == "forceoff") setting.left_alone = "it is off until the next start of the host";
  return setting;
}

HostSetting governor(const PlatformSources& sources) {
  HostSetting setting{"governor", "performance",
                      in_each(sources, cpu_folder, "cpu", "cpufreq/scaling_governor"), ""};
  if (setting.files.empty()) {
    setting.left_alone = "this host does not let its processors' clock be governed";
    return setting;
  }
  const fs::path folder = fs::path(setting.files.front()).parent_path();
  if (const auto offered = first_line(sources, folder / "scaling_available_governors")) {
    std::istringstream words(*offered);
    for (std::string word; words >> word;) {
      if (word == setting.wanted) return setting;
    }
    setting.left_alone = "its driver offers only " + *offered;
  }
  return setting;
}

HostSetting turbo_setting(const PlatformSources& sources) {
  if (auto files = existing(sources, {no_turbo}); !files.empty()) return {"turbo", "1", files, ""};
  if (auto files = existing(sources, {boost}); !files.empty()) return {"turbo", "0", files, ""};
  auto files = in_each(sources, fs::path(cpu_folder) / "cpufreq", "policy", "boost");
  return {"turbo", "0", files, files.empty() ? "this host has no switch for it" : ""};
}

/// A number that must be at most or at least `wanted`; where it is, nothing is to be done.
enum class Bound { at_most, at_least };
HostSetting bounded(const PlatformSources& sources, const char* name, const char* file, int wanted,
                    Bound bound) {
  HostSetting setting{name, std::to_string(wanted), existing(sources, {file}), ""};
  const auto now = number_in(sources, file);
  if (!now) {
    setting.left_alone = "this kernel has no such setting";
  } else if (bound == Bound::at_most ? *now < wanted : *now > wanted) {
    setting.left_alone = "it is " + std::to_string(*now) + ", which is as good";
  }
  return setting;
}

/// "…/PREFIXn/REST" with digits for n.
bool is_numbered(std::string_view file, std::string_view prefix, std::string_view rest) {
  if (!file.starts_with(prefix)) return false;
  file.remove_prefix(prefix.size());
  const auto digits = std::min(file.find_first_not_of("0123456789"), file.size());
  return digits > 0 && digits <= 6 && file.substr(digits) == rest;
}

}  // namespace

std::vector<HostSetting> settings_for_measuring(const PlatformSources& sources) {
  std::vector<HostSetting> settings = {
      smt(sources),
      governor(sources),
      turbo_setting(sources),
      bounded(sources, "perf_event_paranoid", paranoid, 1, Bound::at_most),
      bounded(sources, "address randomisation", randomisation, 2, Bound::at_least),
      {"isolated cores",
       "",
       {},
       "they can only be set on the kernel's command line; tandem platform shows how"},
      {"transparent huge pages", "", {}, "they belong to what is measured; tandem platform shows how"},
      {"swap", "", {}, "switching it off can end programs; tandem platform shows how"}};
  return settings;
}

bool is_setting_file(const std::string& file) {
  constexpr std::array single = {smt_setting, no_turbo, boost, paranoid, randomisation};
  return std::find(single.begin(), single.end(), file) != single.end() ||
         is_numbered(file, "sys/devices/system/cpu/cpu", "/cpufreq/scaling_governor") ||
         is_numbered(file, "sys/devices/system/cpu/cpufreq/policy", "/boost");
}

namespace {

namespace fs = std::filesystem;
using Result = FixStep::Result;

const fs::path& made(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot make {}: {}", folder.string(), error.message()));
  return folder;
}

FileLock locked(const fs::path& folder) {
  FileLock lock(made(folder) / "platform.lock");
  if (!lock.try_lock()) {
    throw Error(fmt::format("the host is set up for measuring by {} already", lock.holder()));
  }
  return lock;
}

fs::path journal_in(const fs::path& folder) {
  return folder / "platform.journal";
}

/// Empty, or why the value is not there now. A kernel file takes a value by one write.
std::string write_value(const PlatformSources& sources, const std::string& file, const std::string& value) {
  const OwnedDescriptor opened(::open((sources.root / file).c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  const std::string line = value + "\n";
  if (opened.get() < 0 || ::write(opened.get(), line.data(), line.size()) < 0) return std::strerror(errno);
  const auto now = first_line(sources, file);
  if (now == value) return {};
  return fmt::format("the value does not stick: it reads {}", now.value_or("nothing"));
}

Restored set_back(const PlatformSources& sources, const std::vector<HostChange>& changes,
                  PlatformJournal& journal) {
  Restored restored;
  std::vector<HostChange> kept;
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    const auto now = first_line(sources, change->file);
    if (!now) {
      restored.remarks.push_back(fmt::format("/{} is gone", change->file));
    } else if (*now == change->before) {
      continue;
    } else if (*now != change->wanted) {
      restored.remarks.push_back(
          fmt::format("/{} is left at {}: somebody else has set it since", change->file, *now));
    } else if (const auto wrong = write_value(sources, change->file, change->before); wrong.empty()) {
      ++restored.values;
    } else {
      restored.failures.push_back(
          fmt::format("/{} is still {} instead of {}: {}", change->file, *now, change->before, wrong));
      kept.push_back(*change);
    }
  }
  std::reverse(kept.begin(), kept.end());
  journal.keep_only(kept);
  return restored;
}

/// What happened to the files of one setting.
struct Tally {
  std::size_t set = 0;
  std::size_t already = 0;
  std::vector<std::string> before;
  std::vector<std::string> failures;
};

FixStep step_of(const HostSetting& setting, const Tally& tally) {
  FixStep step{Result::already, setting.name, {}};
  const std::string value = setting.name == "turbo" ? "off" : setting.wanted;
  const auto on = [&](std::size_t count) {
    return setting.files.size() == 1 ? std::string() : fmt::format(" on {} processors", count);
  };
  if (tally.set > 0) {
    step.result = Result::set;
    step.said = value + on(tally.set);
    if (setting.name != "turbo") step.said += fmt::format(", was {}", fmt::join(tally.before, ", "));
  } else if (tally.already > 0) {
    step.said = value + on(tally.already);
  }
  if (tally.failures.empty()) return step;
  step.result = Result::failed;
  if (!step.said.empty()) step.said += "; ";
  step.said += tally.failures.front();
  if (tally.failures.size() > 1) step.said += fmt::format(", and {} more", tally.failures.size() - 1);
  return step;
}

}  // namespace

PlatformFix::PlatformFix(PlatformSources sources, const fs::path& folder)
    : sources_(std::move(sources)), lock_(locked(folder)), journal_(sources_, journal_in(folder)) {
  leftovers_ = set_back(sources_, journal_.left(), journal_);
  if (!leftovers_.failures.empty()) {
    throw Error(
        fmt::format("an earlier tandem platform --fix was killed, and {}", leftovers_.failures.front()));
  }
  try {
    set_all();
  } catch (...) {
    restore();
    throw;
  }
}

void PlatformFix::set_all() {
  for (const HostSetting& setting : settings_for_measuring(sources_)) {
    if (!setting.left_alone.empty()) {
      steps_.push_back({Result::left_alone, setting.name, setting.left_alone});
      continue;
    }
    Tally tally;
    for (const std::string& file : setting.files) {
      const auto before = first_line(sources_, file);
      // Setting one file may take another away, as SMT does with processors.
      if (!before) continue;
      if (*before == setting.wanted) {
        ++tally.already;
        continue;
      }
      const HostChange change{file, *before, setting.wanted};
      journal_.add(change);
      changes_.push_back(change);
      if (const auto wrong = write_value(sources_, file, setting.wanted); !wrong.empty()) {
        tally.failures.push_back(fmt::format("/{}: {}", file, wrong));
        // Some drivers take a value for a similar one; then it is not what was asked for, nor what was.
        if (first_line(sources_, file) != before) static_cast<void>(write_value(sources_, file, *before));
        continue;
      }
      ++tally.set;
      if (std::find(tally.before.begin(), tally.before.end(), *before) == tally.before.end()) {
        tally.before.push_back(*before);
      }
    }
    steps_.push_back(step_of(setting, tally));
  }
}

Restored PlatformFix::restore() {
  return set_back(sources_, std::exchange(changes_, {}), journal_);
}

PlatformFix::~PlatformFix() {
  try {
    if (!changes_.empty()) restore();
  } catch (...) {
    // The journal still has it, for the next one.
  }
}

Restored restore_host(const PlatformSources& sources, const fs::path& folder) {
  const FileLock lock = locked(folder);
  PlatformJournal journal(sources, journal_in(folder));
  return set_back(sources, journal.left(), journal);
}

}  // namespace tandem::runners
