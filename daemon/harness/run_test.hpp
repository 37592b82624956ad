#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "builders/executable.hpp"
#include "daemon/measure/run_samples.hpp"
#include "daemon/measure/screening.hpp"
#include "daemon/measure/test.hpp"
#include "runners/host/cpu_choice.hpp"
#include "runners/pairing/pair_runner.hpp"
#include "runners/pairing/pairing.hpp"

namespace tandem::daemon::harness {

/// What a test is run on.
struct RunSettings {
  runners::PairRunner& runner;
  runners::CpuChoice cpus;
  std::filesystem::path scratch;
  std::uint64_t seed = 1;
  std::size_t max_launches = 66;                 ///< of one benchmark
  std::string filter = {};                       ///< only benchmarks whose name contains it
  std::optional<runners::Pairing> pairing = {};  ///< nothing: the spec's, else the first that is possible
  /// A test of one build that says no `iter` and no `repeat` ends after so many launches or so much time.
  std::size_t usual_launches = 10;
  std::chrono::nanoseconds usual_time = std::chrono::seconds{5};
};

/// The builds of a run: one, or a control beside it.
struct RunBuilds {
  const builders::Executable& treatment;
  const builders::Executable* control = nullptr;
};

/// Between launches, for a person: "launch 3 of 10".
using ShowRun = std::function<void(const std::string&)>;

/// Launches one build until `iter` values of the whole net (else of the longest series) are there and every
/// `repeat` was made; with a control also until every verdict is given, within `max_launches`.
[[nodiscard]] TestRun run_test(const Test& test, const RunBuilds& builds, const RunSettings& settings,
                               const ShowRun& show, const std::stop_token& stop);

}  // namespace tandem::daemon::harness
