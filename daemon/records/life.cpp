#include "daemon/records/life.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "specs/foundation/error.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::daemon {
namespace {

constexpr std::int64_t week_seconds = 7 * 24 * 60 * 60;
constexpr std::chrono::hours first_pause{1};  // until what a fix left is measured again
constexpr std::size_t fewest_digits = 7;      // of a commit that a message names

/// Between two moments of one host a change was seen as 5.9 and as 7.6 %: logarithms that differ 1.3-fold.
constexpr double between_moments = 1.5;

using analysis::RatioInterval;

/// The metric's ratio as a cost: above 1 is worse.
RatioInterval cost(const RatioInterval& ratio, specs::Direction direction) {
  if (direction == specs::Direction::lower_is_better) return ratio;
  return {1 / ratio.estimate, 1 / ratio.high, 1 / ratio.low, ratio.level};
}

/// What there is to undo: all of it, or what an earlier step has left of it.
RatioInterval left_of(const Record& regression) {
  RatioInterval ratio = regression.ratio;
  if (regression.remaining) {
    const double share = *regression.remaining / ratio.estimate;
    ratio = {*regression.remaining, ratio.low * share, ratio.high * share, ratio.level};
  }
  return cost(ratio, regression.metric.direction);
}

/// As costs: whether the two intervals, one of them turned over, meet. The two were measured at different
/// times, so that this only helps to say which regression is meant.
bool is_of_that_size(const Record& improvement, const Record& regression) {
  const RatioInterval slower = left_of(regression);
  const RatioInterval faster = cost(improvement.ratio, improvement.metric.direction);
  const double slack = 1 + regression.margin;
  return 1 / faster.low >= slower.low / slack && 1 / faster.high <= slower.high * slack;
}

/// The same of a regression that is the only one: whether the step could be of its size at another moment.
bool could_be_of_that_size(const Record& improvement, const Record& regression) {
  const RatioInterval slower = left_of(regression);
  const RatioInterval faster = cost(improvement.ratio, improvement.metric.direction);
  const double slack = std::log1p(regression.margin);
  const double least = -std::log(faster.high);
  const double most = -std::log(faster.low);
  return least <= between_moments * std::log(slower.high) + slack &&
         between_moments * most + slack >= std::log(slower.low);
}

bool same_series(const Record& one, const Record& other) {
  return one.benchmark == other.benchmark && one.metric.name == other.metric.name;
}

/// The last of the given ones of which this is true: where a patch was brought in twice, its newest coming.
template <class Condition>
std::optional<std::size_t> last_where(const std::vector<std::size_t>& places, Condition condition) {
  const auto found = std::find_if(places.rbegin(), places.rend(), condition);
  return found == places.rend() ? std::nullopt : std::optional(*found);
}

bool is_fine(const Retest& retest) {
  static constexpr std::array fine = {analysis::Outcome::unchanged, analysis::Outcome::identical,
                                      analysis::Outcome::faster};
  return std::find(fine.begin(), fine.end(), retest.outcome) != fine.end();
}

/// Re-tests of a newer commit. One of the confirmation's own pair is a rerun and says nothing about the tip.
std::vector<Retest> looks_at_the_tip(const Record& record) {
  std::vector<Retest> looks = record.retests;
  std::erase_if(looks, [&](const Retest& one) { return one.treatment == record.confirmation.treatment; });
  return looks;
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

/// Whether a rewritten branch is to have it again: what lives, what the level rests on, and what a person
/// dismissed and does not want to be told again.
bool matters(const Record& record) {
  return record.state != RecordState::superseded && (is_alive(record.state) || is_step(record.kind));
}

/// The record as it goes on with the commit that now brings the change.
Record moved(Record record, const builders::Commit& culprit) {
  record.culprit = culprit;
  // The other commits of its range were rewritten, too, and nobody knows into which.
  record.treatment = culprit;
  record.id = record_id(record.key, record.benchmark, record.metric.name, culprit.id);
  record.incident = record_id(record.key, {}, {}, record.treatment.id);
  return record;
}

const Record* with_id(const std::vector<Record>& records, const std::string& id) {
  const auto found =
      std::find_if(records.begin(), records.end(), [&](const Record& one) { return one.id == id; });
  return found == records.end() ? nullptr : &*found;
}

/// Whether a record that comes from elsewhere may stand in its place.
bool may_be_replaced(const Record& record) {
  return record.state == RecordState::superseded ||
         (record.state == RecordState::noted && !is_step(record.kind));
}

/// Whether it goes on under another id, with a commit that the branch has as well.
bool goes_on_elsewhere(const Record& record, const std::vector<Record>& records,
                       const RewrittenBranch& branch) {
  const std::string commit = record.life.empty() ? std::string() : record.life.back().commit;
  const Record* other = with_id(records, record_id(record.key, record.benchmark, record.metric.name, commit));
  return other != nullptr && other->state != RecordState::superseded && branch.has(other->culprit.id);
}

/// What a superseded record is once its commit is back.
RecordState revived_state(const Record& record) {
  if (record.life.size() < 2) return RecordState::noted;
  const RecordState before = record.life[record.life.size() - 2].state;
  if (is_alive(before)) return RecordState::open;
  // Nobody wants to be told again, and the level does not rest on it.
  return before == RecordState::false_alarm ? before : RecordState::noted;
}

}  // namespace

Record with_event(Record record, LifeEvent event) {
  record.state = event.state;
  record.life.push_back(std::move(event));
  return record;
}

std::optional<Ending> ended_by(const std::vector<Record>& alive, const Record& improvement,
                               const builders::CommitFacts& facts) {
  std::vector<std::size_t> ours;
  for (std::size_t i = 0; i < alive.size(); ++i) {
    if (same_series(alive[i], improvement)) ours.push_back(i);
  }
  const auto named = last_where(ours, [&](std::size_t i) {
    return std::any_of(facts.reverts.begin(), facts.reverts.end(), [&](const std::string& commit) {
      return commit.size() >= fewest_digits && alive[i].culprit.id.starts_with(commit);
    });
  });
  if (named) return Ending{*named, "its commit was reverted", Ending::Basis::named};
  const auto undone = last_where(ours, [&](std::size_t i) {
    return !facts.reverse_patch_id.empty() && alive[i].culprit_patch == facts.reverse_patch_id;
  });
  if (undone) return Ending{*undone, "the opposite of its change", Ending::Basis::named};
  const auto quoted = last_where(ours, [&](std::size_t i) {
    return improvement.culprit.subject == fmt::format("Revert \"{}\"", alive[i].culprit.subject);
  });
  if (quoted) return Ending{*quoted, "its commit was reverted", Ending::Basis::named};

  if (ours.size() == 1) {
    const bool fits = could_be_of_that_size(improvement, alive[ours.front()]);
    return Ending{ours.front(), "a confirmed faster step", fits ? Ending::Basis::size : Ending::Basis::alone};
  }
  std::vector<std::size_t> fitting;
  for (const std::size_t i : ours) {
    if (is_of_that_size(improvement, alive[i])) fitting.push_back(i);
  }
  if (fitting.size() != 1) return std::nullopt;
  return Ending{fitting.front(), "a confirmed faster step of about the same size", Ending::Basis::size};
}

bool is_hidden_by_another(
    const Record& regression, const std::string& fix, const std::vector<Record>& records,
    const std::function<std::optional<std::size_t>(const std::string& commit)>& position) {
  const auto from = position(regression.culprit.id);
  const auto to = position(fix);
  return std::any_of(records.begin(), records.end(), [&](const Record& one) {
    const bool stays = is_alive(one.state) || one.state == RecordState::accepted;
    if (one.id == regression.id || !same_series(one, regression) || !is_step(one.kind) || !stays)
      return false;
    const auto at = position(one.culprit.id);
    return from && to && at && *from < *at && *at <= *to;
  });
}

Record after_fix(Record regression, const FixTrial& fix, const Ending& ending) {
  const bool found_before =
      regression.fix && regression.fix->commit == fix.commit && regression.fix->outcome == fix.outcome;
  const RecordState before = regression.state;
  const auto with_state = [&](RecordState state, const std::string& found) {
    return with_event(std::move(regression),
                      {state, fix.at, "tandem", fmt::format("{}; {}", ending.reason, found), fix.commit});
  };
  regression.fix = fix;
  regression.fix->basis = ending.basis;
  if (fix.outcome == FixOutcome::left) {
    regression.remaining = fix.ratio.estimate;
    if (found_before && before == RecordState::partly_fixed) return regression;
    return with_state(RecordState::partly_fixed,
                      "measured against the commit before the culprit, a part of it is left");
  }
  const bool undone = fix.outcome == FixOutcome::gone ||
                      (fix.outcome == FixOutcome::faster && ending.basis != Ending::Basis::alone);
  if (undone || (fix.outcome == FixOutcome::hidden && ending.basis == Ending::Basis::named)) {
    regression.remaining.reset();
    return with_state(RecordState::fixed,
                      undone ? "measured against the commit before the culprit, nothing is left of it"
                             : "a later regression that is still there hides whether anything is left");
  }
  if (fix.outcome == FixOutcome::not_measured && fix.tries == most_tries) {
    return with_state(before, fmt::format("what it leaves of this one could not be measured in {} tries: {}",
                                          most_tries, fix.why));
  }
  if (found_before) return regression;
  if (fix.outcome == FixOutcome::faster) {
    return with_state(before,
                      "it is faster than before the culprit by a step of another size, which does not say "
                      "whether this one was undone");
  }
  return with_state(before, fix.outcome == FixOutcome::hidden
                                ? "a later regression that is still there hides what it leaves of this one"
                                : fmt::format("what it leaves of this one is not known yet: {}", fix.why));
}

bool is_fix_due(const Record& record, std::int64_t now) {
  if (!is_alive(record.state) || !record.fix || record.fix->outcome != FixOutcome::not_measured) return false;
  return record.fix->tries < most_tries &&
         now - record.fix->at >= pause_after(record.fix->tries, first_pause).count();
}

LifeEvent wished(const Record& record, Wish wish, const std::string& by, const std::string& reason,
                 std::int64_t at) {
  const auto refuse = [&](const std::string& why) { throw InputError(fmt::format("{} {}", record.id, why)); };
  const auto event = [&](RecordState state) { return LifeEvent{state, at, by, reason, {}}; };
  const bool alive = is_alive(record.state);
  if (record.state == RecordState::noted) {
    refuse(fmt::format("is a note ({}) and has no life that could change", name_of(record.kind)));
  }
  if (wish == Wish::reopen) {
    if (record.state == RecordState::superseded) {
      refuse("was superseded: its commit is no longer on the branch, or another report took its place");
    }
    if (alive && record.state != RecordState::acknowledged) {
      refuse(fmt::format("is {} already", name_of(record.state)));
    }
    return event(RecordState::open);
  }
  if (!alive) refuse(fmt::format("is {}; reopen it first", name_of(record.state)));
  if (wish == Wish::acknowledge) {
    if (record.state == RecordState::acknowledged) refuse("is acknowledged already");
    return event(RecordState::acknowledged);
  }
  if (is_blank(reason)) refuse("cannot be dismissed without a reason; give one with --reason");
  return event(wish == Wish::accept ? RecordState::accepted : RecordState::false_alarm);
}

bool is_retest_due(const Record& record, std::int64_t now) {
  if (!is_alive(record.state)) return false;
  std::int64_t last = record.life.empty() ? 0 : record.life.back().at;
  const auto looks = looks_at_the_tip(record);
  if (!looks.empty()) last = std::max(last, looks.back().at);
  return now - last >= week_seconds;
}

std::optional<LifeEvent> after_retests(const Record& record, std::int64_t at) {
  const auto looks = looks_at_the_tip(record);
  if (!is_alive(record.state) || looks.size() < 2) return std::nullopt;
  // What was seen before a person opened it again was known to them.
  const auto opened = std::find_if(record.life.rbegin(), record.life.rend(),
                                   [](const LifeEvent& event) { return event.state == RecordState::open; });
  const std::int64_t since = opened == record.life.rend() ? 0 : opened->at;
  const bool recovered = std::all_of(looks.end() - 2, looks.end(),
                                     [&](const Retest& one) { return one.at >= since && is_fine(one); });
  if (!recovered) return std::nullopt;
  return LifeEvent{RecordState::recovered, at, "tandem", "no longer there in two re-tests in a row", {}};
}

std::vector<Record> carried_over(const std::vector<Record>& records, const RewrittenBranch& branch,
                                 std::int64_t at) {
  std::vector<Record> changed;
  for (const Record& record : records) {
    if (!matters(record) || branch.has(record.culprit.id)) continue;
    const auto again = record.culprit_patch.empty() ? std::nullopt : branch.with_patch(record.culprit_patch);
    if (!again) {
      // What a person dismissed stays as they left it.
      if (record.state == RecordState::false_alarm) continue;
      changed.push_back(with_event(
          record, {RecordState::superseded, at, "tandem", "its commit is no longer on the branch", {}}));
      continue;
    }
    Record copy = moved(record, *again);
    changed.push_back(with_event(
        record, {RecordState::superseded, at, "tandem",
                 fmt::format("the branch was rewritten; goes on as report {}", copy.id), again->id}));
    // After a crash, or if it was found again meanwhile, it is there already.
    const Record* known = with_id(records, copy.id);
    if (known == nullptr || may_be_replaced(*known)) changed.push_back(std::move(copy));
  }
  for (const Record& record : records) {
    const bool back = record.state == RecordState::superseded && branch.has(record.culprit.id);
    // A copy that comes back with what happened elsewhere is newer.
    if (!back || with_id(changed, record.id) != nullptr) continue;
    if (goes_on_elsewhere(record, records, branch)) continue;
    changed.push_back(
        with_event(record, {revived_state(record), at, "tandem", "its commit is on the branch again", {}}));
  }
  return changed;
}

}  // namespace tandem::daemon
