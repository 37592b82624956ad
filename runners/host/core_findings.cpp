#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "runners/host/cpu_choice.hpp"
#include "runners/host/findings.hpp"
#include "runners/host/machine_facts.hpp"

namespace tandem::runners {
namespace {

constexpr const char* smt_control = "sys/devices/system/cpu/smt/control";

struct Counts {
  std::set<int> usable_cores;
  std::set<int> cores;
  std::set<int> sockets;
  std::set<int> nodes;
  std::set<int> kinds;
};

Counts core_count(const Topology& topology) {
  Counts counts;
  for (const Processor& processor : topology.processors) {
    counts.cores.insert(processor.core);
    counts.sockets.insert(processor.socket);
    counts.nodes.insert(processor.node);
    counts.kinds.insert(processor.kind);
    if (processor.allowed) counts.usable_cores.insert(processor.core);
  }
  return counts;
}

Finding cores_finding(const Topology& topology, const Counts& counts) {
  Finding finding = unavailable(
      "cores", "cores", 10, "With three cores both sides run at once and the supervisor disturbs neither.");
  if (topology.processors.empty()) return finding;
  const std::size_t usable = counts.usable_cores.size();
  finding.value = usable == counts.cores.size()
                      ? fmt::format("{}", usable)
                      : fmt::format("{} of {} for this process", usable, counts.cores.size());
  if (counts.kinds.size() > 1) finding.value += fmt::format(", of {} kinds", counts.kinds.size());
  finding.grade = usable >= 3 ? Grade::good : usable == 2 ? Grade::fair : Grade::poor;
  return finding;
}

Finding smt_finding(const PlatformSources& sources, const Topology& topology, const Counts& counts) {
  Finding finding = unavailable(
      "cores", "SMT", 10, "What runs on the sibling of a measured processor shares its execution units.");
  const auto control = first_line(sources, smt_control);
  std::optional<bool> active;
  if (const auto said = number_in(sources, "sys/devices/system/cpu/smt/active")) {
    active = *said == 1;
  } else if (!topology.processors.empty()) {
    active = topology.processors.size() > counts.cores.size();
  }
  if (!active) return finding;
  finding.value = *active ? "on" : control == "notsupported" ? "none" : "off";
  finding.grade = *active ? Grade::fair : Grade::good;
  if (*active && control == "on") finding.command = fmt::format("echo off | sudo tee /{}", smt_control);
  return finding;
}

Finding isolated_finding(const PlatformSources& sources, const Topology& topology, const Counts& counts) {
  Finding finding =
      unavailable("cores", "isolated cores", 10,
                  "The kernel puts nothing else on isolated processors, so nothing interrupts there.");
  const auto online = first_line(sources, "sys/devices/system/cpu/online");
  std::vector<int> isolated;
  if (const auto list = first_line(sources, "sys/devices/system/cpu/isolated")) {
    isolated = parse_cpu_list(*list);
  } else if (!online) {
    return finding;  // An empty list is an empty file; only where there are no such files at all nothing is
                     // known.
  }
  finding.value = isolated.empty() ? "none" : cpu_list(isolated);
  finding.grade = isolated.size() >= 2 ? Grade::good : Grade::fair;
  if (isolated.size() < 2 && counts.usable_cores.size() >= 3) {
    std::vector<int> wanted;
    for (const auto& side : choose_cpus(topology).duet) wanted.insert(wanted.end(), side.begin(), side.end());
    finding.command = fmt::format(
        "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&isolcpus={} /' /etc/default/grub && sudo update-grub",
        cpu_list(std::move(wanted)));
  }
  return finding;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
  return bytes >= mebibyte && bytes % mebibyte == 0 ? fmt::format("{} MiB", bytes / mebibyte)
                                                    : fmt::format("{} KiB", bytes / 1024);
}

std::string caches_text(const std::vector<Cache>& caches) {
  std::vector<std::string> words;
  for (const Cache& cache : caches) {
    const std::string kind = cache.kind == "unified" ? "" : cache.kind == "data" ? "d" : "i";
    words.push_back(fmt::format("L{}{} {}", cache.level, kind, size_text(cache.bytes)));
    if (cache.shared_by > 1) words.back() += fmt::format(" for {} processors", cache.shared_by);
  }
  return words.empty() ? "unavailable" : fmt::format("{}", fmt::join(words, ", "));
}

std::string choice_text(const Topology& topology) {
  const CpuChoice choice = choose_cpus(topology);
  if (choice.measured.empty()) return "unavailable";
  std::string text = fmt::format("measured {}", cpu_list(choice.measured));
  if (!choice.duet[0].empty()) {
    text += fmt::format("; duet {} and {}", cpu_list(choice.duet[0]), cpu_list(choice.duet[1]));
  }
  return text + (choice.supervisor.empty() ? "; the supervisor shares it"
                                           : fmt::format("; supervisor {}", cpu_list(choice.supervisor)));
}

}  // namespace

std::string cpu_list(std::vector<int> cpus) {
  std::sort(cpus.begin(), cpus.end());
  std::string text;
  for (std::size_t at = 0; at < cpus.size();) {
    std::size_t last = at;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == at ? fmt::format("{}", cpus[at]) : fmt::format("{}-{}", cpus[at], cpus[last]);
    at = last + 1;
  }
  return text;
}

std::vector<Finding> core_findings(const PlatformSources& sources, const Topology& topology) {
  const Counts counts = core_count(topology);
  const auto number = [&](std::size_t many) {
    return topology.processors.empty() ? std::string("unavailable") : fmt::format("{}", many);
  };
  std::vector<Finding> findings = {
      cores_finding(topology, counts),
      smt_finding(sources, topology, counts),
      isolated_finding(sources, topology, counts),
      told("cores", "sockets", number(counts.sockets.size()), "Both sides are kept on one socket."),
      told("cores", "NUMA nodes", number(counts.nodes.size()),
           "Both sides are kept on one node, because memory of another is slower."),
      told("cores", "caches", caches_text(topology.caches),
           "A working set that just fits is sensitive to where its memory lies."),
      told("cores", "chosen", choice_text(topology),
           "Processors that Tandem measures on, by the kernel's numbers.")};
  for (Finding& finding : findings) {
    if (finding.value == "unavailable") finding.grade = Grade::unknown;
  }
  return findings;
}

}  // namespace tandem::runners
