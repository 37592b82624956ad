#include "daemon/idle/idle_time.hpp"

#include <functional>
#include <utility>

#include "daemon/idle/drift.hpp"
#include "daemon/idle/second_looks.hpp"
#include "daemon/idle/status_facts.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

/// How long work rests after the host failed under it.
constexpr std::int64_t again_seconds = 3600;

}  // namespace

IdleTime::IdleTime(WalkSteps& steps, double seconds)
    : steps_(steps),
      calibration_(steps.settings, steps.context, seconds),
      null_screens_(steps.context.now()) {}

IdleTime::Spent IdleTime::spend_next(const Line& line, const std::stop_token& stop, Work work) {
  Spent spent = Spent::failed;
  try {
    spent = spend(line, stop, work);
  } catch (const std::exception& error) {
    fail(error.what());
  }
  steps_.context.status.idle_work.clear();
  return spent;
}

IdleTime::Spent IdleTime::spend(const Line& line, const std::stop_token& stop, Work work) {
  const auto position = newest_good_position(steps_, line);
  if (!position) return Spent::nothing_to_do;
  const Examination at{line, *position, stop};
  const builders::Commit& commit = at.commit();
  if (commit.id == failed_with_ && steps_.context.now() < failed_at_ + again_seconds)
    return Spent::nothing_to_do;
  failed_with_ = commit.id;  // until it is known to go well
  failed_at_ = steps_.context.now();
  const auto ended = [&](Spent spent) {
    failed_with_.clear();
    return spent;
  };

  if (work == Work::fixes) {
    const auto measured = measure_fix(steps_, at).value_or(IdleStep::nothing);
    return ended(measured == IdleStep::made      ? Spent::retested
                 : measured == IdleStep::stopped ? Spent::stopped
                                                 : Spent::nothing_to_do);
  }
  const IdleStep calibrated =
      work == Work::all_but_calibration ? IdleStep::nothing : calibration_.next(commit, stop);
  if (calibrated == IdleStep::stopped) return ended(Spent::stopped);
  if (calibrated == IdleStep::made) {
    // What was just found decides how the next benchmark is measured.
    steps_.clear();
    return ended(Spent::calibrated);
  }
  if (work == Work::calibration) return ended(Spent::nothing_to_do);

  if (!look_at(at)) {
    return ended(stop.stop_requested() ? Spent::stopped : Spent::nothing_to_do);
  }
  const std::pair<Spent, std::function<IdleStep()>> steps[] = {
      {Spent::continued, [&] { return continue_screen(steps_, at, *newest_); }},
      {Spent::retested, [&] { return retest(steps_, at, *newest_); }},
      {Spent::compared_with_itself, [&] { return null_screens_.next(steps_, at, *newest_); }},
      {Spent::compared_with_anchor, [&] { return watch_drift(steps_, at, *newest_); }},
  };
  for (const auto& [spent, step] : steps) {
    const IdleStep made = step();
    if (made == IdleStep::stopped) return ended(Spent::stopped);
    if (made == IdleStep::nothing) continue;
    show_findings();
    return ended(spent);
  }
  return ended(Spent::nothing_to_do);
}

bool IdleTime::look_at(const Examination& at) {
  if (newest_ && newest_->commit == at.id()) return true;
  newest_.reset();
  steps_.clear();
  const builders::Executable* executable = steps_.builds.build(at.commit(), at.stop);
  if (executable == nullptr || at.stopped()) return false;
  NewestGood found{at.id(), {}};
  for (const Test& test : steps_.settings.tests) {
    if (unknown_placeholder(test, *executable)) continue;
    auto listed = steps_.trials.list(test, *executable, at.stop);
    if (at.stopped()) return false;
    // A program that does not run has its verdict already.
    auto* trials = std::get_if<std::vector<Trial>>(&listed);
    if (trials == nullptr) continue;
    found.trials.insert(found.trials.end(), trials->begin(), trials->end());
  }
  newest_ = std::move(found);
  return true;
}

void IdleTime::show_findings() {
  show_store(steps_.context.status, steps_.context.store, steps_.context.now());
  const std::string unfit =
      host_unfit(steps_.context.store, steps_.context.host ? steps_.context.host() : std::string(),
                 steps_.context.now());
  // The steps remember whether the host is fit.
  if (unfit != steps_.context.status.unfit) steps_.clear();
  steps_.context.status.unfit = unfit;
  steps_.context.show();
}

/// A disk that is full must not end the service: then only the person who looks on is told.
void IdleTime::fail(const std::string& sentence) {
  steps_.context.status.last_error = sentence;
  steps_.context.status.last_error_at = steps_.context.now();
  try {
    steps_.context.store.add_event({steps_.settings.key.watch, "idle time", sentence, steps_.context.now()});
  } catch (const Error&) {
  }
  steps_.context.show();
}

}  // namespace tandem::daemon
