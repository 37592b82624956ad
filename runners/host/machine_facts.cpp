#include "runners/host/machine_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "specs/foundation/error.hpp"

namespace tandem::runners {

namespace {

const std::vector<IsaFeature> x86 = {{"SSE4.2", "sse4_2"},
                                     {"AVX", "avx"},
                                     {"AVX2", "avx2"},
                                     {"FMA", "fma"},
                                     {"AVX-512F", "avx512f"},
                                     {"AVX-512CD", "avx512cd"},
                                     {"AVX-512BW", "avx512bw"},
                                     {"AVX-512DQ", "avx512dq"},
                                     {"AVX-512VL", "avx512vl"},
                                     {"AVX-512-VNNI", "avx512_vnni"},
                                     {"AVX-512-BF16", "avx512_bf16"},
                                     {"AVX-512-FP16", "avx512_fp16"},
                                     {"AVX-512-IFMA", "avx512ifma"},
                                     {"AVX-512-VBMI", "avx512vbmi"},
                                     {"AVX-512-VBMI2", "avx512_vbmi2"},
                                     {"AVX-512-BITALG", "avx512_bitalg"},
                                     {"AVX-512-VPOPCNTDQ", "avx512_vpopcntdq"},
                                     {"AVX-VNNI", "avx_vnni"},
                                     {"AMX-TILE", "amx_tile"},
                                     {"AMX-INT8", "amx_int8"},
                                     {"AMX-BF16", "amx_bf16"}};

const std::vector<IsaFeature> arm = {{"NEON", "asimd"},      {"SVE", "sve"},   {"SVE2", "sve2"},
                                     {"DOTPROD", "asimddp"}, {"I8MM", "i8mm"}, {"BF16", "bf16"},
                                     {"SME", "sme"}};

/// Arm's kernel gives numbers instead of a name.
std::optional<std::string> cpu_model(const std::string& cpuinfo) {
  if (auto name = cpuinfo_field(cpuinfo, "model name")) return name;
  const auto implementer = cpuinfo_field(cpuinfo, "CPU implementer");
  const auto part = cpuinfo_field(cpuinfo, "CPU part");
  if (!implementer || !part) return std::nullopt;
  return fmt::format("implementer {} part {}", *implementer, *part);
}

std::string count(std::size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace

std::vector<IsaFeature> read_isa(std::string_view cpuinfo) {
  std::vector<IsaFeature> isa;
  auto flags = cpuinfo_field(cpuinfo, "flags");
  if (flags) {
    isa = x86;
  } else if ((flags = cpuinfo_field(cpuinfo, "Features"))) {
    isa = arm;
  } else {
    return isa;
  }
  std::set<std::string> words;
  std::istringstream list(*flags);
  for (std::string word; list >> word;) words.insert(word == "neon" ? "asimd" : word);
  for (IsaFeature& feature : isa) feature.present = words.contains(feature.flag);
  return isa;
}

std::vector<std::string> present_in(const std::vector<IsaFeature>& isa) {
  std::vector<std::string> names;
  for (const IsaFeature& feature : isa) {
    if (feature.present) names.push_back(feature.name);
  }
  return names;
}

std::string summary(const Topology& topology) {
  if (topology.processors.empty()) return {};
  std::set<int> sockets;
  std::set<int> cores;
  std::set<int> nodes;
  for (const Processor& processor : topology.processors) {
    sockets.insert(processor.socket);
    cores.insert(processor.core);
    nodes.insert(processor.node);
  }
  return fmt::format("{}, {}, {}, {}", count(sockets.size(), "socket"), count(cores.size(), "core"),
                     count(topology.processors.size(), "processor"), count(nodes.size(), "node"));
}

std::optional<double> load_average(const PlatformSources& sources) {
  std::istringstream line(first_line(sources, "proc/loadavg").value_or(""));
  double load = 0;
  return line >> load ? std::optional(load) : std::nullopt;
}

std::optional<CpuTimes> read_cpu_times(const PlatformSources& sources) {
  // user nice system idle iowait irq softirq steal; what guests used is part of `user` already.
  constexpr int steal_field = 7;
  std::istringstream line(first_line(sources, "proc/stat").value_or(""));
  std::string name;
  if (!(line >> name) || name != "cpu") return std::nullopt;
  CpuTimes times;
  double value = 0;
  for (int field = 0; field <= steal_field; ++field) {
    if (!(line >> value)) return std::nullopt;
    times.total += value;
    if (field == steal_field) times.steal = value;
  }
  return times;
}

std::optional<double> steal_share(const CpuTimes& before, const CpuTimes& after) {
  if (!(after.total > before.total)) return std::nullopt;
  // The kernel's counters may step back a little, each for itself.
  return std::clamp((after.steal - before.steal) / (after.total - before.total), 0.0, 1.0);
}

MachineFacts read_machine_facts(const PlatformSources& sources, const Topology& topology) {
  MachineFacts facts;
  const std::string cpuinfo = text_of(sources, "proc/cpuinfo").value_or("");
  facts.kernel = first_line(sources, "proc/sys/kernel/osrelease").value_or("");
  facts.cpu_model = cpu_model(cpuinfo);
  facts.microcode = cpuinfo_field(cpuinfo, "microcode");
  facts.isa = present_in(read_isa(cpuinfo));
  if (const auto all = governors(sources); !all.empty()) {
    facts.governor = fmt::format("{}", fmt::join(all, ", "));
  }
  facts.turbo = turbo(sources);
  if (const auto active = number_in(sources, "sys/devices/system/cpu/smt/active")) facts.smt = *active == 1;
  if (const auto kind = number_in(sources, "proc/sys/kernel/randomize_va_space")) {
    facts.address_randomisation = *kind != 0;
  }
  facts.load = load_average(sources);
  if (const auto times = read_cpu_times(sources)) facts.steal_share = steal_share({}, *times);
  facts.processors =
      static_cast<unsigned>(std::count_if(topology.processors.begin(), topology.processors.end(),
                                          [](const Processor& processor) { return processor.allowed; }));
  if (auto text = summary(topology); !text.empty()) facts.topology = std::move(text);
  return facts;
}

MachineFacts read_machine_facts() {
  Topology topology;
  try {
    topology = read_topology();
  } catch (const Error&) {
    // Told as unavailable, like everything else here that cannot be read.
  }
  return read_machine_facts({}, topology);
}

namespace {

std::string said(const std::optional<std::string>& text) {
  return text && !text->empty() ? *text : "unknown";
}

const char* said(const std::optional<bool>& truth) {
  return !truth ? "unknown" : *truth ? "on" : "off";
}

}  // namespace

std::string host_identity(const MachineFacts& facts) {
  return fmt::format("kernel {}, {}, microcode {}, governor {}, turbo {}, SMT {}, {} processors",
                     facts.kernel.empty() ? "unknown" : facts.kernel, said(facts.cpu_model),
                     said(facts.microcode), said(facts.governor), said(facts.turbo), said(facts.smt),
                     facts.processors);
}

}  // namespace tandem::runners
