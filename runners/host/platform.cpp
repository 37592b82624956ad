#include "runners/host/platform.hpp"

#include <cmath>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "runners/host/findings.hpp"
#include "runners/host/sources.hpp"

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

namespace {

double points(Grade grade) {
  return grade == Grade::good ? 1.0 : grade == Grade::fair ? 0.5 : 0.0;
}

}  // namespace

const char* name_of(Grade grade) {
  switch (grade) {
    case Grade::good:
      return "good";
    case Grade::fair:
      return "fair";
    case Grade::poor:
      return "poor";
    case Grade::unknown:
      return "unknown";
  }
  return "unknown";
}

std::optional<int> readiness(const std::vector<Finding>& findings) {
  double weight = 0;
  double sum = 0;
  for (const Finding& finding : findings) {
    if (finding.grade == Grade::unknown) continue;
    weight += finding.weight;
    sum += finding.weight * points(finding.grade);
  }
  if (weight <= 0) return std::nullopt;
  return static_cast<int>(std::lround(100 * sum / weight));
}

Platform assess_platform(const PlatformSources& sources, HostTrials trials) {
  Platform platform;
  platform.isa = read_isa(text_of(sources, "proc/cpuinfo").value_or(""));
  const auto add = [&](std::vector<Finding> some) {
    std::move(some.begin(), some.end(), std::back_inserter(platform.findings));
  };
  add(processor_findings(sources, platform.isa));
  add(core_findings(sources, trials.topology));
  add(clock_findings(sources));
  add(heat_findings(sources));
  add(kernel_findings(sources, trials));
  add(tool_findings(trials));
  platform.score = readiness(platform.findings);
  platform.topology = std::move(trials.topology);
  return platform;
}

}  // namespace tandem::runners
