#include "runners/machine_facts.hpp"

#include <sys/utsname.h>

#include <fstream>
#include <sstream>

#include "runners/cpu_choice.hpp"

namespace tandem::runners {
namespace {

std::optional<std::string> first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line.empty()) return std::nullopt;
  return line;
}

/// The value of a field of the first processor in /proc/cpuinfo.
std::optional<std::string> cpuinfo(const std::string& field) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const auto colon = line.find(": ");
    if (line.starts_with(field) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return std::nullopt;
}

std::optional<double> steal_share() {
  std::ifstream file("/proc/stat");
  std::string name;
  if (!(file >> name) || name != "cpu") return std::nullopt;
  double total = 0;
  double steal = 0;
  double value = 0;
  for (int field = 0; field < 8 && file >> value; ++field) {
    total += value;
    if (field == 7) steal = value;
  }
  return total > 0 ? std::optional(steal / total) : std::nullopt;
}

}  // namespace

MachineFacts read_machine_facts() {
  MachineFacts facts;
  if (utsname name{}; ::uname(&name) == 0) facts.kernel = name.release;
  facts.cpu_model = cpuinfo("model name");
  facts.microcode = cpuinfo("microcode");
  facts.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (const auto text = first_line("/sys/devices/system/cpu/intel_pstate/no_turbo"))
    facts.turbo = *text == "0";
  if (const auto text = first_line("/sys/devices/system/cpu/cpufreq/boost")) facts.turbo = *text == "1";
  if (const auto text = first_line("/sys/devices/system/cpu/smt/active")) facts.smt = *text == "1";
  if (const auto text = first_line("/proc/sys/kernel/randomize_va_space")) {
    facts.address_randomisation = *text != "0";
  }
  if (const auto text = first_line("/proc/loadavg")) {
    double load = 0;
    if (std::stringstream(*text) >> load) facts.load = load;
  }
  facts.steal_share = steal_share();
  facts.processors = static_cast<unsigned>(choose_cpus().all.size());
  return facts;
}

}  // namespace tandem::runners
