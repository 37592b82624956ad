#pragma once

#include <stop_token>

#include "runners/pairing/pair_runner.hpp"

namespace tandem::runners {

/// What a launch has at hand when its own samples are taken.
struct AfterLaunch {
  const HostSettings& settings;
  const ProgramPair& pair;
  const Subject& subject;
  const LaunchPlan& plan;
  const Launch& launch;  ///< its usages, index and coin
};

/// The metrics of `pair.further_metrics` that a program does not report by itself: peak_memory and cpu_time
/// from the launch's usages, size from the program files, instructions and error from extra runs of both
/// sides. A plain command whose spec names none has cpu_time and peak_memory.
///
/// They belong to the subject's benchmark, or else to "command". Extra runs are made where the plan says so,
/// once per screen, because what they show does not scatter. A value that the host does not know is
/// left out, never 0.
[[nodiscard]] LaunchResult further_metrics(const AfterLaunch& after, const std::stop_token& stop);

/// Adds what the launch did not give by itself: the program's own word for a metric counts.
void add_unknown(std::vector<Sampled>& sampled, std::vector<Sampled> further);

}  // namespace tandem::runners
