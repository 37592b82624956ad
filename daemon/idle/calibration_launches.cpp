#include "daemon/idle/calibration_launches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "analysis/statistics.hpp"
#include "daemon/measure/blame.hpp"

namespace tandem::daemon {
namespace {

using runners::Launch;
using runners::Pairing;
using runners::Sampled;
using runners::Side;

/// Keeps the coins of calibrations apart from those of screens with the same seed.
constexpr std::uint64_t candidate_stream = 0xca11'b0a7'0000'0003;
constexpr double planted_share = 0.05;
constexpr std::size_t fewest_turns = 3;

bool at_once(Pairing pairing) {
  return pairing == Pairing::duet || pairing == Pairing::process_together;
}

/// Both sides together, so that a slot with an advantage does not count as company.
std::optional<double> typical_of(const Launch& launch) {
  const auto control = analysis::typical_value(launch, Side::control);
  const auto treatment = analysis::typical_value(launch, Side::treatment);
  if (control && treatment) return std::sqrt(*control * *treatment);
  return control ? control : treatment;
}

/// The time of a benchmark comes first; further metrics of the same name are not calibrated.
std::vector<Sampled> first_of_each(std::vector<Sampled> all) {
  std::vector<Sampled> first;
  for (Sampled& one : all) {
    const bool known = std::any_of(first.begin(), first.end(),
                                   [&](const Sampled& other) { return other.benchmark == one.benchmark; });
    if (!known) first.push_back(std::move(one));
  }
  return first;
}

double seconds_in_slices(const Launch& launch, const runners::SliceShape& shape) {
  double sum = std::accumulate(launch.control.begin(), launch.control.end(), 0.0);
  sum += std::accumulate(launch.treatment.begin(), launch.treatment.end(), 0.0);
  return sum * static_cast<double>(shape.iterations) * 1e-9 / (at_once(shape.pairing) ? 2 : 1);
}

}  // namespace

CalibrationCandidate::CalibrationCandidate(const runners::Arrangement& arrangement,
                                           const runners::Subject& subject, std::uint64_t seed,
                                           std::uint64_t number)
    : arrangement_(arrangement),
      subject_(subject),
      seed_(seed ^ candidate_stream ^ (number * 0x9e3779b97f4a7c15)) {}

runners::LaunchPlan CalibrationCandidate::next_plan() {
  return runners::plan_launch(seed_, next_++, subject_.shape);
}

void CalibrationCandidate::take(std::vector<Sampled> all, double seconds) {
  seconds_.push_back(seconds);
  double slices = 0;
  for (Sampled& one : first_of_each(std::move(all))) {
    if (!series_.contains(one.benchmark)) names_.push_back(one.benchmark);
    Series& series = series_[one.benchmark];
    series.direction = one.metric.direction;
    slices += seconds_in_slices(one.launch, subject_.shape);
    series.launches.push_back(std::move(one.launch));
  }
  if (subject_.protocol == runners::Protocol::slices) slices_seconds_.push_back(slices);
}

void CalibrationCandidate::take_planted(std::vector<Sampled> all) {
  auto first = first_of_each(std::move(all));
  if (!first.empty()) planted_.push_back(std::move(first.front().launch));
}

void CalibrationCandidate::take_turns(double company, double alone) {
  company_.push_back(company);
  alone_.push_back(alone);
}

std::optional<double> CalibrationCandidate::typical(const std::vector<Sampled>& all) {
  return all.empty() ? std::nullopt : typical_of(all.front().launch);
}

void CalibrationCandidate::compare_with(const CalibrationCandidate& undisturbed) {
  if (!at_once(arrangement_.pairing)) return;
  for (auto& [name, series] : series_) {
    const auto other = undisturbed.series_.find(name);
    if (other == undisturbed.series_.end()) continue;
    std::vector<double> company;
    std::vector<double> alone;
    for (std::size_t i = 0; i < std::min(series.launches.size(), other->second.launches.size()); ++i) {
      company.push_back(typical_of(series.launches[i]).value_or(0));
      alone.push_back(typical_of(other->second.launches[i]).value_or(0));
    }
    // For a rate company means less, not more.
    const bool rate = series.direction == specs::Direction::higher_is_better;
    const auto found = rate ? analysis::slow_down_of(alone, company) : analysis::slow_down_of(company, alone);
    if (found.pairs >= fewest_turns) series.slow_down = found.at_least;
  }
}

void CalibrationCandidate::inherit(const CalibrationCandidate& other) {
  planted_ = other.planted_;
  company_ = other.company_;
  alone_ = other.alone_;
}

double CalibrationCandidate::seconds_per_launch() const {
  return analysis::median(seconds_).value_or(0);
}

std::vector<std::string> CalibrationCandidate::benchmarks() const {
  return names_;
}

analysis::LaunchNoise CalibrationCandidate::noise_of(const Series& series) const {
  return analysis::noise_of(series.launches,
                            {seconds_per_launch(), analysis::median(slices_seconds_).value_or(0)});
}

std::optional<double> CalibrationCandidate::slow_down_of(const Series& series) const {
  const auto measured = analysis::slow_down_of(company_, alone_);
  return measured.pairs > 0 ? std::optional(measured.ratio) : series.slow_down;
}

double CalibrationCandidate::price(double margin) const {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& [name, series] : series_) {
    const auto noise = noise_of(series);
    if (noise.launches == 0) continue;
    sum += std::log(std::max(analysis::cautious_price_of(noise, margin), 1e-18));
    ++count;
  }
  if (count == 0) return std::numeric_limits<double>::infinity();
  return std::exp(sum / static_cast<double>(count));
}

std::string CalibrationCandidate::reason(double margin, std::size_t threads) const {
  if (!refused_.empty()) return refused_;
  std::string one_reason;
  std::size_t refusing = 0;
  for (const std::string& name : names_) {
    const std::string why = tried(name, margin, threads).refused;
    if (why.empty()) continue;
    ++refusing;
    if (one_reason.empty()) one_reason = names_.size() > 1 ? name + ": " + why : why;
  }
  return 2 * refusing > names_.size() ? one_reason : std::string();
}

analysis::TriedArrangement CalibrationCandidate::tried(const std::string& benchmark, double margin,
                                                       std::size_t threads) const {
  analysis::TriedArrangement one;
  one.arrangement = arrangement_;
  one.pairs = pairs();
  one.refused = refused_;
  const auto found = series_.find(benchmark);
  if (found == series_.end()) return one;
  one.noise = noise_of(found->second);
  one.slow_down = slow_down_of(found->second);
  if (!planted_.empty()) {
    const runners::SliceShape shape = planted_shape();
    one.recovery =
        analysis::recovery_of(planted_, std::log(static_cast<double>(shape.iterations_of(Side::treatment)) /
                                                 static_cast<double>(shape.iterations)));
  }
  if (one.refused.empty()) one.refused = analysis::reason_to_refuse(one, margin, threads);
  return one;
}

runners::SliceShape CalibrationCandidate::planted_shape() const {
  runners::SliceShape shape = subject_.shape;
  const auto iterations = static_cast<double>(shape.iterations);
  shape.treatment_extra = std::ceil(planted_share * iterations) / iterations;
  return shape;
}

std::size_t CalibrationCandidate::pairs() const {
  return subject_.protocol == runners::Protocol::slices ? subject_.shape.pairs : 0;
}

namespace {

using runners::RunFailure;
using runners::Sampled;
using runners::Side;

}  // namespace

CalibrationLauncher::CalibrationLauncher(runners::PairRunner& runner, const CalibrationSubject& subject,
                                         const CalibrationSettings& settings, const ShowProgress& show,
                                         const std::stop_token& stop)
    : runner_(runner),
      subject_(subject),
      settings_(settings),
      show_(show),
      stop_(stop),
      pair_(subject.pair.both(Side::control)),
      begin_(settings.clock()) {
  // Only the time is calibrated; instructions and golden outputs would take it.
  pair_.further_metrics = {"time"};
  pair_.golden.reset();
}

std::optional<double> CalibrationLauncher::next_to_itself(CalibrationCandidate& candidate) {
  auto made = launch(candidate, pair_, candidate.next_plan());
  if (!made) return std::nullopt;
  const auto typical = CalibrationCandidate::typical(made->all);
  candidate.take(std::move(made->all), made->seconds);
  return typical;
}

std::optional<double> CalibrationLauncher::alone(CalibrationCandidate& candidate, std::size_t slot) {
  const auto plan = candidate.next_plan();
  const auto made = launch(candidate, pair_, runners::alone(plan, plan.side_of(slot)));
  return made ? CalibrationCandidate::typical(made->all) : std::nullopt;
}

void CalibrationLauncher::with_planted(CalibrationCandidate& candidate) {
  auto plan = candidate.next_plan();
  plan.shape = candidate.planted_shape();
  if (auto made = launch(candidate, pair_, plan)) candidate.take_planted(std::move(made->all));
}

std::optional<double> CalibrationLauncher::log_ratio(CalibrationCandidate& candidate,
                                                     const runners::ProgramPair& pair,
                                                     const runners::LaunchPlan& plan) {
  const auto made = launch(candidate, pair, plan);
  const auto statistics = made ? analysis::launch_statistics(made->all.front().launch) : std::nullopt;
  return statistics ? std::optional(statistics->median) : std::nullopt;
}

double CalibrationLauncher::average() const {
  return made_ > 0 ? in_launches_ / static_cast<double>(made_) : 0;
}

bool CalibrationLauncher::fits(const CalibrationCandidate& candidate, double share,
                               std::size_t launches) const {
  const double known = candidate.seconds_per_launch();
  const double needed = static_cast<double>(launches) * (known > 0 ? known : average());
  return spent() + needed <= share * settings_.seconds;
}

std::optional<CalibrationLauncher::Made> CalibrationLauncher::launch(CalibrationCandidate& candidate,
                                                                     const runners::ProgramPair& pair,
                                                                     const runners::LaunchPlan& plan) {
  if (stop_.stop_requested()) {
    throw CalibrationEnded{{Side::control, plan.index, RunFailure::Reason::stopped, "stopped"}};
  }
  tell();
  runners::Subject subject = candidate.subject();
  subject.shape = plan.shape;
  const double before = settings_.clock();
  auto result = runner_.launch(pair, subject, plan, stop_);
  const double seconds = settings_.clock() - before;
  in_launches_ += seconds;
  ++made_;
  if (auto* failure = std::get_if<RunFailure>(&result)) {
    bear(candidate, of_the_control(std::move(*failure)));
    return std::nullopt;
  }
  auto all = std::get<std::vector<Sampled>>(std::move(result));
  if (all.empty()) {
    bear(candidate, {Side::control, plan.index, RunFailure::Reason::protocol,
                     "control gave no value that both sides have"});
    return std::nullopt;
  }
  return Made{std::move(all), seconds};
}

void CalibrationLauncher::bear(CalibrationCandidate& candidate, RunFailure failure) {
  const bool hopeless = made_ == 1 || failure.reason == RunFailure::Reason::stopped ||
                        failure.reason == RunFailure::Reason::timed_out;
  if (hopeless) throw CalibrationEnded{std::move(failure)};
  ++lost_;
  if (candidate.launches() == 0 || lost_ > 1 + made_ / 20) {
    candidate.refuse("a launch failed: " + failure.what);
  }
  last_failure_ = std::move(failure);
}

void CalibrationLauncher::tell() const {
  if (!show_) return;
  const double left = average() > 0 ? std::max(0.0, settings_.seconds - spent()) / average() : 0;
  show_({ScreeningProgress::Phase::calibrating, subject_.benchmark, made_ + 1,
         made_ + 1 + static_cast<std::size_t>(left)});
}

}  // namespace tandem::daemon
