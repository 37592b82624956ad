// Changes that only the layout as built has: how they stand at each commit, until they last or are gone.
#include <algorithm>
#include <cmath>

#include "analysis/statistics.hpp"
#include "daemon/records/life.hpp"
#include "daemon/walk/publish.hpp"
#include "daemon/walk/settle.hpp"

namespace tandem::daemon {
namespace {

constexpr std::size_t launches_per_commit = 4;
/// A layout that stays bad for so many commits is what people get.
constexpr std::size_t lasting_commits = 8;

/// Whether the newest sightings, as many as it takes, all show the change at twice the margin.
bool lasts(const Record& record) {
  if (record.sightings.size() < lasting_commits) return false;
  const bool slower = record.screen.outcome == analysis::Outcome::slower;
  return std::all_of(
      record.sightings.end() - lasting_commits, record.sightings.end(),
      [&](const Sighting& one) { return (slower ? one.log_ratio : -one.log_ratio) >= 2 * record.margin; });
}

/// What the newest sightings say: their median between the smallest and the largest, which miss the true
/// middle once in 2^7.
analysis::RatioInterval shipped_ratio(const Record& record) {
  std::vector<double> values;
  for (auto one = record.sightings.end() - lasting_commits; one != record.sightings.end(); ++one) {
    values.push_back(one->log_ratio);
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const analysis::RatioInterval cost{std::exp(analysis::median(values).value_or(0)), std::exp(*low),
                                     std::exp(*high),
                                     1 - std::exp2(1.0 - static_cast<double>(lasting_commits))};
  return metric_ratio(cost, record.metric.direction);
}

/// Whether the newest two sightings show nothing worth knowing any more.
bool is_gone(const Record& record) {
  constexpr std::size_t enough = 2;
  if (record.sightings.size() < enough) return false;
  const bool slower = record.screen.outcome == analysis::Outcome::slower;
  return std::all_of(record.sightings.end() - enough, record.sightings.end(), [&](const Sighting& one) {
    return (slower ? one.log_ratio : -one.log_ratio) < record.margin;
  });
}

}  // namespace

void Settlement::add_sighting(const Examination& at, const Record& record, double log_ratio) {
  const Sighting seen{at.id(), log_ratio};
  const auto change = [this, seen](Record one) {
    const bool again = std::any_of(one.sightings.begin(), one.sightings.end(),
                                   [&](const Sighting& other) { return other.commit == seen.commit; });
    if (!again) one.sightings.push_back(seen);
    if (is_alive(one.state) && is_gone(one)) {
      return with_event(std::move(one), {RecordState::recovered, context_.now(), "tandem",
                                         "the layout that is shipped is as fast as before", seen.commit});
    }
    const bool slower = one.screen.outcome == analysis::Outcome::slower;
    if (one.state != RecordState::noted || !slower || !lasts(one)) return one;
    one.ratio = shipped_ratio(one);
    return with_event(std::move(one),
                      {RecordState::open, context_.now(), "tandem",
                       "the layout that is shipped has been slower in eight commits", seen.commit});
  };
  context_.store.save_records({}, {published(context_.publisher, {record.id, change})});
}

bool Settlement::watch_shipped_layouts(const Examination& at, const std::vector<Trial>& trials) {
  for (const Record& record :
       context_.store.records({settings_.key, std::nullopt, RecordKind::layout, std::nullopt})) {
    // What a person has dismissed, or has ended, is left alone.
    if (record.state != RecordState::noted && !is_alive(record.state)) continue;
    const auto seen = at.line.position(record.treatment.id);
    if (!seen || !at.line.leads_to(*seen, at.position)) continue;
    for (const Trial& trial : trials) {
      // With another control the comparison begins anew.
      if (!trial.control || at.id_at(*trial.control) != record.control.id) continue;
      for (const Candidate& candidate : trial.candidates) {
        if (candidate.name != record.benchmark || candidate.metric.name != record.metric.name) continue;
        const auto suspect = trials_.as_if_suspect(at, narrowed(trial, *trial.control, {candidate}), record);
        if (at.stopped()) return false;
        if (!suspect) continue;
        const auto values =
            confirmer_.as_built(at, *trial.control, at.position, *suspect, launches_per_commit);
        if (at.stopped()) return false;
        if (const auto middle = analysis::median(values)) add_sighting(at, record, *middle);
      }
    }
  }
  return true;
}

}  // namespace tandem::daemon
