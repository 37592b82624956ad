#include "daemon/measure/screening.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/exact_rule.hpp"
#include "analysis/statistics.hpp"
#include "daemon/measure/blame.hpp"

namespace tandem::daemon {
namespace {

using analysis::Outcome;
using runners::LaunchResult;
using runners::RunFailure;
using Clock = std::chrono::steady_clock;

/// Keeps the coins of the A/A apart from those of the screen.
constexpr std::uint64_t calibration_stream = 0xa5a5'0000'5a5a'0001;

/// One metric of one benchmark on its way through the screen.
struct Track {
  Screened result;
  std::optional<analysis::Screen> screen;  ///< not of a metric that has a rule of its own
  std::vector<double> control;             ///< of such a metric: all values
  std::vector<double> treatment;

  [[nodiscard]] bool open() const { return screen && !screen->outcome(); }
};

/// Values that are not positive have no logarithm: such a metric is compared as it is, too.
bool has_own_rule(const runners::Sampled& sampled) {
  const auto positive = [](double value) { return value > 0; };
  const runners::Launch& launch = sampled.launch;
  return sampled.metric.tolerance || sampled.metric.limit ||
         (sampled.metric.name != specs::Metric{}.name && launch.control.size() == 1 &&
          !(std::all_of(launch.control.begin(), launch.control.end(), positive) &&
            std::all_of(launch.treatment.begin(), launch.treatment.end(), positive)));
}

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
    if (!priors_.empty() || !settings_.goes_on.empty()) return;
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
        if (has_own_rule(sampled)) continue;
        if (const auto value = cost_statistics(sampled.launch, sampled.metric.direction)) {
          seen[series_key(sampled.benchmark, sampled.metric)].push_back(*value);
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

  /// The coins of launches that were made before are not drawn again.
  [[nodiscard]] std::size_t launches_before() const {
    std::size_t most = 0;
    for (const auto& [name, history] : settings_.goes_on) most = std::max(most, history.launches.size());
    return most;
  }

  void screen() {
    bool started = false;
    for (std::size_t i = launches_before(); i < settings_.max_launches && !stop_.stop_requested(); ++i) {
      tell(ScreeningProgress::Phase::screening, i, settings_.max_launches);
      auto plan = runners::plan_launch(settings_.seed, i, subject_.shape);
      if (!started) plan.extra_runs = runners::LaunchPlan::ExtraRuns::yes;
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
      const bool more_wanted = settings_.enough && !settings_.enough();
      if (!more_wanted && std::none_of(tracks_.begin(), tracks_.end(), [&](const auto& one) {
            return one.second.open() && one.second.result.rank == Screened::Rank::primary &&
                   !redefined_.contains(one.second.result.benchmark);
          })) {
        return;
      }
    }
  }

  /// Programs may say which version of a benchmark they have; another one is another benchmark.
  void take_version(const runners::Sampled& sampled) {
    if (sampled.launch.control.empty() || sampled.launch.treatment.empty()) return;
    const double before = sampled.launch.control.back();
    const double now = sampled.launch.treatment.back();
    versions_[sampled.benchmark] = fmt::format("{:g}", now);
    if (before == now) return;
    redefined_[sampled.benchmark] = fmt::format("its version went from {:g} to {:g}", before, now);
  }

  void take(std::vector<runners::Sampled> all) {
    for (runners::Sampled& sampled : all) {
      // What only one side printed has nothing to be compared with.
      if (sampled.launch.control.empty() || sampled.launch.treatment.empty()) continue;
      if (sampled.metric.name == version_metric) {
        take_version(sampled);
        continue;
      }
      auto& track = tracks_[series_key(sampled.benchmark, sampled.metric)];
      if (track.result.benchmark.empty()) begin(track, sampled);
      if (!track.screen) {
        const runners::Launch& launch = sampled.launch;
        track.control.insert(track.control.end(), launch.control.begin(), launch.control.end());
        track.treatment.insert(track.treatment.end(), launch.treatment.begin(), launch.treatment.end());
        track.result.launches.push_back(std::move(sampled.launch));
        continue;
      }
      if (!track.open()) continue;
      track.screen->advance(cost_statistics(sampled.launch, sampled.metric.direction));
      track.result.launches.push_back(std::move(sampled.launch));
    }
  }

  /// Observers print what they are there for under many names; of others it is what comes first, the time.
  [[nodiscard]] Screened::Rank rank_of(const runners::Sampled& sampled) const {
    const bool any =
        subject_.protocol == runners::Protocol::observer || subject_.protocol == runners::Protocol::benchdnn;
    const specs::Metric& metric = sampled.metric;
    if (!settings_.metric.empty()) {
      return metric.name == settings_.metric ? Screened::Rank::primary : Screened::Rank::further;
    }
    const bool first = std::none_of(tracks_.begin(), tracks_.end(), [&](const auto& one) {
      return one.second.result.benchmark == sampled.benchmark;
    });
    const bool primary = any ? !metric.tolerance && !metric.limit && metric.name != "cpu_time" : first;
    return primary ? Screened::Rank::primary : Screened::Rank::further;
  }

  void begin(Track& track, const runners::Sampled& sampled) {
    track.result.rank = rank_of(sampled);
    track.result.benchmark = sampled.benchmark;
    track.result.metric = sampled.metric;
    track.result.pairing = subject_.shape.pairing;
    if (has_own_rule(sampled)) {
      track.result.rule = Screened::Rule::exact;
      return;
    }
    const std::string key = series_key(sampled.benchmark, sampled.metric);
    if (const auto earlier = settings_.goes_on.find(key); earlier != settings_.goes_on.end()) {
      analysis::ScreenHistory history = earlier->second;
      history.settings.max_launches = settings_.max_launches;
      track.screen.emplace(history);
      return;
    }
    analysis::ScreenSettings settings;
    settings.margin = margin_of(key);
    settings.max_launches = settings_.max_launches;
    const auto prior = priors_.find(key);
    // Without calibration the margin itself is the guess; a spread of 0 says nothing, a tenth of the margin
    // does.
    const double floor = settings.margin / 10;
    settings.prior_sigma = prior == priors_.end() ? settings.margin : std::max(floor, prior->second.median);
    settings.prior_sigma_total =
        prior == priors_.end() ? settings.margin : std::max(floor, prior->second.total);
    track.screen.emplace(settings);
  }

  [[nodiscard]] double margin_of(const std::string& key) const {
    const auto own = settings_.margins.find(key);
    return own == settings_.margins.end() ? settings_.margin : own->second;
  }

  Screened conclude(Track& track, std::chrono::nanoseconds time) {
    Screened result = std::move(track.result);
    result.time = time;
    if (track.screen) {
      result.verdict = track.screen->verdict();
      result.history = track.screen->history();
    } else {
      result.verdict = analysis::judge_exactly(track.control, track.treatment, result.metric,
                                               margin_of(series_key(result.benchmark, result.metric)));
      result.verdict.launches = result.launches.size();
    }
    if (const auto prior = priors_.find(series_key(result.benchmark, result.metric)); prior != priors_.end())
      result.prior = prior->second;
    if (const auto known = versions_.find(result.benchmark); known != versions_.end())
      result.version = known->second;
    if (const auto other = redefined_.find(result.benchmark); other != redefined_.end())
      result.redefined = other->second;
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
    if (!blamed_) blamed_ = blame(runner_, pairs_.pair(0), subject_, failure, stop_);
    return *blamed_;
  }

  Screened failed_without_samples(std::chrono::nanoseconds time) {
    Screened result;
    result.benchmark = subject_.benchmark;
    result.pairing = subject_.shape.pairing;
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
  std::map<std::string, std::string> versions_;   ///< of the treatment, by benchmark
  std::map<std::string, std::string> redefined_;  ///< a sentence, by benchmark
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

bool is_changed(const analysis::Verdict& verdict) {
  return verdict.outcome == Outcome::slower || verdict.outcome == Outcome::faster;
}

std::string series_key(const std::string& benchmark, const specs::Metric& metric) {
  return metric.name == specs::Metric{}.name ? benchmark : benchmark + "\n" + metric.name;
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
