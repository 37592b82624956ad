#include "runners/host/platform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "runners/host/cpu_choice.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;

struct Host {
  const PlatformSources& sources;
  const HostTrials& trials;
  MachineFacts facts;
  std::string cpuinfo;
  std::vector<IsaFeature> isa;
  std::set<int> cores, usable_cores, sockets, nodes, kinds;

  Host(const PlatformSources& from, const HostTrials& tried)
      : sources(from),
        trials(tried),
        facts(read_machine_facts(from, tried.topology)),
        cpuinfo(text_of(from, "proc/cpuinfo").value_or("")),
        isa(read_isa(cpuinfo)) {
    for (const Processor& processor : trials.topology.processors) {
      cores.insert(processor.core);
      sockets.insert(processor.socket);
      nodes.insert(processor.node);
      kinds.insert(processor.kind);
      if (processor.allowed) usable_cores.insert(processor.core);
    }
  }
};

/// What is found, and how good it is for measuring.
struct Reading {
  std::string value;
  Grade grade = Grade::good;
  std::string command = {};
};
using Read = std::optional<Reading>;  ///< nothing: it cannot be read

Read told(const std::optional<std::string>& value) {
  return value && !value->empty() ? Read(Reading{*value}) : std::nullopt;
}

Read instruction_sets(const Host& host) {
  if (host.isa.empty()) return std::nullopt;
  const auto names = present_in(host.isa);
  return Reading{names.empty() ? "none of those that operators use"
                               : fmt::format("{}", fmt::join(names, " "))};
}

Read virtual_machine(const Host& host) {
  const auto flags = cpuinfo_field(host.cpuinfo, "flags");
  if (!flags) return std::nullopt;
  if (fmt::format(" {} ", *flags).find(" hypervisor ") == std::string::npos) return Reading{"no"};
  return Reading{"yes", Grade::fair};
}

Read cores(const Host& host) {
  if (host.cores.empty()) return std::nullopt;
  const std::size_t usable = host.usable_cores.size();
  std::string value = fmt::format("{}", usable);
  if (usable != host.cores.size()) value += fmt::format(" of {} for this process", host.cores.size());
  if (host.kinds.size() > 1) value += fmt::format(", of {} kinds", host.kinds.size());
  return Reading{value, usable >= 3 ? Grade::good : usable == 2 ? Grade::fair : Grade::poor};
}

Read smt(const Host& host) {
  const auto control = first_line(host.sources, "sys/devices/system/cpu/smt/control");
  std::optional<bool> active = host.facts.smt;
  if (!active && !host.cores.empty()) active = host.trials.topology.processors.size() > host.cores.size();
  if (!active) return std::nullopt;
  if (!*active) return Reading{control == "notsupported" ? "none" : "off"};
  return Reading{"on", Grade::fair,
                 control == "on" ? "echo off | sudo tee /sys/devices/system/cpu/smt/control" : ""};
}

Read isolated_cores(const Host& host) {
  // An empty list is an empty file; only where there are no such files at all nothing is known.
  const auto list = first_line(host.sources, "sys/devices/system/cpu/isolated");
  if (!list && !first_line(host.sources, "sys/devices/system/cpu/online")) return std::nullopt;
  const std::vector<int> isolated = parse_cpu_list(list.value_or(""));
  const std::string value = isolated.empty() ? "none" : cpu_list(isolated);
  if (isolated.size() >= 2) return Reading{value};
  if (host.usable_cores.size() < 3) return Reading{value, Grade::fair};
  std::vector<int> wanted;
  for (const auto& side : choose_cpus(host.trials.topology).duet)
    wanted.insert(wanted.end(), side.begin(), side.end());
  return Reading{
      value, Grade::fair,
      fmt::format(
          "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&isolcpus={} /' /etc/default/grub && sudo update-grub",
          cpu_list(std::move(wanted)))};
}

Read number_of(const std::set<int>& things) {
  return things.empty() ? std::nullopt : Read(Reading{fmt::format("{}", things.size())});
}

Read caches(const Host& host) {
  constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
  std::vector<std::string> words;
  for (const Cache& cache : host.trials.topology.caches) {
    const bool whole = cache.bytes >= mebibyte && cache.bytes % mebibyte == 0;
    words.push_back(fmt::format("L{}{} {} {}", cache.level,
                                cache.kind == "unified" ? ""
                                : cache.kind == "data"  ? "d"
                                                        : "i",
                                cache.bytes / (whole ? mebibyte : 1024), whole ? "MiB" : "KiB"));
    if (cache.shared_by > 1) words.back() += fmt::format(" for {} processors", cache.shared_by);
  }
  return told(fmt::format("{}", fmt::join(words, ", ")));
}

Read chosen(const Host& host) {
  const CpuChoice choice = choose_cpus(host.trials.topology);
  if (choice.measured.empty()) return std::nullopt;
  std::string text = fmt::format("measured {}", cpu_list(choice.measured));
  if (!choice.duet[0].empty())
    text += fmt::format("; duet {} and {}", cpu_list(choice.duet[0]), cpu_list(choice.duet[1]));
  return Reading{text + (choice.supervisor.empty()
                             ? "; the supervisor shares it"
                             : fmt::format("; supervisor {}", cpu_list(choice.supervisor)))};
}

Read governor(const Host& host) {
  if (!host.facts.governor) return std::nullopt;
  if (*host.facts.governor == "performance") return Reading{"performance"};
  return Reading{*host.facts.governor, Grade::poor,
                 "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"};
}

Read turbo_clock(const Host& host) {
  if (!host.facts.turbo) return std::nullopt;
  if (!*host.facts.turbo) return Reading{"off"};
  for (const auto& [off, file] : {std::pair{1, "intel_pstate/no_turbo"}, {0, "cpufreq/boost"}}) {
    if (first_line(host.sources, fs::path("sys/devices/system/cpu") / file))
      return Reading{"on", Grade::fair,
                     fmt::format("echo {} | sudo tee /sys/devices/system/cpu/{}", off, file)};
  }
  return Reading{"on", Grade::fair, "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/policy*/boost"};
}

Read frequency(const Host& host) {
  const std::string now = clock_range(host.sources, "scaling_cur_freq");
  const std::string least = clock_range(host.sources, "scaling_min_freq");
  const std::string most = clock_range(host.sources, "scaling_max_freq");
  std::vector<std::string> words;
  if (!now.empty()) words.push_back(fmt::format("{} MHz now", now));
  if (!least.empty()) words.push_back(fmt::format("least {}", least));
  if (!most.empty()) words.push_back(fmt::format("most {}", most));
  if (words.empty()) {
    // Virtual machines have no say in it, but often know the nominal rate.
    const auto mhz = cpuinfo_field(host.cpuinfo, "cpu MHz");
    if (!mhz) return std::nullopt;
    words.push_back(fmt::format("{} MHz", mhz->substr(0, mhz->find('.'))));
  }
  if (const auto driver = first_line(host.sources, "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"))
    words.push_back(fmt::format("driver {}", *driver));
  return Reading{fmt::format("{}", fmt::join(words, ", "))};
}

Read throttling(const Host& host) {
  const auto most = most_throttled(host.sources);
  if (!most) return std::nullopt;
  if (*most == 0) return Reading{"never since boot"};
  return Reading{fmt::format("up to {} times on one core since boot", *most), Grade::fair};
}

Read temperature(const Host& host) {
  const auto [hottest, least_room] = read_heat(host.sources);
  if (!hottest) return std::nullopt;
  const std::string value = fmt::format("{} °C", *hottest / 1000);
  if (!least_room) return Reading{value, Grade::unknown};
  return Reading{value + (*least_room > 0 ? fmt::format(", {} below the next limit", *least_room / 1000)
                                          : ", at its limit"),
                 *least_room >= 20'000  ? Grade::good
                 : *least_room >= 8'000 ? Grade::fair
                                        : Grade::poor};
}

Read address_randomisation(const Host& host) {
  const auto kind = number_in(host.sources, "proc/sys/kernel/randomize_va_space");
  if (!kind) return std::nullopt;
  if (*kind >= 2) return Reading{"full"};
  return Reading{*kind == 1 ? "partial" : "off", *kind == 1 ? Grade::fair : Grade::poor,
                 "sudo sysctl -w kernel.randomize_va_space=2"};
}

Read swap_space(const Host& host) {
  const auto swap = read_swap(host.sources);
  if (!swap) return std::nullopt;
  const auto [size_kib, used_kib] = *swap;
  if (size_kib == 0) return Reading{"none"};
  if (used_kib == 0) return Reading{fmt::format("{} MiB, unused", size_kib / 1024)};
  return Reading{fmt::format("{} of {} MiB used", (used_kib + 1023) / 1024, size_kib / 1024), Grade::fair,
                 "sudo swapoff -a"};
}

/// The word in brackets: "always [madvise] never".
Read huge_pages(const Host& host) {
  const auto line = first_line(host.sources, "sys/kernel/mm/transparent_hugepage/enabled").value_or("");
  const auto open = line.find('[');
  const auto close = line.find(']', open);
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  const std::string value = line.substr(open + 1, close - open - 1);
  if (value != "always") return Reading{value};
  return Reading{value, Grade::fair, "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"};
}

Read load(const Host& host) {
  if (!host.facts.load) return std::nullopt;
  const double per_core = *host.facts.load / static_cast<double>(std::max<std::size_t>(1, host.cores.size()));
  return Reading{fmt::format("{:.2f} in the last minute", *host.facts.load), per_core <= 0.1   ? Grade::good
                                                                             : per_core <= 0.5 ? Grade::fair
                                                                                               : Grade::poor};
}

Read steal(const Host& host) {
  if (!host.trials.steal_share) return std::nullopt;
  const double share = *host.trials.steal_share;
  return Reading{fmt::format("{:.1f} %", share * 100), share <= 0.001  ? Grade::good
                                                       : share <= 0.01 ? Grade::fair
                                                                       : Grade::poor};
}

constexpr const char* allow_counting = "sudo sysctl -w kernel.perf_event_paranoid=1";

Read paranoid(const Host& host) {
  const auto level = number_in(host.sources, "proc/sys/kernel/perf_event_paranoid");
  if (!level) return std::nullopt;
  if (*level <= 1) return Reading{fmt::format("{}", *level)};
  return Reading{fmt::format("{}", *level), *level == 2 ? Grade::fair : Grade::poor, allow_counting};
}

Read counters(const Host& host) {
  switch (host.trials.counters) {
    case HostTrials::Counters::counts:
      return Reading{"usable"};
    case HostTrials::Counters::no_permission:
      return Reading{"not permitted", Grade::poor, allow_counting};
    case HostTrials::Counters::no_hardware:
      return Reading{"none here", Grade::fair};
    case HostTrials::Counters::counts_nothing:
      return Reading{"open but count nothing", Grade::poor};
    case HostTrials::Counters::untried:
      break;
  }
  return std::nullopt;
}

const HostTrials::Tool* find_tool(const Host& host, std::string_view program) {
  for (const HostTrials::Tool& one : host.trials.tools) {
    if (one.name == program) return &one;
  }
  return nullptr;
}

Read tool(const Host& host, const char* program, const char* package, Grade missing) {
  const HostTrials::Tool* found = find_tool(host, program);
  if (found == nullptr) return std::nullopt;
  if (!found->version)
    return Reading{"not installed", missing, fmt::format("sudo apt-get install -y {}", package)};
  return Reading{found->version->empty() ? "installed" : *found->version};
}

Read linker(const Host& host, const char* program, const char* package) {
  const auto has = [&](const char* name) {
    const HostTrials::Tool* one = find_tool(host, name);
    return one != nullptr && one->version;
  };
  // Either linker is enough where all programs are linked with it.
  return tool(host, program, package, has("mold") || has("ld.lld") ? Grade::fair : Grade::poor);
}

Read sandbox(const Host& host) {
  Read reading = tool(host, "bwrap", "bubblewrap", Grade::poor);
  const auto& fault = host.trials.sandbox_fault;
  if (reading && reading->grade == Grade::good && fault && !fault->empty())
    return Reading{fmt::format("{}, unusable: {}", reading->value, *fault), Grade::poor};
  return reading;
}

/// One row for each finding, in groups; the thresholds stand in the function that reads it.
struct FindingRow {
  const char* group;
  const char* name;
  int weight;  ///< in the score; 0: only told
  Read (*read)(const Host& host);
  const char* why;  ///< it matters
};
constexpr FindingRow finding_rows[] = {
    {"processor", "model", 0, [](const Host& host) { return told(host.facts.cpu_model); },
     "Levels of different models are never compared."},
    {"processor", "instruction sets", 0, instruction_sets, "Operators choose their code path by them."},
    {"processor", "microcode", 0, [](const Host& host) { return told(host.facts.microcode); },
     "An update can change speeds, so it breaks the history."},
    {"processor", "virtual machine", 10, virtual_machine,
     "Neighbours on the same hardware take time and caches that nobody here sees."},
    {"cores", "cores", 10, cores,
     "With three cores both sides run at once and the supervisor disturbs neither."},
    {"cores", "SMT", 10, smt, "What runs on the sibling of a measured processor shares its execution units."},
    {"cores", "isolated cores", 10, isolated_cores,
     "The kernel puts nothing else on isolated processors, so nothing interrupts there."},
    {"cores", "sockets", 0, [](const Host& host) { return number_of(host.sockets); },
     "Both sides are kept on one socket."},
    {"cores", "NUMA nodes", 0, [](const Host& host) { return number_of(host.nodes); },
     "Both sides are kept on one node, because memory of another is slower."},
    {"cores", "caches", 0, caches, "A working set that just fits is sensitive to where its memory lies."},
    {"cores", "chosen", 0, chosen, "Processors that Tandem measures on, by the kernel's numbers."},
    {"clock", "governor", 15, governor,
     "Another governor than performance changes the clock while a slice runs."},
    {"clock", "turbo", 15, turbo_clock,
     "Above the nominal clock the rate depends on heat and on what other cores do."},
    {"clock", "frequency", 0, frequency, "The span between least and most is how far the clock can move."},
    {"heat", "throttling", 10, throttling,
     "A processor that was too hot has run below its clock, and will again."},
    {"heat", "temperature", 5, temperature, "Near its limit a processor lowers its clock."},
    {"kernel", "release", 0, [](const Host& host) { return told(host.facts.kernel); },
     "A new kernel can change speeds, so it breaks the history."},
    {"kernel", "address randomisation", 5, address_randomisation,
     "Without it every launch repeats one placement of memory, fast or slow."},
    {"kernel", "swap", 5, swap_space, "A page that comes back from disk costs more than most changes."},
    {"kernel", "transparent huge pages", 5, huge_pages,
     "With always, the kernel merges pages of a running program when it sees fit."},
    {"kernel", "load", 10, load, "Every other busy program takes processor time, caches and bandwidth."},
    {"kernel", "steal", 15, steal,
     "The hypervisor gave this share of the time to others in the middle of slices."},
    {"counters", "perf_event_paranoid", 5, paranoid,
     "It decides what users other than root may count and profile."},
    {"counters", "hardware counters", 10, counters,
     "Counted instructions hardly vary, so they explain a change that time only shows."},
    {"tools", "bubblewrap", 10, sandbox, "Builds and benchmarks are other people's code; it locks them in."},
    {"tools", "mold", 5, [](const Host& host) { return linker(host, "mold", "mold"); },
     "It links a build again with another layout in one call."},
    {"tools", "lld", 5, [](const Host& host) { return linker(host, "ld.lld", "lld"); },
     "It does so for builds that link with lld."},
    {"tools", "valgrind", 3, [](const Host& host) { return tool(host, "valgrind", "valgrind", Grade::fair); },
     "It counts instructions where the hardware does not."},
    {"tools", "perf", 3, [](const Host& host) { return tool(host, "perf", "linux-perf", Grade::fair); },
     "It says in which functions a regression spends its time."},
    {"tools", "ccache", 3, [](const Host& host) { return tool(host, "ccache", "ccache", Grade::fair); },
     "Neighbouring commits build in a fraction of the time."},
};

struct NamedGrade {
  const char* name;
  double points;
};
constexpr NamedGrade grades[] = {{"good", 1}, {"fair", 0.5}, {"poor", 0}, {"unknown", 0}};

}  // namespace

const char* name_of(Grade grade) {
  return grades[static_cast<std::size_t>(grade)].name;
}

std::optional<int> readiness(const std::vector<Finding>& findings) {
  double weight = 0;
  double sum = 0;
  for (const Finding& finding : findings) {
    if (finding.grade == Grade::unknown) continue;
    weight += finding.weight;
    sum += finding.weight * grades[static_cast<std::size_t>(finding.grade)].points;
  }
  if (weight <= 0) return std::nullopt;
  return static_cast<int>(std::lround(100 * sum / weight));
}

Platform assess_platform(const PlatformSources& sources, HostTrials trials) {
  Platform platform;
  const Host host(sources, trials);
  for (const FindingRow& row : finding_rows) {
    const Reading reading = row.read(host).value_or(Reading{"unavailable", Grade::unknown});
    platform.findings.push_back(
        {row.group, row.name, reading.value, reading.grade, row.weight, row.why, reading.command});
  }
  platform.isa = host.isa;
  platform.score = readiness(platform.findings);
  platform.topology = std::move(trials.topology);
  return platform;
}

}  // namespace tandem::runners
