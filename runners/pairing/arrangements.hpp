#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runners/host/cpu_choice.hpp"
#include "runners/pairing/pair_runner.hpp"
#include "runners/pairing/pairing.hpp"

namespace tandem::runners {

/// A pairing that a benchmark cannot have on this host, and why, as a clause: "it has 4 threads, and …".
struct RefusedPairing {
  Pairing pairing = Pairing::duet;
  std::string why;
};

/// The ways in which a benchmark can be measured at all. Which of them is best, only a calibration knows.
struct PossibleArrangements {
  std::vector<Arrangement> arrangements;  ///< never empty; the first is what is used without a calibration
  std::vector<RefusedPairing> refused;
};

/// Pure. `facts` count for sliced programs only. `available_bytes` is the memory that both sides have to
/// share; nothing: unknown.
[[nodiscard]] PossibleArrangements possible_arrangements(Protocol protocol, const BenchmarkFacts& facts,
                                                         const CpuChoice& cpus,
                                                         std::optional<std::uint64_t> available_bytes);

/// What the kernel says could be used without swapping.
[[nodiscard]] std::optional<std::uint64_t> available_memory();

}  // namespace tandem::runners
