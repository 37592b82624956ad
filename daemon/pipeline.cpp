#include "daemon/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "daemon/bench.hpp"
#include "daemon/tribunal.hpp"
#include "specs/error.hpp"

namespace tandem::daemon {
namespace {

/// Time for confirmations may be short: what changed most comes first.
void largest_first(std::vector<Suspect>& suspects) {
  const auto size = [](const Suspect& one) {
    return std::abs(std::log(one.screened.verdict.ratio.estimate));
  };
  std::stable_sort(suspects.begin(), suspects.end(),
                   [&](const Suspect& one, const Suspect& other) { return size(one) > size(other); });
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

  if (treatment != nullptr) {
    // 1, 3, 4: which control, run side by side, judge
    std::vector<Suspect> suspects;
    for (const Trial& trial : bench_->trials(line, position, *treatment, stop)) {
      for (Suspect& suspect : bench_->judge(line, position, *treatment, trial, stop)) {
        suspects.push_back(std::move(suspect));
      }
      if (stop.stop_requested()) return Examined::stopped;
    }
    if (stop.stop_requested()) return Examined::stopped;

    // 5, 6, 7: confirm, find the culprit, report
    largest_first(suspects);
    Tribunal tribunal(settings_, workshop_, *bench_);
    for (const Suspect& suspect : suspects) {
      if (!tribunal.settle(line, position, suspect, stop)) return Examined::stopped;
    }
    bench_->note_missing(line, position);
  }

  // 8: done; written last
  workshop_.store.set_done(settings_.key, commit.id, workshop_.now());
  return Examined::done;
}

}  // namespace tandem::daemon
