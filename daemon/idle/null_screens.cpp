#include "daemon/idle/null_screens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

namespace tandem::daemon {
namespace {

constexpr const char* null_work = "live A/A";

bool lists(const NewestGood& newest, const std::string& benchmark) {
  return std::any_of(newest.trials.begin(), newest.trials.end(), [&](const Trial& trial) {
    return std::any_of(trial.candidates.begin(), trial.candidates.end(),
                       [&](const Candidate& one) { return one.name == benchmark; });
  });
}

/// What is too old, and what nobody could see to be clean, because its program does not have it any more.
void drop_stale(WalkSteps& steps, const NewestGood& newest) {
  auto entries = quarantined(steps.context.store);
  const std::size_t before = entries.size();
  std::erase_if(entries, [&](const Quarantined& one) {
    return is_over(one, steps.context.now()) ||
           (one.key == steps.settings.key && !lists(newest, one.benchmark));
  });
  if (entries.size() < before) set_quarantined(steps.context.store, entries);
}

/// The evidence of each direction; the totals speak only where they are what decides.
analysis::Evidence evidence_of(const analysis::Verdict& verdict) {
  return verdict.decided_by_total ? verdict.total : verdict.median;
}

/// Evidence of independent trials multiplies.
double together(const std::vector<analysis::Verdict>& verdicts) {
  double slower = 1;
  double faster = 1;
  for (const auto& verdict : verdicts) {
    slower *= evidence_of(verdict).slower;
    faster *= evidence_of(verdict).faster;
  }
  return std::max(slower, faster);
}

void judge(WalkSteps& steps, const std::string& benchmark, const std::vector<analysis::Verdict>& verdicts) {
  store::Store& store = steps.context.store;
  auto entries = quarantined(store);
  const auto known = std::find_if(entries.begin(), entries.end(), [&](const Quarantined& one) {
    return one.is_of(steps.settings.key, benchmark);
  });
  const double evidence = together(verdicts);
  if (evidence >= quarantine_evidence && known == entries.end()) {
    entries.push_back({steps.context.now(), steps.settings.key, benchmark});
    store.add_event({steps.settings.key.watch, "quarantine",
                     fmt::format("{} differs from itself (evidence {:.0f} in two trials): nothing is "
                                 "recorded on this host until it does not",
                                 benchmark, evidence),
                     steps.context.now()});
    set_quarantined(store, entries);
  } else if (evidence >= quarantine_evidence) {
    known->at = steps.context.now();
    set_quarantined(store, entries);
  } else if (known != entries.end() && verdicts.back().outcome == analysis::Outcome::unchanged) {
    entries.erase(known);
    store.add_event({steps.settings.key.watch, "quarantine",
                     fmt::format("{} is equal to itself again", benchmark), steps.context.now()});
    set_quarantined(store, entries);
  }
}

}  // namespace

const Trial* NullScreens::turn_of(WalkSteps& steps, const NewestGood& newest) const {
  const auto entries = quarantined(steps.context.store);
  const auto is_quarantined = [&](const Candidate& candidate) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const Quarantined& one) { return one.is_of(steps.settings.key, candidate.name); });
  };
  const Trial* turn = nullptr;
  std::size_t fewest = 0;
  for (const Trial& trial : newest.trials) {
    if (trial.candidates.empty()) continue;
    const std::string& name = trial.candidates.front().name;
    if (newest.left_alone.contains(left_alone_key(null_work, name))) continue;
    if (std::any_of(trial.candidates.begin(), trial.candidates.end(), is_quarantined)) return &trial;
    const auto made = made_.find(name);
    const std::size_t count = made == made_.end() ? 0 : made->second;
    if (turn == nullptr || count < fewest) {
      turn = &trial;
      fewest = count;
    }
  }
  return turn;
}

IdleStep NullScreens::next(WalkSteps& steps, const Examination& at, NewestGood& newest) {
  const std::int64_t begin = steps.context.now();
  drop_stale(steps, newest);
  if (begin < not_before_) return IdleStep::nothing;
  const Trial* turn = turn_of(steps, newest);
  if (turn == nullptr) return IdleStep::nothing;
  const Trial trial = narrowed(*turn, at.position, turn->candidates);
  tell_work(steps, fmt::format("{} next to itself", trial.candidates.front().name));
  const IdleStep step = screen(steps, at, newest, trial);
  if (step == IdleStep::stopped) return step;
  // The clock has whole seconds: short trials must not come for nothing.
  const auto spent = static_cast<double>(std::max<std::int64_t>(1, steps.context.now() - begin));
  not_before_ = begin + static_cast<std::int64_t>(std::ceil(spent / null_screen_share));
  return step;
}

IdleStep NullScreens::screen(WalkSteps& steps, const Examination& at, NewestGood& newest,
                             const Trial& trial) {
  std::map<std::string, std::vector<analysis::Verdict>> verdicts;
  bool again = true;
  for (int look = 0; look < 2 && again; ++look) {
    again = false;
    const std::size_t count = made_[trial.candidates.front().name]++;
    TrialPlan plan;
    plan.purpose = fmt::format("null {} {}", started_, count);
    plan.max_launches = steps.settings.max_launches;
    const auto result = steps.trials.measure(at, trial, plan);
    if (!result) return IdleStep::stopped;
    if (const auto* reason = std::get_if<NotMeasured>(&*result)) {
      leave_alone(steps, newest, null_work, trial, reason->why);
      return IdleStep::made;
    }
    for (const Candidate& one : trial.candidates) {
      const Screened* screened = std::get<Measured>(*result).of(one);
      if (screened == nullptr || screened->failure || screened->verdict.launches == 0) continue;
      verdicts[one.name].push_back(screened->verdict);
      steps.context.store.add_null_screen(
          steps.settings.key,
          {one.name, screened->verdict.outcome, together({screened->verdict}), steps.context.now()});
      again = again || is_changed(screened->verdict);
    }
  }
  if (verdicts.empty()) {
    leave_alone(steps, newest, null_work, trial, "it did not run next to itself");
  }
  for (const auto& [benchmark, seen] : verdicts) judge(steps, benchmark, seen);
  return IdleStep::made;
}

}  // namespace tandem::daemon
