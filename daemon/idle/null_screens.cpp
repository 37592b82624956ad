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
void drop_stale(const IdleGround& ground, const NewestGood& newest) {
  auto entries = quarantined(ground.workshop.store);
  const std::size_t before = entries.size();
  std::erase_if(entries, [&](const Quarantined& one) {
    return is_over(one, ground.workshop.now()) ||
           (one.key == ground.settings.key && !lists(newest, one.benchmark));
  });
  if (entries.size() < before) set_quarantined(ground.workshop.store, entries);
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

void judge(const IdleGround& ground, const std::string& benchmark,
           const std::vector<analysis::Verdict>& verdicts) {
  store::Store& store = ground.workshop.store;
  auto entries = quarantined(store);
  const auto known = std::find_if(entries.begin(), entries.end(), [&](const Quarantined& one) {
    return one.is_of(ground.settings.key, benchmark);
  });
  const double evidence = together(verdicts);
  if (evidence >= quarantine_evidence && known == entries.end()) {
    entries.push_back({ground.workshop.now(), ground.settings.key, benchmark});
    store.add_event({ground.settings.key.watch, "quarantine",
                     fmt::format("{} differs from itself (evidence {:.0f} in two trials): nothing is "
                                 "recorded on this host until it does not",
                                 benchmark, evidence),
                     ground.workshop.now()});
    set_quarantined(store, entries);
  } else if (evidence >= quarantine_evidence) {
    known->at = ground.workshop.now();
    set_quarantined(store, entries);
  } else if (known != entries.end() && verdicts.back().outcome == analysis::Outcome::unchanged) {
    entries.erase(known);
    store.add_event({ground.settings.key.watch, "quarantine",
                     fmt::format("{} is equal to itself again", benchmark), ground.workshop.now()});
    set_quarantined(store, entries);
  }
}

}  // namespace

const Trial* NullScreens::turn_of(const IdleGround& ground, const NewestGood& newest) const {
  const auto entries = quarantined(ground.workshop.store);
  const auto is_quarantined = [&](const Candidate& candidate) {
    return std::any_of(entries.begin(), entries.end(), [&](const Quarantined& one) {
      return one.is_of(ground.settings.key, candidate.name);
    });
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

IdleStep NullScreens::next(const IdleGround& ground, const Line& line, NewestGood& newest,
                           const std::stop_token& stop) {
  const std::int64_t begin = ground.workshop.now();
  drop_stale(ground, newest);
  if (begin < not_before_) return IdleStep::nothing;
  const Trial* turn = turn_of(ground, newest);
  if (turn == nullptr) return IdleStep::nothing;
  const Trial trial = narrowed(*turn, newest.position, turn->candidates);
  tell_work(ground, fmt::format("{} next to itself", trial.candidates.front().name));
  const IdleStep step = screen(ground, line, newest, trial, stop);
  if (step == IdleStep::stopped) return step;
  // The clock has whole seconds: short trials must not come for nothing.
  const auto spent = static_cast<double>(std::max<std::int64_t>(1, ground.workshop.now() - begin));
  not_before_ = begin + static_cast<std::int64_t>(std::ceil(spent / null_screen_share));
  return step;
}

IdleStep NullScreens::screen(const IdleGround& ground, const Line& line, NewestGood& newest,
                             const Trial& trial, const std::stop_token& stop) {
  std::map<std::string, std::vector<analysis::Verdict>> verdicts;
  bool again = true;
  for (int look = 0; look < 2 && again; ++look) {
    again = false;
    const std::size_t count = made_[trial.candidates.front().name]++;
    TrialPlan plan;
    plan.treatment = newest.position;
    plan.words = fmt::format("null {} {}", started_, count);
    plan.max_launches = ground.settings.max_launches;
    const auto result = ground.bench.measure(line, trial, plan, stop);
    if (!result) return IdleStep::stopped;
    if (const auto* reason = std::get_if<NotMeasured>(&*result)) {
      leave_alone(ground, newest, null_work, trial, reason->why);
      return IdleStep::made;
    }
    for (const Candidate& one : trial.candidates) {
      const Screened* screened = screened_of(std::get<Measured>(*result), one);
      if (screened == nullptr || screened->failure || screened->verdict.launches == 0) continue;
      verdicts[one.name].push_back(screened->verdict);
      ground.workshop.store.add_null_screen(ground.settings.key,
                                            {one.name, analysis::name_of(screened->verdict.outcome),
                                             together({screened->verdict}), ground.workshop.now()});
      again = again || is_changed(screened->verdict);
    }
  }
  if (verdicts.empty()) {
    leave_alone(ground, newest, null_work, trial, "it did not run next to itself");
  }
  for (const auto& [benchmark, seen] : verdicts) judge(ground, benchmark, seen);
  return IdleStep::made;
}

}  // namespace tandem::daemon
