#include "daemon/walk/fix_trial.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace tandem::daemon {
namespace {

using analysis::Outcome;

/// Confirmations of a suspect, of a search and of a rerun have other streams of coins.
constexpr std::uint64_t stream_of_fixes = 5;

/// The earlier try of the same measurement; nothing: this is the first.
const FixTrial* earlier_try(const Record& regression, const std::string& fixed_by) {
  const bool same = regression.fix && regression.fix->commit == fixed_by &&
                    regression.fix->outcome == FixOutcome::not_measured;
  return same ? &*regression.fix : nullptr;
}

/// The launches that the next try goes on with. Those of another pair or margin have to be made anew.
analysis::ScreenHistory history_of(const FixTrial* earlier, const FixTrial& now, double margin) {
  if (earlier == nullptr || earlier->control != now.control || earlier->treatment != now.treatment) return {};
  return std::abs(earlier->screen.settings.margin - margin) > 1e-9 ? analysis::ScreenHistory{}
                                                                   : earlier->screen;
}

}  // namespace

std::optional<std::size_t> FixTrials::control_of(const Line& line, const Record& regression) {
  if (const auto known = line.position(regression.confirmation.control)) return known;
  const auto culprit = line.position(regression.culprit.id);
  return culprit ? controls_.nearest_before(line, *culprit, regression.benchmark) : std::nullopt;
}

std::optional<Trial> FixTrials::trial_of(const Examination& at, const builders::Executable& executable,
                                         const Record& regression, std::size_t control) {
  for (const Test& test : settings_.tests) {
    const auto listed = trials_.list(test, executable, at.stop);
    const auto* trials = std::get_if<std::vector<Trial>>(&listed);
    if (trials == nullptr) continue;
    if (auto found = find_trial(*trials, regression.benchmark, control)) return found;
  }
  return std::nullopt;
}

std::optional<FixTrial> FixTrials::measure(const Examination& at, const Record& regression,
                                           const std::string& fixed_by) {
  FixTrial found;
  found.commit = fixed_by;
  found.treatment = at.id();
  found.ratio = {1.0, 0.0, std::numeric_limits<double>::infinity(), 1.0};
  found.at = context_.now();
  const FixTrial* const earlier = earlier_try(regression, fixed_by);
  if (earlier != nullptr) found.tries = earlier->tries + 1;
  const auto not_measured = [&](std::string why) {
    found.why = std::move(why);
    return found;
  };
  const auto control = control_of(at.line, regression);
  if (!control) return not_measured("the commit before the culprit is not on the branch");
  found.control = at.id_at(*control);
  const auto* executable = builds_.build(at.commit(), at.stop);
  if (at.stopped()) return std::nullopt;
  if (executable == nullptr) return not_measured("the faster commit does not build");
  auto trial = trial_of(at, *executable, regression, *control);
  if (at.stopped()) return std::nullopt;
  if (!trial) return not_measured("the faster commit does not have the benchmark");

  const bool of_first_metric = trial->candidates.front().metric.name == regression.metric.name;
  const Candidate& candidate = trial->candidates.front();
  trial->candidates.front().metric = regression.metric;
  found.screen = history_of(earlier, found, trials_.margin_of(*trial->test, candidate.name).value);
  TrialPlan plan;
  // A second attempt has coins of its own.
  plan.purpose = fmt::format("fix {} {}", regression.id, regression.fix ? regression.fix->at : 0);
  plan.max_launches = found.screen.launches.size() + settings_.max_launches;
  if (!found.screen.launches.empty()) {
    plan.goes_on[series_key(candidate.in_program, candidate.metric)] = found.screen;
  }
  if (!of_first_metric) plan.metric = regression.metric.name;
  const auto result = trials_.measure(at, *trial, plan);
  if (!result) return std::nullopt;
  if (const auto* reason = std::get_if<NotMeasured>(&*result)) return not_measured(reason->why);
  const auto& measured = std::get<Measured>(*result);
  const Screened* screened = measured.of(candidate);
  if (screened == nullptr) return not_measured("it was not printed side by side");
  if (screened->failure) return not_measured(screened->failure->what);
  if (!screened->redefined.empty()) return not_measured(screened->redefined);
  found.ratio = screened->verdict.ratio;
  found.screen = screened->history;
  const auto decided = [&](FixOutcome outcome) {
    found.outcome = outcome;
    found.screen = {};
    return found;
  };
  switch (screened->verdict.outcome) {
    case Outcome::unchanged:
    case Outcome::identical:
      return decided(FixOutcome::gone);
    case Outcome::faster:
      return decided(FixOutcome::faster);
    case Outcome::slower:
      break;
    default:
      return not_measured(fmt::format("{} launches did not decide it", screened->verdict.launches));
  }
  const Suspect suspect = trials_.suspect_of(*trial, measured, candidate, *screened);
  const auto again = confirmer_.confirm(at, *control, at.position, suspect, stream_of_fixes);
  if (at.stopped()) return std::nullopt;
  if (!again) return not_measured("one of the two commits does not build any more");
  found.ratio = metric_ratio(again->result.ratio, regression.metric.direction);
  if (is_confirmed(again)) return decided(FixOutcome::left);
  if (again->result.units > 0 && again->result.ratio.high <= 1 + suspect.margin.value) {
    return decided(FixOutcome::gone);
  }
  return not_measured("a screen said slower, and its confirmation did not decide it");
}

}  // namespace tandem::daemon
