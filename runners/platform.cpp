#include "runners/platform.hpp"

#include <cmath>
#include <iterator>
#include <utility>

#include "runners/platform_findings.hpp"

namespace tandem::runners {
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
