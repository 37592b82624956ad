#include "runners/pairing/arrangements.hpp"

#include <fmt/format.h>

#include <fstream>

namespace tandem::runners {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// Beyond this a slice cannot follow the noise any more: an iteration of its own is a process's worth.
constexpr double longest_alternating_iteration_ns = 1e9;
constexpr double longest_duet_iteration_ns = 2e9;

void add_setup(PossibleArrangements& possible, Pairing pairing, std::initializer_list<nanoseconds> slices,
               nanoseconds launch_time) {
  for (const nanoseconds slice : slices) possible.arrangements.push_back({pairing, slice, launch_time});
}

std::optional<std::string> why_no_duet(const BenchmarkFacts& facts, const CpuChoice& cpus) {
  if (cpus.duet[0].empty()) return "the host has no two processor cores for it";
  if (facts.threads > cpus.duet[0].size()) {
    return fmt::format("it has {} threads, and each side would have {} of the host's cores", facts.threads,
                       cpus.duet[0].size());
  }
  if (facts.iteration_ns > longest_duet_iteration_ns) {
    return "one iteration takes more than two seconds, and the side that ends first would repeat a whole one";
  }
  if (!facts.maps_page) return "the program does not map the shared page, which starts both at one instant";
  return std::nullopt;
}

PossibleArrangements whole_processes(const CpuChoice& cpus) {
  PossibleArrangements possible;
  possible.arrangements.push_back({Pairing::process, {}, {}});
  if (!cpus.duet[0].empty()) {
    possible.arrangements.push_back({Pairing::process_together, {}, {}});
  } else {
    possible.refused.push_back({Pairing::process_together, "the host has no two processor cores for it"});
  }
  return possible;
}

}  // namespace

PossibleArrangements possible_arrangements(Protocol protocol, const BenchmarkFacts& facts,
                                           const CpuChoice& cpus,
                                           std::optional<std::uint64_t> available_bytes) {
  if (protocol != Protocol::slices) return whole_processes(cpus);
  PossibleArrangements possible;
  const nanoseconds launch_time = Arrangement{}.launch_time;
  if (available_bytes && 2 * facts.peak_bytes > *available_bytes) {
    const std::string why = fmt::format("both sides together need {} MiB, and {} MiB are free",
                                        2 * facts.peak_bytes >> 20, *available_bytes >> 20);
    possible.refused = {{Pairing::alternate, why}, {Pairing::duet, why}};
  } else {
    if (facts.iteration_ns > longest_alternating_iteration_ns) {
      possible.refused.push_back({Pairing::alternate, "one iteration takes more than a second"});
    } else if (facts.threads > 1) {
      add_setup(possible, Pairing::alternate, {milliseconds{10}, milliseconds{5}, milliseconds{20}},
                4 * launch_time);
    } else if (!facts.maps_page) {
      add_setup(possible, Pairing::alternate, {milliseconds{1}, milliseconds{3}, microseconds{500}},
                launch_time);
    } else {
      add_setup(possible, Pairing::alternate, {Arrangement{}.slice, microseconds{100}, milliseconds{1}},
                launch_time);
    }
    if (const auto why = why_no_duet(facts, cpus)) {
      possible.refused.push_back({Pairing::duet, *why});
    } else {
      add_setup(possible, Pairing::duet, {milliseconds{1}, microseconds{300}}, launch_time);
    }
  }
  // Slices of one process after the other: always possible, and seldom the best.
  possible.arrangements.push_back({Pairing::process, milliseconds{1}, launch_time});
  return possible;
}

std::optional<std::uint64_t> available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    unsigned long long kib = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %llu kB", &kib) == 1) return std::uint64_t{kib} << 10;
  }
  return std::nullopt;
}

}  // namespace tandem::runners
