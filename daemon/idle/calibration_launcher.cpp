#include "daemon/idle/calibration_launcher.hpp"

#include <algorithm>
#include <utility>

#include "daemon/measure/blame.hpp"

namespace tandem::daemon {
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
