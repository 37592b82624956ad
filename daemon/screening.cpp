#include "daemon/screening.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/statistics.hpp"
#include "daemon/one_sided.hpp"

namespace tandem::daemon {
namespace {

using analysis::Outcome;
using runners::LaunchResult;
using runners::RunFailure;
using Clock = std::chrono::steady_clock;

/// Keeps the coins of the A/A apart from those of the screen.
constexpr std::uint64_t calibration_stream = 0xa5a5'0000'5a5a'0001;

/// In an A/A both sides are the control, whatever the runner called them.
RunFailure of_the_control(RunFailure failure) {
  const std::string_view wrong = name_of(runners::Side::treatment);
  if (failure.side == runners::Side::treatment && failure.what.starts_with(wrong)) {
    failure.what.replace(0, wrong.size(), name_of(runners::Side::control));
  }
  failure.side = runners::Side::control;
  return failure;
}

/// One benchmark on its way through the screen.
struct Track {
  Screened result;
  std::optional<analysis::Screen> screen;

  [[nodiscard]] bool open() const { return screen && !screen->outcome(); }
};

class Screening {
 public:
  Screening(runners::PairRunner& runner, const PairSource& pairs, const runners::Subject& subject,
            const ScreeningSettings& settings, const ShowProgress& show, const std::stop_token& stop)
      : runner_(runner), pairs_(pairs), subject_(subject), settings_(settings), show_(show), stop_(stop) {}

  std::vector<Screened> run() {
    const auto begin = Clock::now();
    calibrate();
    if (!failure_) screen();
    const auto time = Clock::now() - begin;
    std::vector<Screened> results;
    for (auto& [name, track] : tracks_) results.push_back(conclude(track, time));
    if (results.empty() && failure_) results.push_back(failed_without_samples(time));
    return results;
  }

 private:
  void calibrate() {
    priors_ = settings_.priors;
    if (!priors_.empty()) return;
    std::map<std::string, std::vector<analysis::LaunchStatistics>> seen;
    for (std::size_t i = 0; i < settings_.calibration_launches && !stop_.stop_requested(); ++i) {
      tell(ScreeningProgress::Phase::calibrating, i, settings_.calibration_launches);
      const auto plan = runners::plan_launch(settings_.seed ^ calibration_stream, i, subject_.shape);
      LaunchResult result = runner_.launch(pairs_.control_alone(i), subject_, plan, stop_);
      if (auto* failure = std::get_if<RunFailure>(&result)) {
        // One side may stumble once when the program has shown that it can run; the launch is simply lost.
        if (seen.empty() || ++stumbles_ > 1) {
          failure_ = of_the_control(std::move(*failure));
          return;
        }
        continue;
      }
      for (const auto& sampled : std::get<std::vector<runners::Sampled>>(result)) {
        if (const auto value = cost_statistics(sampled.launch, sampled.metric.direction)) {
          seen[sampled.benchmark].push_back(*value);
        }
      }
    }
    for (const auto& [name, values] : seen) priors_[name] = prior_of(values);
  }

  static PriorSigma prior_of(const std::vector<analysis::LaunchStatistics>& values) {
    std::vector<double> medians;
    std::vector<double> totals;
    for (const auto& value : values) {
      medians.push_back(value.median);
      totals.push_back(value.total);
    }
    return {analysis::robust_deviation(medians).value_or(0), analysis::robust_deviation(totals).value_or(0)};
  }

  void screen() {
    bool started = false;
    for (std::size_t i = 0; i < settings_.max_launches && !stop_.stop_requested(); ++i) {
      tell(ScreeningProgress::Phase::screening, i, settings_.max_launches);
      const auto plan = runners::plan_launch(settings_.seed, i, subject_.shape);
      LaunchResult result = runner_.launch(pairs_.pair(i), subject_, plan, stop_);
      if (auto* failure = std::get_if<RunFailure>(&result)) {
        if (failure->reason == RunFailure::Reason::stopped) return;
        last_failure_ = *failure;
        if (!started) {
          failure_ = std::move(*failure);
          return;
        }
        for (auto& [name, track] : tracks_) {
          if (track.open()) track.screen->advance(std::nullopt);
        }
      } else {
        started = true;
        take(std::get<std::vector<runners::Sampled>>(std::move(result)));
      }
      if (std::none_of(tracks_.begin(), tracks_.end(), [](const auto& one) { return one.second.open(); }))
        return;
    }
  }

  void take(std::vector<runners::Sampled> all) {
    for (runners::Sampled& sampled : all) {
      Track& track = tracks_[sampled.benchmark];
      if (!track.screen) begin(track, sampled);
      if (!track.open()) continue;
      track.screen->advance(cost_statistics(sampled.launch, sampled.metric.direction));
      track.result.launches.push_back(std::move(sampled.launch));
    }
  }

  void begin(Track& track, const runners::Sampled& sampled) {
    analysis::ScreenSettings settings;
    settings.margin = settings_.margin;
    settings.max_launches = settings_.max_launches;
    const auto prior = priors_.find(sampled.benchmark);
    // Without calibration the margin itself is the guess; a spread of 0 says nothing, a tenth of the margin
    // does.
    const double floor = settings_.margin / 10;
    settings.prior_sigma = prior == priors_.end() ? settings_.margin : std::max(floor, prior->second.median);
    settings.prior_sigma_total =
        prior == priors_.end() ? settings_.margin : std::max(floor, prior->second.total);
    track.result.benchmark = sampled.benchmark;
    track.result.metric = sampled.metric;
    track.screen.emplace(settings);
  }

  Screened conclude(Track& track, std::chrono::nanoseconds time) {
    Screened result = std::move(track.result);
    result.time = time;
    result.verdict = track.screen->verdict();
    result.history = track.screen->history();
    if (const auto prior = priors_.find(result.benchmark); prior != priors_.end())
      result.prior = prior->second;
    if (result.verdict.outcome == Outcome::failed) {
      result.failure = last_failure_;
      if (last_failure_) result.verdict.outcome = outcome_of(*last_failure_);
    }
    for (auto* ratio : {&result.verdict.ratio, &result.verdict.median_ratio, &result.verdict.total_ratio}) {
      *ratio = metric_ratio(*ratio, result.metric.direction);
    }
    return result;
  }

  /// Asked once for all benchmarks of a process: they fail together.
  Outcome outcome_of(const RunFailure& failure) {
    if (!blamed_) blamed_ = blame(runner_, pairs_.pair(0), subject_.benchmark, failure, stop_);
    return *blamed_;
  }

  Screened failed_without_samples(std::chrono::nanoseconds time) {
    Screened result;
    result.benchmark = subject_.benchmark;
    result.verdict.outcome =
        failure_->reason == RunFailure::Reason::stopped ? Outcome::inconclusive : outcome_of(*failure_);
    result.verdict.margin = settings_.margin;
    result.failure = failure_;
    result.time = time;
    return result;
  }

  void tell(ScreeningProgress::Phase phase, std::size_t launch, std::size_t most) const {
    if (show_) show_({phase, subject_.benchmark, launch + 1, most});
  }

  runners::PairRunner& runner_;
  const PairSource& pairs_;
  const runners::Subject& subject_;
  const ScreeningSettings& settings_;
  const ShowProgress& show_;
  const std::stop_token& stop_;
  std::map<std::string, PriorSigma> priors_;
  std::map<std::string, Track> tracks_;
  std::optional<RunFailure> failure_;
  std::optional<RunFailure> last_failure_;
  std::optional<Outcome> blamed_;
  std::size_t stumbles_ = 0;
};

}  // namespace

std::vector<Screened> screen(runners::PairRunner& runner, const PairSource& pairs,
                             const runners::Subject& subject, const ScreeningSettings& settings,
                             const ShowProgress& show, const std::stop_token& stop) {
  return Screening(runner, pairs, subject, settings, show, stop).run();
}

PairSource always(const runners::ProgramPair& pair) {
  return {[=](std::uint64_t) { return pair; },
          [=](std::uint64_t) { return pair.both(runners::Side::control); }};
}

std::optional<analysis::LaunchStatistics> cost_statistics(const runners::Launch& launch,
                                                          specs::Direction direction) {
  auto statistics = analysis::launch_statistics(launch);
  if (statistics && direction == specs::Direction::higher_is_better) {
    statistics->median = -statistics->median;
    statistics->total = -statistics->total;
  }
  return statistics;
}

analysis::RatioInterval metric_ratio(const analysis::RatioInterval& cost, specs::Direction direction) {
  if (direction == specs::Direction::lower_is_better) return cost;
  return {1 / cost.estimate, 1 / cost.high, 1 / cost.low, cost.level};
}

}  // namespace tandem::daemon
