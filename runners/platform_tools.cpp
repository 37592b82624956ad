#include <fmt/format.h>

#include <algorithm>

#include "runners/platform_findings.hpp"

namespace tandem::runners {
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
