#include "daemon/idle/continued_screens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "daemon/walk/tribunal.hpp"

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

class Continuing {
 public:
  Continuing(const IdleGround& ground, const Line& line, NewestGood& newest)
      : ground_(ground),
        line_(line),
        newest_(newest),
        verdicts_(ground.workshop.store.verdicts(ground.settings.key, newest.commit)) {}

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

  IdleStep settle(const Trial& trial, const Measured& measured, const std::stop_token& stop) {
    for (const Candidate& candidate : trial.candidates) {
      const Screened* screened = screened_of(measured, candidate);
      if (screened == nullptr || screened->failure) {
        leave_alone(ground_, newest_, continued_work, narrowed(trial, *trial.control, {candidate}),
                    screened == nullptr ? "it was not printed side by side" : screened->failure->what);
        continue;
      }
      if (!keep(trial, measured, candidate, *screened, stop)) return IdleStep::stopped;
    }
    return IdleStep::made;
  }

 private:
  /// Of one that is to be continued.
  [[nodiscard]] std::optional<std::size_t> control_of(const Candidate& candidate) const {
    const auto* verdict = verdict_on(verdicts_, candidate);
    if (verdict == nullptr || verdict->outcome != "inconclusive") return std::nullopt;
    if (newest_.left_alone.contains(left_alone_key(continued_work, candidate.name))) return std::nullopt;
    if (verdict->history.launches.size() >= most_continuations * ground_.settings.max_launches) {
      return std::nullopt;
    }
    const auto control = line_.position(verdict->control);
    return control && line_.leads_to(*control, newest_.position) ? control : std::nullopt;
  }

  Continuation continuation(Trial trial) const {
    Continuation one{std::move(trial), {newest_.position, {}, ground_.settings.max_launches}};
    std::size_t made = 0;
    for (const Candidate& candidate : one.trial.candidates) {
      const auto& history = verdict_on(verdicts_, candidate)->history;
      const double margin = ground_.bench.margin_of(*one.trial.test, candidate.name).value;
      // Launches that were judged with another margin have to be made anew.
      if (std::abs(history.settings.margin - margin) > 1e-9) continue;
      made = std::max(made, history.launches.size());
      one.plan.goes_on[series_key(candidate.in_program, candidate.metric)] = history;
    }
    const std::size_t screens = ground_.settings.max_launches;
    one.plan.max_launches = std::min(made + screens, most_continuations * screens);
    return one;
  }

  /// False: stopped.
  bool keep(const Trial& trial, const Measured& measured, const Candidate& candidate,
            const Screened& screened, const std::stop_token& stop) {
    const bool confirmed =
        is_changed(screened.verdict) && ground_.settings.records == PipelineSettings::Records::confirm;
    const std::string unsound = confirmed ? ground_.bench.unfit(candidate.name) : std::string();
    if (confirmed && unsound.empty()) {
      const Suspect suspect = ground_.bench.suspect_of(trial, measured, candidate, screened);
      return Tribunal(ground_.settings, ground_.workshop, ground_.bench)
          .settle(line_, newest_.position, suspect, stop);
    }
    const auto* before = verdict_on(verdicts_, candidate);
    if (before != nullptr && screened.history.launches.size() <= before->history.launches.size()) {
      newest_.left_alone.insert(
          left_alone_key(continued_work, candidate.name));  // more of the same leads nowhere
    }
    auto verdict = ground_.bench.verdict_of(newest_.commit, line_.commits[*trial.control].id, *trial.test,
                                            candidate, screened, measured.seed);
    if (!unsound.empty()) verdict.note += "; not recorded: " + unsound;
    ground_.workshop.store.save_step(ground_.settings.key, {verdict, {}});
    ground_.bench.tell_verdict(verdict);
    return true;
  }

  const IdleGround& ground_;
  const Line& line_;
  NewestGood& newest_;
  Verdicts verdicts_;
};

}  // namespace

IdleStep continue_screen(const IdleGround& ground, const Line& line, NewestGood& newest,
                         const std::stop_token& stop) {
  Continuing continuing(ground, line, newest);
  const auto next = continuing.next();
  if (!next) return IdleStep::nothing;
  tell_work(ground,
            fmt::format("more launches of {}, which was inconclusive", next->trial.candidates.front().name));
  const auto result = ground.bench.measure(line, next->trial, next->plan, stop);
  if (!result) return IdleStep::stopped;
  if (const auto* reason = std::get_if<NotMeasured>(&*result)) {
    leave_alone(ground, newest, continued_work, next->trial, reason->why);
    return IdleStep::made;
  }
  return continuing.settle(next->trial, std::get<Measured>(*result), stop);
}

}  // namespace tandem::daemon
