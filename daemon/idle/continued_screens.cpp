#include "daemon/idle/continued_screens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tandem::daemon {
namespace {

constexpr const char* continued_work = "continued screen";

using Verdicts = std::vector<store::StoredVerdict>;

const store::StoredVerdict* verdict_on(const Verdicts& verdicts, const Candidate& candidate) {
  const auto found = std::find_if(verdicts.begin(), verdicts.end(), [&](const auto& one) {
    return one.benchmark == candidate.name && one.metric.name == candidate.metric.name;
  });
  return found == verdicts.end() ? nullptr : &*found;
}

/// What is to be measured together: benchmarks of one trial that were inconclusive against one control.
struct Continuation {
  Trial trial;
  TrialPlan plan;
};

class ContinuedScreens {
 public:
  ContinuedScreens(WalkSteps& steps, const Examination& at, NewestGood& newest)
      : steps_(steps),
        at_(at),
        newest_(newest),
        verdicts_(steps.context.store.verdicts(steps.settings.key, newest.commit)) {}

  std::optional<Continuation> next() {
    for (const Trial& trial : newest_.trials) {
      std::map<std::size_t, std::vector<Candidate>> by_control;
      for (const Candidate& candidate : trial.candidates) {
        if (const auto control = control_of(candidate)) by_control[*control].push_back(candidate);
      }
      if (by_control.empty()) continue;
      auto& [control, wanted] = *by_control.begin();
      return continuation(narrowed(trial, control, std::move(wanted)));
    }
    return std::nullopt;
  }

  IdleStep settle(const Trial& trial, const Measured& measured) {
    for (const Candidate& candidate : trial.candidates) {
      const Screened* screened = measured.of(candidate);
      if (screened == nullptr || screened->failure) {
        leave_alone(steps_, newest_, continued_work, narrowed(trial, *trial.control, {candidate}),
                    screened == nullptr ? "it was not printed side by side" : screened->failure->what);
        continue;
      }
      if (!keep(trial, measured, candidate, *screened)) return IdleStep::stopped;
    }
    return IdleStep::made;
  }

 private:
  /// Of one that is to be continued.
  [[nodiscard]] std::optional<std::size_t> control_of(const Candidate& candidate) const {
    const auto* verdict = verdict_on(verdicts_, candidate);
    if (verdict == nullptr || verdict->outcome != analysis::Outcome::inconclusive) return std::nullopt;
    if (newest_.left_alone.contains(left_alone_key(continued_work, candidate.name))) return std::nullopt;
    if (verdict->history.launches.size() >= most_continuations * steps_.settings.max_launches) {
      return std::nullopt;
    }
    const auto control = at_.line.position(verdict->control);
    return control && at_.line.leads_to(*control, at_.position) ? control : std::nullopt;
  }

  Continuation continuation(Trial trial) const {
    Continuation one{std::move(trial), {steps_.settings.max_launches}};
    std::size_t made = 0;
    for (const Candidate& candidate : one.trial.candidates) {
      const auto& history = verdict_on(verdicts_, candidate)->history;
      const double margin = steps_.trials.margin_of(*one.trial.test, candidate.name).value;
      // Launches that were judged with another margin have to be made anew.
      if (std::abs(history.settings.margin - margin) > 1e-9) continue;
      made = std::max(made, history.launches.size());
      one.plan.goes_on[series_key(candidate.in_program, candidate.metric)] = history;
    }
    const std::size_t screens = steps_.settings.max_launches;
    one.plan.max_launches = std::min(made + screens, most_continuations * screens);
    return one;
  }

  /// False: stopped.
  bool keep(const Trial& trial, const Measured& measured, const Candidate& candidate,
            const Screened& screened) {
    const bool confirmed =
        is_changed(screened.verdict) && steps_.settings.records == WalkSettings::Records::confirm;
    const std::string unfit = confirmed ? steps_.trials.unfit(candidate.name) : std::string();
    if (confirmed && unfit.empty()) {
      const Suspect suspect = steps_.trials.suspect_of(trial, measured, candidate, screened);
      return steps_.settlement.settle(at_, suspect);
    }
    const auto* before = verdict_on(verdicts_, candidate);
    if (before != nullptr && screened.history.launches.size() <= before->history.launches.size()) {
      newest_.left_alone.insert(
          left_alone_key(continued_work, candidate.name));  // more of the same leads nowhere
    }
    auto verdict = steps_.log.of_screen(newest_.commit, at_.id_at(*trial.control), *trial.test, candidate,
                                        screened, steps_.trials.margin_of(*trial.test, candidate.name),
                                        measured.seed);
    if (!unfit.empty()) verdict.note += "; not recorded: " + unfit;
    steps_.log.save(verdict);
    return true;
  }

  WalkSteps& steps_;
  const Examination& at_;
  NewestGood& newest_;
  Verdicts verdicts_;
};

}  // namespace

IdleStep continue_screen(WalkSteps& steps, const Examination& at, NewestGood& newest) {
  ContinuedScreens screens(steps, at, newest);
  const auto next = screens.next();
  if (!next) return IdleStep::nothing;
  tell_work(steps,
            fmt::format("more launches of {}, which was inconclusive", next->trial.candidates.front().name));
  const auto result = steps.trials.measure(at, next->trial, next->plan);
  if (!result) return IdleStep::stopped;
  if (const auto* reason = std::get_if<NotMeasured>(&*result)) {
    leave_alone(steps, newest, continued_work, next->trial, reason->why);
    return IdleStep::made;
  }
  return screens.settle(next->trial, std::get<Measured>(*result));
}

}  // namespace tandem::daemon
