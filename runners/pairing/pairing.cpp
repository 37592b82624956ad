#include "runners/pairing/pairing.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "runners/host/cpu_choice.hpp"

namespace tandem::runners {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// Beyond this a slice cannot follow the noise any more: an iteration of its own is a process's worth.
constexpr double longest_alternating_iteration_ns = 1e9;
constexpr double longest_duet_iteration_ns = 2e9;

struct Situation {
  const BenchmarkFacts& facts;
  const CpuChoice& cpus;
  std::optional<std::uint64_t> available_bytes;
};
using Refusal = std::optional<std::string>;

Refusal never_refused(const Situation& /*situation*/) {
  return std::nullopt;
}

Refusal no_room_for_two(const Situation& situation) {
  const auto& [facts, cpus, available] = situation;
  if (!available || 2 * facts.peak_bytes <= *available) return std::nullopt;
  return fmt::format("both sides together need {} MiB, and {} MiB are free", 2 * facts.peak_bytes >> 20,
                     *available >> 20);
}

Refusal too_few_cores(const Situation& situation) {
  if (!situation.cpus.duet[0].empty()) return std::nullopt;
  return "the host has no two processor cores for it";
}

Refusal no_alternating(const Situation& situation) {
  if (auto why = no_room_for_two(situation)) return why;
  if (situation.facts.iteration_ns <= longest_alternating_iteration_ns) return std::nullopt;
  return "one iteration takes more than a second";
}

Refusal no_duet(const Situation& situation) {
  const auto& [facts, cpus, available] = situation;
  if (auto why = no_room_for_two(situation)) return why;
  if (auto why = too_few_cores(situation)) return why;
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

struct Slices {
  std::vector<nanoseconds> lengths;  ///< best guess first
  nanoseconds launch_time = Arrangement{}.launch_time;
};

Slices alternating_slices(const BenchmarkFacts& facts) {
  if (facts.threads > 1)
    return {{milliseconds{10}, milliseconds{5}, milliseconds{20}}, 4 * Arrangement{}.launch_time};
  if (!facts.maps_page) return {{milliseconds{1}, milliseconds{3}, microseconds{500}}};
  return {{Arrangement{}.slice, microseconds{100}, milliseconds{1}}};
}

Slices duet_slices(const BenchmarkFacts& /*facts*/) {
  return {{milliseconds{1}, microseconds{300}}};
}

/// Slices of one process after the other: always possible, and seldom the best.
Slices slices_in_turn(const BenchmarkFacts& /*facts*/) {
  return {{milliseconds{1}}};
}

Slices no_slices(const BenchmarkFacts& /*facts*/) {
  return {{nanoseconds{0}}, nanoseconds{0}};
}

/// What a pairing needs of a kind of program, and how it cuts it; null: the kind cannot have it.
struct Fit {
  Refusal (*refuse)(const Situation& situation) = nullptr;
  Slices (*slices)(const BenchmarkFacts& facts) = nullptr;
};

/// One row for each pairing, the preferred one first.
struct PairingRow {
  Pairing pairing;
  const char* name;
  Fit sliced;
  Fit whole_process;
};
constexpr PairingRow pairings[] = {
    {Pairing::alternate, "alternate", {no_alternating, alternating_slices}, {}},
    {Pairing::duet, "duet", {no_duet, duet_slices}, {}},
    {Pairing::process, "process", {never_refused, slices_in_turn}, {never_refused, no_slices}},
    {Pairing::process_together, "process_together", {}, {too_few_cores, no_slices}},
};

}  // namespace

const char* name_of(Pairing pairing) {
  for (const PairingRow& row : pairings) {
    if (row.pairing == pairing) return row.name;
  }
  return "";
}

std::optional<Pairing> pairing_named(std::string_view name) {
  for (const PairingRow& row : pairings) {
    if (row.name == name) return row.pairing;
  }
  return std::nullopt;
}

const char* name_of(Protocol protocol) {
  constexpr const char* names[] = {"slices", "observer lines", "Google Benchmark's JSON", "benchdnn's lines",
                                   "command"};
  return names[static_cast<std::size_t>(protocol)];
}

PossibleArrangements possible_arrangements(Protocol protocol, const BenchmarkFacts& facts,
                                           const CpuChoice& cpus,
                                           std::optional<std::uint64_t> available_bytes) {
  PossibleArrangements possible;
  for (const PairingRow& row : pairings) {
    const Fit& fit = protocol == Protocol::slices ? row.sliced : row.whole_process;
    if (fit.refuse == nullptr) continue;
    if (auto why = fit.refuse({facts, cpus, available_bytes})) {
      possible.refused.push_back({row.pairing, std::move(*why)});
      continue;
    }
    const Slices slices = fit.slices(facts);
    for (const nanoseconds length : slices.lengths)
      possible.arrangements.push_back({row.pairing, length, slices.launch_time});
  }
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
