// Any bytes as the texts that tandem platform reads: its own journal, which root writes back from, a list of
// processors, /proc/cpuinfo. With libFuzzer (TANDEM_FUZZ, clang) this is a fuzz target; without it,
// platform_text_replay_test.cpp gives it mutations of real texts.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "runners/host/fix.hpp"
#include "runners/host/fix_journal.hpp"
#include "runners/host/platform.hpp"
#include "runners/host/topology.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tandem::runners;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  for (const HostChange& change : read_journal(text, "tandem-platform 1 boot\n")) {
    if (!is_setting_file(change.file) || change.file.find("..") != std::string::npos) std::abort();
    if (change.before.empty() || change.before.find_first_of("\n\t /;$") != std::string::npos) std::abort();
  }
  const auto cpus = parse_cpu_list(text);
  if (!std::is_sorted(cpus.begin(), cpus.end())) std::abort();
  if (!cpus.empty() && (cpus.front() < 0 || cpus.back() >= 65536)) std::abort();
  if (present_in(read_isa(text)).size() > 21) std::abort();
  return 0;
}
