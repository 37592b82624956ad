#pragma once

#include <optional>
#include <string>

#include "analysis/calibration.hpp"
#include "daemon/walk/screening.hpp"
#include "daemon/walk/spec_tests.hpp"
#include "runners/pairing/pairing.hpp"

namespace tandem::daemon {

/// How a benchmark is measured now.
struct Arranged {
  runners::Arrangement screen;
  runners::Arrangement confirmation;
  std::optional<PriorSigma> prior;  ///< from the calibration; nothing: a short A/A has to find it
};

/// By its calibration, if there is one that holds for this host and whose pairing is still possible; else the
/// first arrangement that is possible. Pure. An empty `host` stands for any.
[[nodiscard]] Arranged arranged(const std::optional<analysis::Calibration>& calibration,
                                const runners::PossibleArrangements& possible, const std::string& host);

/// What is possible for a benchmark of a test, on the test's processors. If the spec names a pairing that is
/// possible, only that one.
[[nodiscard]] runners::PossibleArrangements possible_for(const Test& test, runners::Protocol protocol,
                                                         const runners::BenchmarkFacts& facts,
                                                         const runners::CpuChoice& host);

/// Only the arrangements with the pairing that a person asks for. Throws InputError that says why there are
/// none for the benchmark.
[[nodiscard]] runners::PossibleArrangements as_asked(runners::PossibleArrangements possible,
                                                     runners::Pairing pairing, const std::string& benchmark);

/// The shape of its launches; whole processes have a pairing and no slices.
[[nodiscard]] runners::SliceShape shape_of(runners::Protocol protocol, const runners::BenchmarkFacts& facts,
                                           const runners::Arrangement& arrangement);

}  // namespace tandem::daemon
