#include "daemon/idle/idle_time.hpp"

#include <functional>
#include <utility>

#include "daemon/idle/continued_screens.hpp"
#include "daemon/idle/drift.hpp"
#include "daemon/idle/retesting.hpp"
#include "daemon/idle/status_facts.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

/// How long work rests after the ground broke under it.
constexpr std::int64_t again_seconds = 3600;

}  // namespace

IdleTime::IdleTime(PipelineSettings settings, Workshop workshop, Bench& bench, double seconds)
    : settings_(std::move(settings)),
      workshop_(std::move(workshop)),
      ground_{settings_, workshop_, bench},
      calibration_(settings_, workshop_, seconds),
      null_screens_(workshop_.now()) {}

IdleTime::Spent IdleTime::spend_next(const Line& line, const std::stop_token& stop, Work work) {
  Spent spent = Spent::failed;
  try {
    spent = spend(line, stop, work);
  } catch (const std::exception& error) {
    fail(error.what());
  }
  workshop_.status.idle_work.clear();
  return spent;
}

IdleTime::Spent IdleTime::spend(const Line& line, const std::stop_token& stop, Work work) {
  const auto position = newest_good_position(ground_, line);
  if (!position) return Spent::nothing_to_do;
  const builders::Commit& commit = line.commits[*position];
  if (commit.id == failed_with_ && workshop_.now() < failed_at_ + again_seconds) return Spent::nothing_to_do;
  failed_with_ = commit.id;  // until it is known to go well
  failed_at_ = workshop_.now();
  const auto ended = [&](Spent spent) {
    failed_with_.clear();
    return spent;
  };

  if (work == Work::fixes) {
    const auto measured = measure_fix(ground_, line, stop).value_or(IdleStep::nothing);
    return ended(measured == IdleStep::made      ? Spent::retested
                 : measured == IdleStep::stopped ? Spent::stopped
                                                 : Spent::nothing_to_do);
  }
  const IdleStep calibrated =
      work == Work::all_but_calibration ? IdleStep::nothing : calibration_.next(commit, stop);
  if (calibrated == IdleStep::stopped) return ended(Spent::stopped);
  if (calibrated == IdleStep::made) {
    // What is measured next is arranged by what was just found.
    ground_.bench.clear();
    return ended(Spent::calibrated);
  }
  if (work == Work::calibration) return ended(Spent::nothing_to_do);

  if (!look_at(line, *position, stop)) {
    return ended(stop.stop_requested() ? Spent::stopped : Spent::nothing_to_do);
  }
  const std::pair<Spent, std::function<IdleStep()>> steps[] = {
      {Spent::continued, [&] { return continue_screen(ground_, line, *newest_, stop); }},
      {Spent::retested, [&] { return retest(ground_, line, *newest_, stop); }},
      {Spent::compared_with_itself, [&] { return null_screens_.next(ground_, line, *newest_, stop); }},
      {Spent::compared_with_anchor, [&] { return watch_drift(ground_, line, *newest_, stop); }},
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

bool IdleTime::look_at(const Line& line, std::size_t position, const std::stop_token& stop) {
  const builders::Commit& commit = line.commits[position];
  if (newest_ && newest_->commit == commit.id) {
    newest_->position = position;
    return true;
  }
  newest_.reset();
  ground_.bench.clear();
  const builders::Executable* executable = ground_.bench.build(commit, stop);
  if (executable == nullptr || stop.stop_requested()) return false;
  NewestGood found{commit.id, position, {}};
  for (const Test& test : settings_.tests) {
    if (unknown_placeholder(test, *executable)) continue;
    auto listed = ground_.bench.listed(test, *executable, stop);
    if (stop.stop_requested()) return false;
    // A program that does not run has its verdict already.
    auto* trials = std::get_if<std::vector<Trial>>(&listed);
    if (trials == nullptr) continue;
    found.trials.insert(found.trials.end(), trials->begin(), trials->end());
  }
  newest_ = std::move(found);
  return true;
}

void IdleTime::show_findings() {
  show_store(workshop_.status, workshop_.store, workshop_.now());
  const std::string unfit =
      host_unfit(workshop_.store, workshop_.host ? workshop_.host() : std::string(), workshop_.now());
  // The bench remembers whether the host is fit.
  if (unfit != workshop_.status.unfit) ground_.bench.clear();
  workshop_.status.unfit = unfit;
  workshop_.show();
}

/// A disk that is full must not end the service: then only the person who looks on is told.
void IdleTime::fail(const std::string& sentence) {
  workshop_.status.last_error = sentence;
  workshop_.status.last_error_at = workshop_.now();
  try {
    workshop_.store.add_event({settings_.key.watch, "idle time", sentence, workshop_.now()});
  } catch (const Error&) {
  }
  workshop_.show();
}

}  // namespace tandem::daemon
