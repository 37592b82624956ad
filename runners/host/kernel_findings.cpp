#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "runners/host/findings.hpp"
#include "runners/host/machine_facts.hpp"

namespace tandem::runners {

namespace {

Finding aslr_finding(const PlatformSources& sources) {
  Finding finding = unavailable("kernel", "address randomisation", 5,
                                "Without it every launch repeats one placement of memory, fast or slow.");
  const auto kind = number_in(sources, "proc/sys/kernel/randomize_va_space");
  if (!kind) return finding;
  finding.value = *kind >= 2 ? "full" : *kind == 1 ? "partial" : "off";
  finding.grade = *kind >= 2 ? Grade::good : *kind == 1 ? Grade::fair : Grade::poor;
  if (*kind < 2) finding.command = "sudo sysctl -w kernel.randomize_va_space=2";
  return finding;
}

Finding swap_finding(const PlatformSources& sources) {
  Finding finding =
      unavailable("kernel", "swap", 5, "A page that comes back from disk costs more than most changes.");
  const auto text = text_of(sources, "proc/swaps");
  if (!text) return finding;
  std::istringstream lines(*text);
  std::string line;
  std::getline(lines, line);  // the headings
  long long size_kib = 0;
  long long used_kib = 0;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string file;
    std::string type;
    long long size = 0;
    long long used = 0;
    if (!(fields >> file >> type >> size >> used)) continue;
    size_kib += std::clamp(size, 0LL, 1LL << 50);
    used_kib += std::clamp(used, 0LL, 1LL << 50);
  }
  finding.value = size_kib == 0 ? "none"
                  : used_kib == 0
                      ? fmt::format("{} MiB, unused", size_kib / 1024)
                      : fmt::format("{} of {} MiB used", (used_kib + 1023) / 1024, size_kib / 1024);
  finding.grade = used_kib == 0 ? Grade::good : Grade::fair;
  if (used_kib > 0) finding.command = "sudo swapoff -a";
  return finding;
}

/// The word in brackets: "always [madvise] never".
Finding huge_pages_finding(const PlatformSources& sources) {
  Finding finding =
      unavailable("kernel", "transparent huge pages", 5,
                  "With always, the kernel merges pages of a running program when it sees fit.");
  const auto line = first_line(sources, "sys/kernel/mm/transparent_hugepage/enabled");
  if (!line) return finding;
  const auto open = line->find('[');
  const auto close = line->find(']', open);
  if (open == std::string::npos || close == std::string::npos) return finding;
  finding.value = line->substr(open + 1, close - open - 1);
  finding.grade = finding.value == "always" ? Grade::fair : Grade::good;
  if (finding.value == "always") {
    finding.command = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled";
  }
  return finding;
}

Finding load_finding(const PlatformSources& sources, const Topology& topology) {
  Finding finding = unavailable("kernel", "load", 10,
                                "Every other busy program takes processor time, caches and bandwidth.");
  std::set<int> cores;
  for (const Processor& processor : topology.processors) cores.insert(processor.core);
  const auto load = load_average(sources);
  if (!load) return finding;
  finding.value = fmt::format("{:.2f} in the last minute", *load);
  const double per_core = *load / static_cast<double>(std::max<std::size_t>(1, cores.size()));
  finding.grade = per_core <= 0.1 ? Grade::good : per_core <= 0.5 ? Grade::fair : Grade::poor;
  return finding;
}

Finding steal_finding(const HostTrials& trials) {
  Finding finding = unavailable(
      "kernel", "steal", 15, "The hypervisor gave this share of the time to others in the middle of slices.");
  if (!trials.steal_share) return finding;
  const double share = *trials.steal_share;
  finding.value = fmt::format("{:.1f} %", share * 100);
  finding.grade = share <= 0.001 ? Grade::good : share <= 0.01 ? Grade::fair : Grade::poor;
  return finding;
}

Finding paranoid_finding(const PlatformSources& sources) {
  Finding finding = unavailable("counters", "perf_event_paranoid", 5,
                                "It decides what users other than root may count and profile.");
  const auto level = number_in(sources, "proc/sys/kernel/perf_event_paranoid");
  if (!level) return finding;
  finding.value = fmt::format("{}", *level);
  finding.grade = *level <= 1 ? Grade::good : *level == 2 ? Grade::fair : Grade::poor;
  if (*level > 1) finding.command = "sudo sysctl -w kernel.perf_event_paranoid=1";
  return finding;
}

Finding counters_finding(const HostTrials& trials) {
  Finding finding =
      unavailable("counters", "hardware counters", 10,
                  "Counted instructions hardly vary, so they explain a change that time only shows.");
  switch (trials.counters) {
    case HostTrials::Counters::counts:
      finding.value = "usable";
      finding.grade = Grade::good;
      break;
    case HostTrials::Counters::no_permission:
      finding.value = "not permitted";
      finding.grade = Grade::poor;
      finding.command = "sudo sysctl -w kernel.perf_event_paranoid=1";
      break;
    case HostTrials::Counters::no_hardware:
      finding.value = "none here";
      finding.grade = Grade::fair;
      break;
    case HostTrials::Counters::counts_nothing:
      finding.value = "open but count nothing";
      finding.grade = Grade::poor;
      break;
    case HostTrials::Counters::untried:
      break;
  }
  return finding;
}

}  // namespace

std::vector<Finding> kernel_findings(const PlatformSources& sources, const HostTrials& trials) {
  Finding release =
      unavailable("kernel", "release", 0, "A new kernel can change speeds, so it breaks the history.");
  if (const auto name = first_line(sources, "proc/sys/kernel/osrelease")) {
    release.value = *name;
    release.grade = Grade::good;
  }
  return {release,
          aslr_finding(sources),
          swap_finding(sources),
          huge_pages_finding(sources),
          load_finding(sources, trials.topology),
          steal_finding(trials),
          paranoid_finding(sources),
          counters_finding(trials)};
}

namespace {

struct Row {
  const char* program;
  const char* name;
  const char* package;
  int weight;
  Grade missing;
  const char* why;
};

Finding tool_finding(const Row& row, const HostTrials& trials) {
  Finding finding = unavailable("tools", row.name, row.weight, row.why);
  const auto tool = std::find_if(trials.tools.begin(), trials.tools.end(),
                                 [&](const HostTrials::Tool& one) { return one.name == row.program; });
  if (tool == trials.tools.end()) return finding;
  finding.grade = tool->version ? Grade::good : row.missing;
  finding.value = !tool->version ? "not installed" : tool->version->empty() ? "installed" : *tool->version;
  if (!tool->version) finding.command = fmt::format("sudo apt-get install -y {}", row.package);
  return finding;
}

}  // namespace

std::vector<Finding> tool_findings(const HostTrials& trials) {
  const auto has = [&](const char* name) {
    return std::any_of(trials.tools.begin(), trials.tools.end(),
                       [&](const HostTrials::Tool& one) { return one.name == name && one.version; });
  };
  // Either linker is enough where all programs are linked with it.
  const Grade one_linker = has("mold") || has("ld.lld") ? Grade::fair : Grade::poor;
  const Row rows[] = {
      {"bwrap", "bubblewrap", "bubblewrap", 10, Grade::poor,
       "Builds and benchmarks are other people's code; it locks them in."},
      {"mold", "mold", "mold", 5, one_linker, "It links a build again with another layout in one call."},
      {"ld.lld", "lld", "lld", 5, one_linker, "It does so for builds that link with lld."},
      {"valgrind", "valgrind", "valgrind", 3, Grade::fair,
       "It counts instructions where the hardware does not."},
      {"perf", "perf", "linux-perf", 3, Grade::fair,
       "It says in which functions a regression spends its time."},
      {"ccache", "ccache", "ccache", 3, Grade::fair,
       "Neighbouring commits build in a fraction of the time."}};
  std::vector<Finding> findings;
  for (const Row& row : rows) findings.push_back(tool_finding(row, trials));
  Finding& sandbox = findings.front();
  if (sandbox.grade == Grade::good && trials.sandbox_fault && !trials.sandbox_fault->empty()) {
    sandbox.value += ", unusable: " + *trials.sandbox_fault;
    sandbox.grade = Grade::poor;
  }
  return findings;
}

}  // namespace tandem::runners
