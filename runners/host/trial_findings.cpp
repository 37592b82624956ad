#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "runners/host/machine_facts.hpp"
#include "runners/host/platform.hpp"
#include "runners/process/process.hpp"
#include "runners/process/sandbox.hpp"
#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;

/// The first line of what the program says of itself, without its own name in front.
std::string version_of(const std::string& name, const fs::path& program) {
  Limits limits;
  limits.deadline = std::chrono::seconds{10};
  const Finished finished =
      run_command({{program.string(), "--version"}, {"PATH=/usr/bin:/bin", "LC_ALL=C"}, {}, {}, {}}, limits);
  std::string line = finished.output.substr(0, finished.output.find('\n')).substr(0, 80);
  for (const std::string& prefix : {name + " version ", name + " ", name + "-"}) {
    if (line.starts_with(prefix)) return line.substr(prefix.size());
  }
  return line;
}

}  // namespace

HostTrials::Counters try_counters() {
  perf_event_attr what{};
  what.type = PERF_TYPE_HARDWARE;
  what.size = sizeof what;
  what.config = PERF_COUNT_HW_INSTRUCTIONS;
  what.exclude_kernel = 1;
  what.exclude_hv = 1;
  const OwnedDescriptor counter(
      static_cast<int>(::syscall(SYS_perf_event_open, &what, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
  if (counter.get() < 0) {
    return errno == EACCES || errno == EPERM ? HostTrials::Counters::no_permission
                                             : HostTrials::Counters::no_hardware;
  }
  volatile unsigned work = 0;
  for (unsigned i = 0; i < 10'000; ++i) work = work + i;
  std::uint64_t counted = 0;
  if (::read(counter.get(), &counted, sizeof counted) != sizeof counted || counted < 10'000) {
    return HostTrials::Counters::counts_nothing;
  }
  return HostTrials::Counters::counts;
}

HostTrials try_host(const PlatformSources& sources, const fs::path& shim,
                    std::chrono::milliseconds steal_time, const std::stop_token& stop) {
  HostTrials trials;
  // First, so that the other trials do not add to it.
  const auto before = read_cpu_times(sources);
  if (before) {
    static_cast<void>(pause_unless_stopped(steal_time, stop));
    const auto after = read_cpu_times(sources);
    if (after) trials.steal_share = steal_share(*before, *after);
  }
  try {
    trials.topology = read_topology();
  } catch (const Error&) {
    // Then the findings say that it is unavailable.
  }
  trials.counters = try_counters();
  for (const char* name : {"bwrap", "mold", "ld.lld", "valgrind", "perf", "ccache"}) {
    const auto program = installed(sources, name);
    trials.tools.push_back({name, program ? std::optional(version_of(
                                                name == std::string("bwrap") ? "bubblewrap" : name, *program))
                                          : std::nullopt});
    if (name == std::string("bwrap") && program) {
      const auto found = find_sandbox(shim);
      const auto* fault = std::get_if<std::string>(&found);
      trials.sandbox_fault = fault != nullptr ? *fault : std::string();
    }
  }
  return trials;
}

}  // namespace tandem::runners
