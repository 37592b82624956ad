#include "daemon/walk/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/error_budget.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

/// Time for confirmations may be short: what changed most comes first. The metrics of one benchmark stay
/// together in the order in which they were judged, for with its last one the benchmark counts as judged.
void largest_first(std::vector<Suspect>& suspects) {
  std::map<std::string, double> largest;  // of each benchmark
  for (const Suspect& one : suspects) {
    double& size = largest[one.candidate.name];
    size = std::max(size, std::abs(std::log(one.screened.verdict.ratio.estimate)));
  }
  std::stable_sort(suspects.begin(), suspects.end(), [&](const Suspect& one, const Suspect& other) {
    const double mine = largest[one.candidate.name];
    const double others = largest[other.candidate.name];
    return mine != others ? mine > others : one.candidate.name < other.candidate.name;
  });
}

/// The evidence of a screen for any change, at the launch where it ended. The mean of e-values is an e-value,
/// whatever depends on what; the largest of them is none, and e-BH would promise too much from it.
double strength_of(const analysis::Verdict& verdict) {
  return (verdict.median.slower + verdict.median.faster + verdict.total.slower + verdict.total.faster) / 4;
}

/// Many tests of one commit: how far each suspect stands out among all of them.
void weigh(std::vector<Suspect>& suspects, const std::vector<store::StoredVerdict>& others) {
  std::vector<double> evidence;
  for (const Suspect& one : suspects) evidence.push_back(strength_of(one.screened.verdict));
  for (const auto& one : others) {
    if (one.verdict.launches > 0) evidence.push_back(strength_of(one.verdict));
  }
  const auto q_values = analysis::e_bh_q_values(evidence);
  for (std::size_t i = 0; i < suspects.size(); ++i) suspects[i].q_value = q_values[i];
}

}  // namespace

void Pipeline::expect_base_on(const Line& line) const {
  if (steps_.settings.control != config::ControlRule::fixed || line.position(steps_.settings.base_commit))
    return;
  throw InputError(
      fmt::format("base_commit {} is not on the walk of {}; begin the walk at it or before it (--commit)",
                  steps_.settings.base_commit, steps_.settings.key.watch));
}

Pipeline::Examined Pipeline::examine(const Examination& at) {
  steps_.clear();
  const auto* treatment = steps_.builds.build(at.commit(), at.stop);  // 2: build
  if (at.stopped()) return Examined::stopped;
  if (auto failure = steps_.builds.unbuilt(at.id())) {
    why_put_off_ = std::move(*failure);
    return Examined::put_off;
  }
  if (treatment != nullptr) {
    const auto trials = steps_.judge.trials_of(at, *treatment);  // 1: which control
    const auto suspects = screen_all(at, trials);                // 3, 4: run side by side, judge
    if (!suspects) return Examined::stopped;
    if (!settle_all(at, *suspects)) return Examined::stopped;  // 5, 6, 7: confirm, find the culprit, report
    steps_.log.save_held_back();
    if (!steps_.settlement.watch_shipped_layouts(at, trials)) return Examined::stopped;
    steps_.judge.note_missing(at);
  }
  steps_.context.store.set_done(steps_.settings.key, at.id(), steps_.context.now());  // 8: done, written last
  return Examined::done;
}

std::optional<std::vector<Suspect>> Pipeline::screen_all(const Examination& at,
                                                         const std::vector<Trial>& trials) {
  std::vector<Suspect> suspects;
  for (const Trial& trial : trials) {
    for (Suspect& suspect : steps_.judge.judge(at, trial)) suspects.push_back(std::move(suspect));
    if (at.stopped()) return std::nullopt;
  }
  if (at.stopped()) return std::nullopt;
  largest_first(suspects);
  weigh(suspects, steps_.context.store.verdicts(steps_.settings.key, at.id()));
  return suspects;
}

bool Pipeline::settle_all(const Examination& at, const std::vector<Suspect>& suspects) {
  const auto begin = std::chrono::steady_clock::now();
  for (const Suspect& suspect : suspects) {
    const bool in_time = std::chrono::steady_clock::now() - begin < steps_.settings.confirmation_time;
    const bool stored =
        in_time ? steps_.settlement.settle(at, suspect) : steps_.settlement.postpone(at, suspect);
    if (!stored) return false;
  }
  return true;
}

}  // namespace tandem::daemon
