#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "runners/host/findings.hpp"
#include "runners/host/machine_facts.hpp"

namespace tandem::runners {

namespace {

namespace fs = std::filesystem;

constexpr const char* cpus_folder = "sys/devices/system/cpu";

Finding governor_finding(const PlatformSources& sources) {
  Finding finding = unavailable("clock", "governor", 15,
                                "Another governor than performance changes the clock while a slice runs.");
  const auto all = governors(sources);
  if (all.empty()) return finding;
  finding.value = fmt::format("{}", fmt::join(all, ", "));
  const bool steady =
      std::all_of(all.begin(), all.end(), [](const std::string& one) { return one == "performance"; });
  finding.grade = steady ? Grade::good : Grade::poor;
  if (!steady) {
    finding.command = "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
  }
  return finding;
}

Finding turbo_finding(const PlatformSources& sources) {
  Finding finding = unavailable(
      "clock", "turbo", 15, "Above the nominal clock the rate depends on heat and on what other cores do.");
  const auto on = turbo(sources);
  if (!on) return finding;
  finding.value = *on ? "on" : "off";
  finding.grade = *on ? Grade::fair : Grade::good;
  if (!*on) return finding;
  if (first_line(sources, "sys/devices/system/cpu/intel_pstate/no_turbo")) {
    finding.command = "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo";
  } else if (first_line(sources, "sys/devices/system/cpu/cpufreq/boost")) {
    finding.command = "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost";
  } else {
    finding.command = "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/policy*/boost";
  }
  return finding;
}

/// In MHz, of the processors that tell; "2300 to 3900".
std::string range_of(const PlatformSources& sources, const char* file) {
  long long low = std::numeric_limits<long long>::max();
  long long high = 0;
  for (const fs::path& cpu : numbered(sources, cpus_folder, "cpu")) {
    if (const auto khz = number_in(sources, cpu / "cpufreq" / file)) {
      low = std::min(low, *khz / 1000);
      high = std::max(high, *khz / 1000);
    }
  }
  if (high == 0) return "";
  return low == high ? fmt::format("{}", high) : fmt::format("{} to {}", low, high);
}

Finding frequency_finding(const PlatformSources& sources) {
  Finding finding =
      unavailable("clock", "frequency", 0, "The span between least and most is how far the clock can move.");
  const auto driver = first_line(sources, "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver");
  const std::string now = range_of(sources, "scaling_cur_freq");
  const std::string least = range_of(sources, "scaling_min_freq");
  const std::string most = range_of(sources, "scaling_max_freq");
  std::vector<std::string> words;
  if (!now.empty()) words.push_back(fmt::format("{} MHz now", now));
  if (!least.empty()) words.push_back(fmt::format("least {}", least));
  if (!most.empty()) words.push_back(fmt::format("most {}", most));
  if (words.empty()) {
    // Virtual machines have no say in it, but often know the nominal rate.
    const auto mhz = cpuinfo_field(text_of(sources, "proc/cpuinfo").value_or(""), "cpu MHz");
    if (!mhz) return finding;
    words.push_back(fmt::format("{} MHz", mhz->substr(0, mhz->find('.'))));
  }
  if (driver) words.push_back(fmt::format("driver {}", *driver));
  finding.value = fmt::format("{}", fmt::join(words, ", "));
  finding.grade = Grade::good;
  return finding;
}

Finding throttle_finding(const PlatformSources& sources) {
  Finding finding = unavailable("heat", "throttling", 10,
                                "A processor that was too hot has run below its clock, and will again.");
  long long most = -1;
  for (const fs::path& cpu : numbered(sources, cpus_folder, "cpu")) {
    for (const char* file : {"core_throttle_count", "package_throttle_count"}) {
      most = std::max(most, number_in(sources, cpu / "thermal_throttle" / file).value_or(-1));
    }
  }
  if (most < 0) return finding;
  finding.value = most == 0 ? "never since boot" : fmt::format("up to {} times on one core since boot", most);
  finding.grade = most == 0 ? Grade::good : Grade::fair;
  return finding;
}

constexpr long long absurd = 200'000;  // sensors that are not there report such values, or 0 and below

/// The lowest trip point of a zone at which the kernel or the hardware acts, in thousandths of a degree.
std::optional<long long> limit_of(const PlatformSources& sources, const fs::path& zone) {
  std::optional<long long> limit;
  for (int trip = 0; trip < 16; ++trip) {
    const auto kind = first_line(sources, zone / fmt::format("trip_point_{}_type", trip));
    if (!kind) break;
    if (*kind != "critical" && *kind != "hot" && *kind != "passive") continue;
    const auto at = number_in(sources, zone / fmt::format("trip_point_{}_temp", trip));
    if (at && *at > 0 && *at < absurd) limit = std::min(limit.value_or(*at), *at);
  }
  return limit;
}

Finding temperature_finding(const PlatformSources& sources) {
  Finding finding = unavailable("heat", "temperature", 5, "Near its limit a processor lowers its clock.");
  std::optional<long long> least_room;
  std::optional<long long> hottest;
  for (const fs::path& zone : numbered(sources, "sys/class/thermal", "thermal_zone")) {
    const auto now = number_in(sources, zone / "temp");
    if (!now || *now <= 0 || *now >= absurd) continue;
    hottest = std::max(hottest.value_or(*now), *now);
    if (const auto limit = limit_of(sources, zone)) {
      least_room = std::min(least_room.value_or(*limit - *now), *limit - *now);
    }
  }
  if (!hottest) return finding;
  finding.value = fmt::format("{} °C", *hottest / 1000);
  if (!least_room) return finding;
  finding.value += *least_room > 0 ? fmt::format(", {} below the next limit", *least_room / 1000)
                                   : std::string(", at its limit");
  finding.grade = *least_room >= 20'000 ? Grade::good : *least_room >= 8'000 ? Grade::fair : Grade::poor;
  return finding;
}

}  // namespace

std::vector<Finding> clock_findings(const PlatformSources& sources) {
  return {governor_finding(sources), turbo_finding(sources), frequency_finding(sources)};
}

std::vector<Finding> heat_findings(const PlatformSources& sources) {
  return {throttle_finding(sources), temperature_finding(sources)};
}

std::vector<Finding> processor_findings(const PlatformSources& sources, const std::vector<IsaFeature>& isa) {
  const MachineFacts facts = read_machine_facts(sources, {});
  const std::string cpuinfo = text_of(sources, "proc/cpuinfo").value_or("");
  std::vector<Finding> findings = {
      unavailable("processor", "model", 0, "Levels of different models are never compared."),
      unavailable("processor", "instruction sets", 0, "Operators choose their code path by them."),
      unavailable("processor", "microcode", 0, "An update can change speeds, so it breaks the history."),
      unavailable("processor", "virtual machine", 10,
                  "Neighbours on the same hardware take time and caches that nobody here sees.")};
  const auto tell = [&](std::size_t which, const std::optional<std::string>& value) {
    if (!value) return;
    findings[which].value = *value;
    findings[which].grade = Grade::good;
  };
  tell(0, facts.cpu_model);
  if (!isa.empty()) {
    const auto names = present_in(isa);
    tell(1, names.empty() ? "none of those that operators use" : fmt::format("{}", fmt::join(names, " ")));
  }
  tell(2, facts.microcode);
  if (const auto flags = cpuinfo_field(cpuinfo, "flags")) {
    const bool guest = fmt::format(" {} ", *flags).find(" hypervisor ") != std::string::npos;
    findings[3].value = guest ? "yes" : "no";
    findings[3].grade = guest ? Grade::fair : Grade::good;
  }
  return findings;
}

}  // namespace tandem::runners
