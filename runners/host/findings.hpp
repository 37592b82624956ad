#pragma once

#include <string>
#include <vector>

#include "runners/host/platform.hpp"

// How each group of findings is read and graded; the thresholds stand beside what they judge. Used by
// platform.cpp only.
namespace tandem::runners {

[[nodiscard]] std::vector<Finding> processor_findings(const PlatformSources& sources,
                                                      const std::vector<IsaFeature>& isa);
[[nodiscard]] std::vector<Finding> core_findings(const PlatformSources& sources, const Topology& topology);
[[nodiscard]] std::vector<Finding> clock_findings(const PlatformSources& sources);
[[nodiscard]] std::vector<Finding> heat_findings(const PlatformSources& sources);
[[nodiscard]] std::vector<Finding> kernel_findings(const PlatformSources& sources, const HostTrials& trials);
[[nodiscard]] std::vector<Finding> tool_findings(const HostTrials& trials);

/// "1-3,7", as the kernel writes lists.
[[nodiscard]] std::string cpu_list(std::vector<int> cpus);

/// A finding that cannot be read; the others start from it.
[[nodiscard]] inline Finding unavailable(const char* group, const char* name, int weight, const char* why) {
  return {group, name, "unavailable", Grade::unknown, weight, why, ""};
}

/// A value that is told and not graded.
[[nodiscard]] inline Finding told(const char* group, const char* name, std::string value, const char* why) {
  return {group, name, std::move(value), Grade::good, 0, why, ""};
}

}  // namespace tandem::runners
