#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::runners {

struct CpuChoice;

/// How the two sides share the machine during one launch. What each is possible for stands in the table of
/// pairing.cpp.
///
/// `alternate` and `duet` need a program that can be cut into slices. `process` starts whole processes in
/// turn, `process_together` at the same moment on different processors; of a sliced program `process` runs
/// all slices of one side, then all of the other.
enum class Pairing { alternate, duet, process, process_together };
[[nodiscard]] const char* name_of(Pairing pairing);
[[nodiscard]] std::optional<Pairing> pairing_named(std::string_view name);

/// How a program hands over its samples: slice by slice, or as whole processes whose output or resources are
/// read.
enum class Protocol { slices, observer, google_benchmark, benchdnn, command };
[[nodiscard]] const char* name_of(Protocol protocol);

/// One way of measuring a benchmark: what calibration tries and chooses.
struct Arrangement {
  Pairing pairing = Pairing::alternate;
  std::chrono::nanoseconds slice = std::chrono::microseconds{200};        ///< at least one iteration
  std::chrono::nanoseconds launch_time = std::chrono::milliseconds{120};  ///< in slices, both sides together

  bool operator==(const Arrangement&) const = default;
};

/// What a look at one benchmark of a sliced program shows; it decides which arrangements are possible.
struct BenchmarkFacts {
  double iteration_ns = 0;       ///< alone
  std::size_t threads = 1;       ///< of the program after it ran
  bool maps_page = false;        ///< hands slices over by itself
  std::uint64_t peak_bytes = 0;  ///< of resident memory
};

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
