#include "daemon/walk/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/error_budget.hpp"
#include "daemon/walk/bench.hpp"
#include "daemon/walk/tribunal.hpp"
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

Pipeline::Pipeline(PipelineSettings settings, Workshop workshop)
    : settings_(std::move(settings)),
      workshop_(std::move(workshop)),
      bench_(std::make_unique<Bench>(settings_, workshop_)) {}

Pipeline::~Pipeline() = default;

void Pipeline::expect_base_on(const Line& line) const {
  if (settings_.control != PipelineSettings::Control::fixed || line.position(settings_.base_commit)) return;
  throw InputError(
      fmt::format("base_commit {} is not on the walk of {}; begin the walk at it or before it (--commit)",
                  settings_.base_commit, settings_.key.watch));
}

Pipeline::Examined Pipeline::examine(const Line& line, std::size_t position, const std::stop_token& stop) {
  const builders::Commit& commit = line.commits.at(position);

  bench_->clear();
  // 2: build
  const builders::Executable* treatment = bench_->build(commit, stop);
  if (stop.stop_requested()) return Examined::stopped;
  if (auto failure = bench_->unbuilt(commit.id)) {
    why_put_off_ = std::move(*failure);
    return Examined::put_off;
  }

  if (treatment != nullptr) {
    // 1, 3, 4: which control, run side by side, judge
    std::vector<Suspect> suspects;
    const auto trials = bench_->trials(line, position, *treatment, stop);
    for (const Trial& trial : trials) {
      for (Suspect& suspect : bench_->judge(line, position, trial, stop)) {
        suspects.push_back(std::move(suspect));
      }
      if (stop.stop_requested()) return Examined::stopped;
    }
    if (stop.stop_requested()) return Examined::stopped;

    // 5, 6, 7: confirm, find the culprit, report
    largest_first(suspects);
    weigh(suspects, workshop_.store.verdicts(settings_.key, commit.id));
    Tribunal tribunal(settings_, workshop_, *bench_);
    const auto begin = std::chrono::steady_clock::now();
    for (const Suspect& suspect : suspects) {
      const bool in_time = std::chrono::steady_clock::now() - begin < settings_.confirmation_time;
      const bool stored = in_time ? tribunal.settle(line, position, suspect, stop)
                                  : tribunal.postpone(line, position, suspect, stop);
      if (!stored) return Examined::stopped;
    }
    bench_->save_held_back();
    if (!tribunal.watch_shipped_layouts(line, position, trials, stop)) return Examined::stopped;
    bench_->note_missing(line, position);
  }

  // 8: done; written last
  workshop_.store.set_done(settings_.key, commit.id, workshop_.now());
  return Examined::done;
}

}  // namespace tandem::daemon
