#include "runners/platform_settings.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

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

}  // namespace tandem::runners
