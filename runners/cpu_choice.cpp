#include "runners/cpu_choice.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace tandem::runners {
namespace {

std::vector<int> allowed() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

void move_to(const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  // Where the host forbids it the supervisor stays where it is; the pairs see the same disturbance on both
  // sides.
  static_cast<void>(::sched_setaffinity(0, sizeof set, &set));
}

/// The kernel's list format: "1,3-5".
std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> cpus;
  std::stringstream list(text);
  for (std::string range; std::getline(list, range, ',');) {
    int first = 0;
    int last = 0;
    char dash = 0;
    std::stringstream numbers(range);
    if (!(numbers >> first)) continue;
    if (!(numbers >> dash >> last)) last = first;
    for (int cpu = first; cpu <= last && cpu < CPU_SETSIZE; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace

CpuChoice choose_cpus() {
  CpuChoice choice;
  choice.all = allowed();
  if (choice.all.empty()) return choice;
  std::ifstream file("/sys/devices/system/cpu/isolated");
  std::string text;
  std::getline(file, text);
  const std::vector<int> isolated = parse_cpu_list(text);
  choice.measured = {isolated.empty() ? choice.all.back() : isolated.front()};
  for (const int cpu : choice.all) {
    if (cpu != choice.measured.front()) choice.supervisor.push_back(cpu);
  }
  return choice;
}

SupervisorPlace::SupervisorPlace(const CpuChoice& choice) : before_(allowed()) {
  move_to(choice.supervisor);
}

SupervisorPlace::~SupervisorPlace() {
  move_to(before_);
}

}  // namespace tandem::runners
