#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::runners {

/// How the two sides share the machine during one launch.
///
/// `alternate` and `duet` need a program that can be cut into slices. `process` starts whole processes in
/// turn, `process_together` at the same moment on different processors; of a sliced program `process` runs
/// all slices of one side, then all of the other.
enum class Pairing { alternate, duet, process, process_together };

[[nodiscard]] const char* name_of(Pairing pairing);
[[nodiscard]] std::optional<Pairing> pairing_named(std::string_view name);

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

}  // namespace tandem::runners
