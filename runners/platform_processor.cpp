#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runners/machine_facts.hpp"
#include "runners/platform_findings.hpp"

namespace tandem::runners {

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
