#include "runners/host/fix.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <utility>

#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;
using Result = FixStep::Result;

/// The files that settings are kept in: a file, or one in each of the folders that a prefix and a number
/// name.
struct Place {
  const char* file;  ///< up to the number, if there is one
  const char* in_each = nullptr;
};
constexpr Place smt_place{"sys/devices/system/cpu/smt/control"};
constexpr Place governor_place{"sys/devices/system/cpu/cpu", "cpufreq/scaling_governor"};
constexpr Place no_turbo_place{"sys/devices/system/cpu/intel_pstate/no_turbo"};
constexpr Place boost_place{"sys/devices/system/cpu/cpufreq/boost"};
constexpr Place policy_boost_place{"sys/devices/system/cpu/cpufreq/policy", "boost"};
constexpr Place paranoid_place{"proc/sys/kernel/perf_event_paranoid"};
constexpr Place randomisation_place{"proc/sys/kernel/randomize_va_space"};
constexpr std::array places = {smt_place,          governor_place, no_turbo_place,     boost_place,
                               policy_boost_place, paranoid_place, randomisation_place};

/// Those that exist.
std::vector<std::string> files_at(const PlatformSources& sources, const Place& place) {
  std::vector<std::string> files = {place.file};
  if (place.in_each != nullptr) {
    files.clear();
    const fs::path prefix = place.file;
    for (const fs::path& folder : numbered(sources, prefix.parent_path(), prefix.filename().string()))
      files.push_back((folder / place.in_each).string());
  }
  std::erase_if(files, [&](const std::string& file) { return !first_line(sources, file); });
  return files;
}

using WhyNot = std::string;  ///< why the setting is not touched; empty: it is

/// One row for each setting; the first of its places that this host has counts.
struct SettingRow {
  const char* name;
  struct Option {
    Place place;
    const char* wanted;
  };
  std::vector<Option> options;
  WhyNot missing;  ///< why it is not touched where none of its places exists
  /// The same where one does: `now` is the value of its first file.
  WhyNot (*refuse)(const PlatformSources& sources, const HostSetting& setting,
                   const std::string& now) = nullptr;
};

WhyNot refuse_smt(const PlatformSources& /*sources*/, const HostSetting& /*setting*/,
                  const std::string& now) {
  if (now == "notsupported" || now == "notimplemented") return "this host has none";
  return now == "forceoff" ? "it is off until the next start of the host" : "";
}

WhyNot refuse_governor(const PlatformSources& sources, const HostSetting& setting,
                       const std::string& /*now*/) {
  const fs::path folder = fs::path(setting.files.front()).parent_path();
  const auto offered = first_line(sources, folder / "scaling_available_governors");
  if (!offered || fmt::format(" {} ", *offered).find(" " + setting.wanted + " ") != std::string::npos)
    return "";
  return "its driver offers only " + *offered;
}

/// A number that must be at most or at least what is wanted; where it is, nothing is to be done.
template <class Better>
WhyNot refuse_better(const PlatformSources& sources, const HostSetting& setting, const std::string& /*now*/) {
  const auto number = number_in(sources, setting.files.front());
  if (!number) return "this kernel has no such setting";
  return Better()(*number, std::stoll(setting.wanted)) ? fmt::format("it is {}, which is as good", *number)
                                                       : "";
}

const std::vector<SettingRow>& setting_rows() {
  static const std::vector<SettingRow> all = {
      {"SMT", {{smt_place, "off"}}, "this host has none", refuse_smt},
      {"governor",
       {{governor_place, "performance"}},
       "this host does not let its processors' clock be governed",
       refuse_governor},
      {"turbo",
       {{no_turbo_place, "1"}, {boost_place, "0"}, {policy_boost_place, "0"}},
       "this host has no switch for it"},
      {"perf_event_paranoid",
       {{paranoid_place, "1"}},
       "this kernel has no such setting",
       refuse_better<std::less<>>},
      {"address randomisation",
       {{randomisation_place, "2"}},
       "this kernel has no such setting",
       refuse_better<std::greater<>>},
      {"isolated cores", {}, "they can only be set on the kernel's command line; tandem platform shows how"},
      {"transparent huge pages", {}, "they belong to what is measured; tandem platform shows how"},
      {"swap", {}, "switching it off can end programs; tandem platform shows how"}};
  return all;
}

}  // namespace

std::vector<HostSetting> settings_for_measuring(const PlatformSources& sources) {
  std::vector<HostSetting> settings;
  for (const SettingRow& row : setting_rows()) {
    HostSetting& setting = settings.emplace_back(HostSetting{row.name, "", {}, row.missing});
    for (const auto& [place, wanted] : row.options) {
      if (!setting.files.empty()) break;
      setting.files = files_at(sources, place);
      setting.wanted = wanted;
    }
    if (setting.files.empty()) continue;
    const std::string now = first_line(sources, setting.files.front()).value_or("");
    setting.left_alone = row.refuse == nullptr ? "" : row.refuse(sources, setting, now);
  }
  return settings;
}

bool is_setting_file(const std::string& file) {
  return std::any_of(places.begin(), places.end(), [&](const Place& place) {
    if (place.in_each == nullptr) return file == place.file;
    if (!file.starts_with(place.file)) return false;
    const std::string_view rest = std::string_view(file).substr(std::strlen(place.file));
    const auto digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    return digits > 0 && digits <= 6 && rest.substr(digits) == fmt::format("/{}", place.in_each);
  });
}

namespace {

constexpr std::size_t longest_journal = std::size_t{1} << 20;

/// The kernel's words for such values; nothing that a line or a shell could stumble over.
bool is_value(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
             std::string_view::npos;
}

std::string heading_of(const PlatformSources& sources) {
  return fmt::format("tandem-platform 1 {}\n",
                     first_line(sources, "proc/sys/kernel/random/boot_id").value_or("unknown").substr(0, 64));
}

/// What a journal that is there says, in the order of setting. Throws Error where the file belongs to another
/// user or is no plain file: whoever can write it decides what is set as root.
std::vector<HostChange> changes_in(const PlatformSources& sources, const fs::path& journal) {
  struct stat about {};
  if (::lstat(journal.c_str(), &about) != 0 && errno == ENOENT) return {};
  const OwnedDescriptor file(::open(journal.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() < 0 || ::fstat(file.get(), &about) != 0)
    throw Error(fmt::format("cannot open {}: {}", journal.string(), std::strerror(errno)));
  if (!S_ISREG(about.st_mode) || about.st_uid != ::geteuid())
    throw Error(fmt::format("{} was not written by tandem as this user; remove it", journal.string()));
  std::string text(longest_journal, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const auto got = ::read(file.get(), text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(fmt::format("cannot read {}: {}", journal.string(), std::strerror(errno)));
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  return read_journal(std::string_view(text).substr(0, length), heading_of(sources));
}

/// None: removes the file. On disk when it returns.
void write_journal(const PlatformSources& sources, const fs::path& journal,
                   const std::vector<HostChange>& changes) {
  if (changes.empty()) {
    if (::unlink(journal.c_str()) != 0 && errno != ENOENT)
      throw Error(fmt::format("cannot remove {}: {}", journal.string(), std::strerror(errno)));
    return;
  }
  std::string text = heading_of(sources);
  for (const HostChange& change : changes)
    text += fmt::format("{}\t{}\t{}\n", change.file, change.before, change.wanted);
  write_by_rename(journal, text);
}

FileLock locked(const fs::path& folder) {
  make_directories(folder);
  FileLock lock(folder / "platform.lock");
  if (!lock.try_lock())
    throw Error(fmt::format("the host is set up for measuring by {} already", lock.holder()));
  return lock;
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
                  const fs::path& journal) {
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
  write_journal(sources, journal, kept);
  return restored;
}

}  // namespace

std::vector<HostChange> read_journal(std::string_view text, std::string_view heading) {
  std::vector<HostChange> changes;
  if (!text.starts_with(heading)) return changes;
  text.remove_prefix(heading.size());
  // What has no newline was never followed by the change.
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const auto first = line.find('\t');
    const auto second = first == std::string_view::npos ? first : line.find('\t', first + 1);
    if (second == std::string_view::npos) continue;
    HostChange change{std::string(line.substr(0, first)),
                      std::string(line.substr(first + 1, second - first - 1)),
                      std::string(line.substr(second + 1))};
    if (is_setting_file(change.file) && is_value(change.before) && is_value(change.wanted))
      changes.push_back(std::move(change));
  }
  return changes;
}

PlatformFix::PlatformFix(PlatformSources sources, const fs::path& folder)
    : sources_(std::move(sources)), lock_(locked(folder)), journal_(folder / "platform.journal") {
  leftovers_ = set_back(sources_, changes_in(sources_, journal_), journal_);
  if (!leftovers_.failures.empty()) {
    throw Error(
        fmt::format("an earlier tandem platform --fix was killed, and {}", leftovers_.failures.front()));
  }
  try {
    for (const HostSetting& setting : settings_for_measuring(sources_)) steps_.push_back(set(setting));
  } catch (...) {
    restore();
    throw;
  }
}

FixStep PlatformFix::set(const HostSetting& setting) {
  if (!setting.left_alone.empty()) return {Result::left_alone, setting.name, setting.left_alone};
  std::size_t already = 0;
  std::vector<HostChange> wanted;
  for (const std::string& file : setting.files) {
    const auto before = first_line(sources_, file);
    // Setting one file may take another away, as SMT does with processors.
    if (!before) continue;
    if (*before == setting.wanted) ++already;
    if (*before != setting.wanted) wanted.push_back({file, *before, setting.wanted});
  }
  changes_.insert(changes_.end(), wanted.begin(), wanted.end());
  if (!wanted.empty()) write_journal(sources_, journal_, changes_);
  std::size_t set = 0;
  std::vector<std::string> values_before;
  std::vector<std::string> failures;
  for (const auto& [file, before, value] : wanted) {
    if (const auto wrong = write_value(sources_, file, value); !wrong.empty()) {
      failures.push_back(fmt::format("/{}: {}", file, wrong));
      // Some drivers take a value for a similar one; then it is not what was asked for, nor what was.
      if (first_line(sources_, file) != before) static_cast<void>(write_value(sources_, file, before));
      continue;
    }
    ++set;
    if (std::find(values_before.begin(), values_before.end(), before) == values_before.end())
      values_before.push_back(before);
  }
  FixStep step{set > 0 ? Result::set : Result::already, setting.name, {}};
  const bool is_switch = setting.name == "turbo";  // whose file may say the opposite of its value
  if (set + already > 0) {
    step.said = is_switch ? "off" : setting.wanted;
    if (setting.files.size() > 1) step.said += fmt::format(" on {} processors", set > 0 ? set : already);
    if (set > 0 && !is_switch) step.said += fmt::format(", was {}", fmt::join(values_before, ", "));
  }
  if (failures.empty()) return step;
  step.result = Result::failed;
  if (!step.said.empty()) step.said += "; ";
  step.said += failures.front();
  if (failures.size() > 1) step.said += fmt::format(", and {} more", failures.size() - 1);
  return step;
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
  const fs::path journal = folder / "platform.journal";
  return set_back(sources, changes_in(sources, journal), journal);
}

}  // namespace tandem::runners
