#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/screen.hpp"
#include "analysis/verdict.hpp"
#include "daemon/records/screened.hpp"
#include "runners/pairing/pair_runner.hpp"

namespace tandem::daemon {

struct ScreeningSettings {
  double margin = 0.01;                        ///< δ as a share
  std::map<std::string, double> margins = {};  ///< by series_key, where a series has one of its own
  std::size_t max_launches = 66;
  std::size_t calibration_launches = 6;  ///< of the control next to itself, before the screen; they give s0
  std::uint64_t seed = 1;
  std::map<std::string, PriorSigma> priors = {};  ///< by series_key, from an earlier A/A: then none is made
  std::map<std::string, analysis::ScreenHistory> goes_on = {};  ///< by series_key: earlier launches count
  std::string metric = {};  ///< the one for whose sake alone launches are made; empty: what comes first
  std::function<bool()> enough = {};  ///< false: launches go on though all is decided, within the most
};

/// A metric of this name says which version of a benchmark a program has: if the sides differ, it is another
/// benchmark.
inline constexpr const char* version_metric = "version";

/// One metric of one benchmark, in one word.
[[nodiscard]] std::string series_key(const std::string& benchmark, const specs::Metric& metric);

/// Whether the screen found a change: slower or faster.
[[nodiscard]] bool is_changed(const analysis::Verdict& verdict);

/// What a person may be shown between two launches.
struct ScreeningProgress {
  enum class Phase { calibrating, screening, confirming } phase = Phase::calibrating;
  std::string benchmark;
  std::size_t launch = 0;
  std::size_t most = 0;
};

/// The programs of each launch. Where executables can be relinked, each launch draws its layouts.
struct PairSource {
  std::function<runners::ProgramPair(std::uint64_t launch)> pair;
  std::function<runners::ProgramPair(std::uint64_t launch)> control_alone;  ///< of an A/A
};

/// The same two programs in every launch.
[[nodiscard]] PairSource always(const runners::ProgramPair& pair);

using ShowProgress = std::function<void(const ScreeningProgress&)>;

/// A short A/A of the control, then launches of the pair until every benchmark of the subject is decided.
///
/// A sliced subject has one benchmark; whole processes give several, which share their launches, and either
/// may give several metrics of one. Metrics with a rule of their own are judged by it from whatever was seen.
/// A program that fails before its first good launch, or too often after it, is `failed` with the reason; if
/// it is one side's failure alone, that side is named. A stop ends it between launches with what is known so
/// far, as inconclusive.
[[nodiscard]] std::vector<Screened> screen(runners::PairRunner& runner, const PairSource& pairs,
                                           const runners::Subject& subject, const ScreeningSettings& settings,
                                           const ShowProgress& show, const std::stop_token& stop);

/// The launch's statistics as a cost: above 0 is worse, whichever way the metric points.
[[nodiscard]] std::optional<analysis::LaunchStatistics> cost_statistics(const runners::Launch& launch,
                                                                        specs::Direction direction);

/// A cost ratio turned back into treatment / control of the metric.
[[nodiscard]] analysis::RatioInterval metric_ratio(const analysis::RatioInterval& cost,
                                                   specs::Direction direction);

}  // namespace tandem::daemon
