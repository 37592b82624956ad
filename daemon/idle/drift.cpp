#include "daemon/idle/drift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/change_points.hpp"
#include "analysis/drift.hpp"
#include "daemon/idle/anchors.hpp"
#include "daemon/idle/status_facts.hpp"
#include "daemon/records/wording.hpp"

namespace tandem::daemon {

namespace {

/// What is looked at again with every point; older changes were said when they were seen.
constexpr std::size_t newest_points = 400;

analysis::ChangePointSettings change_point_settings(double margin) {
  analysis::ChangePointSettings settings;
  settings.minimum_size = std::log1p(margin / 4);
  return settings;
}

/// The changes of level, once enough points lie after them to place them well.
std::vector<analysis::ChangePoint> lasting(std::span<const double> levels, double margin) {
  constexpr std::size_t points_after = 8;
  auto changes = analysis::change_points(levels, change_point_settings(margin));
  std::erase_if(changes, [&](const auto& one) { return one.index + points_after > levels.size(); });
  return changes;
}

bool knows(const std::vector<analysis::ChangePoint>& known, const analysis::ChangePoint& one) {
  constexpr std::size_t blur = 3;  // a change may be placed a little differently with one point more
  for (const auto& other : known) {
    const std::size_t apart = other.index > one.index ? other.index - one.index : one.index - other.index;
    if (apart <= blur) return true;
  }
  return false;
}

}  // namespace

std::vector<double> levels_of(const std::vector<store::StoredPoint>& points) {
  std::vector<double> levels;
  std::map<std::string, double> level_of_commit;
  double offset = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& point = points[i];
    const bool begins = i == 0 || points[i - 1].anchor != point.anchor;
    const bool breaks = i > 0 && points[i - 1].environment != point.environment;
    if (begins && i > 0) {
      const auto known = level_of_commit.find(point.anchor);
      offset = known != level_of_commit.end() ? known->second : levels.back() - point.value;
    } else if (breaks) {
      offset = levels.back() - point.value;
    }
    levels.push_back(offset + point.value);
    level_of_commit[point.commit] = levels.back();
  }
  return levels;
}

std::optional<LastingChange> change_by_newest(const std::vector<store::StoredPoint>& points, double margin) {
  const auto levels = levels_of(points);
  const std::size_t skipped = levels.size() > newest_points ? levels.size() - newest_points : 0;
  const std::span<const double> looked_at = std::span(levels).subspan(skipped);
  if (looked_at.size() < 2) return std::nullopt;
  const auto now = lasting(looked_at, margin);
  const auto before = lasting(looked_at.first(looked_at.size() - 1), margin);
  for (auto change = now.rbegin(); change != now.rend(); ++change) {
    if (change->index == 0 || knows(before, *change)) continue;
    return LastingChange{points[skipped + change->index - 1].commit, points[skipped + change->index].commit,
                         change->after - change->before};
  }
  return std::nullopt;
}

std::optional<LastingChange> range_of_drift(const std::vector<store::StoredPoint>& points, double margin) {
  if (points.empty()) return std::nullopt;
  std::size_t first = points.size() - 1;
  while (first > 0 && points[first - 1].anchor == points.back().anchor &&
         points[first - 1].environment == points.back().environment) {
    --first;
  }
  if (points.size() - first > newest_points) first = points.size() - newest_points;
  std::vector<double> values = {0};  // the anchor itself
  for (std::size_t i = first; i < points.size(); ++i) values.push_back(points[i].value);
  const auto range = analysis::drift_range(values, 0, values.size(), std::log1p(margin / 4));
  if (!range || range->first == 0) return std::nullopt;
  const auto commit_of = [&](std::size_t value) {
    return value == 0 ? points.back().anchor : points[first + value - 1].commit;
  };
  return LastingChange{commit_of(range->first - 1), commit_of(range->last), range->size};
}

namespace {

constexpr const char* drift_work = "drift watch";
constexpr std::size_t points_looked_at = 400;

/// What is measured together: benchmarks of one trial that lack a point against one anchor.
struct DueAnchor {
  Span span = Span::month;
  Trial trial;
};

/// So many that points of noisy benchmarks are not worse than those of quiet ones, within the launches of a
/// screen.
std::size_t launches_for(WalkSteps& steps, const Trial& trial) {
  double most = 1;
  for (const Candidate& candidate : trial.candidates) {
    const auto known = steps.context.store.calibration(steps.settings.key, candidate.name);
    if (!known) continue;
    const double margin = steps.trials.margin_of(*trial.test, candidate.name).value;
    const double noise = analysis::expected_sigma(*known).median / margin;
    most = std::max(most, noise * noise);
  }
  const double wanted = static_cast<double>(launches_of_a_point) * most;
  const double cap = static_cast<double>(std::max(steps.settings.max_launches, launches_of_a_point));
  return static_cast<std::size_t>(std::ceil(std::min(wanted, cap)));
}

class DriftWatch {
 public:
  DriftWatch(WalkSteps& steps, const Examination& at, NewestGood& newest)
      : steps_(steps),
        at_(at),
        newest_(newest),
        environment_(environment_mark(known_environment(steps.context.store))) {}

  std::optional<DueAnchor> next() {
    for (const Span span : {Span::month, Span::week}) {
      for (const Trial& trial : newest_.trials) {
        std::map<std::size_t, std::vector<Candidate>> by_anchor;
        for (const Candidate& candidate : trial.candidates) {
          const auto anchor = due_anchor(trial, candidate, span);
          if (anchor) by_anchor[*anchor].push_back(candidate);
        }
        if (by_anchor.empty()) continue;
        auto& [anchor, wanted] = *by_anchor.begin();
        return DueAnchor{span, narrowed(trial, anchor, std::move(wanted))};
      }
    }
    return std::nullopt;
  }

  /// An anchor that is pinned for a month and for a week is measured once.
  bool take_from_month(const DueAnchor& due) {
    if (due.span == Span::month) return false;
    bool any = false;
    for (const Candidate& candidate : due.trial.candidates) {
      const auto month = points(candidate, Span::month);
      const auto& anchor = at_.id_at(*due.trial.control);
      const auto same = std::find_if(month.rbegin(), month.rend(), [&](const auto& one) {
        return one.commit == newest_.commit && one.anchor == anchor && one.environment == environment_;
      });
      if (same == month.rend()) continue;
      store::StoredPoint point = *same;
      point.span = name_of(Span::week);
      steps_.context.store.add_point(steps_.settings.key, point);
      any = true;
    }
    return any;
  }

  IdleStep keep(const DueAnchor& due, const Measured& measured) {
    for (const Candidate& candidate : due.trial.candidates) {
      const Screened* screened = measured.of(candidate);
      const auto value = screened == nullptr || screened->failure
                             ? std::nullopt
                             : value_of(screened->verdict, candidate.metric.direction);
      if (const std::string why = why_no_point(screened, value); !why.empty()) {
        leave_alone(steps_, newest_, drift_work, narrowed(due.trial, *due.trial.control, {candidate}), why);
        continue;
      }
      store::StoredPoint point;
      point.benchmark = candidate.name;
      point.metric = candidate.metric.name;
      point.span = name_of(due.span);
      point.anchor = at_.id_at(*due.trial.control);
      point.commit = newest_.commit;
      point.value = value->value;
      point.deviation = value->deviation;
      point.environment = environment_;
      point.at = steps_.context.now();
      // The point is stored with what came of it: a crash in between repeats both.
      if (!settle_alarm(due, measured, candidate, *screened, point)) return IdleStep::stopped;
      steps_.context.store.add_point(steps_.settings.key, point);
      tell_change(due, candidate);
    }
    return IdleStep::made;
  }

 private:
  [[nodiscard]] std::vector<store::StoredPoint> points(const Candidate& candidate, Span span) const {
    return steps_.context.store.points(steps_.settings.key, candidate.name, candidate.metric.name,
                                       name_of(span), points_looked_at);
  }

  /// Empty: there is one.
  [[nodiscard]] static std::string why_no_point(const Screened* screened,
                                                const std::optional<AnchorValue>& value) {
    if (screened != nullptr && screened->failure) return screened->failure->what;
    if (screened != nullptr && !screened->redefined.empty()) return screened->redefined;
    return value ? "" : "it gave too few values";
  }

  /// Of a benchmark that has no point of the newest commit against it yet.
  [[nodiscard]] std::optional<std::size_t> due_anchor(const Trial& trial, const Candidate& candidate,
                                                      Span span) const {
    if (newest_.left_alone.contains(left_alone_key(drift_work, candidate.name))) return std::nullopt;
    // An alarm that nothing could come of would not come again.
    if (!steps_.trials.unfit(candidate.name).empty()) return std::nullopt;
    auto records =
        steps_.context.store.records({steps_.settings.key, candidate.name, std::nullopt, std::nullopt});
    std::erase_if(records, [&](const Record& one) { return one.metric.name != candidate.metric.name; });
    AnchorQuestion question;
    question.newest = at_.position;
    question.usable = [&](std::size_t earlier) {
      return steps_.controls.comparable(at_.line, earlier, at_.position, *trial.test, candidate.name);
    };
    question.level = level_of(records);
    const auto anchor = anchor_of(at_.line, question, span);
    if (!anchor) return std::nullopt;
    store::StoredPoint wanted;
    wanted.benchmark = candidate.name;
    wanted.metric = candidate.metric.name;
    wanted.span = name_of(span);
    wanted.anchor = at_.id_at(*anchor);
    wanted.commit = newest_.commit;
    wanted.environment = environment_;
    return steps_.context.store.has_point(steps_.settings.key, wanted) ? std::nullopt : anchor;
  }

  /// The last confirmed step, that of the newest commit itself included.
  [[nodiscard]] std::optional<std::size_t> level_of(const std::vector<Record>& records) const {
    const bool here = std::any_of(records.begin(), records.end(), [&](const Record& one) {
      const bool stands =
          is_step(one.kind) && one.state != RecordState::false_alarm && one.state != RecordState::superseded;
      const bool seen_here = at_.line.position(one.treatment.id) ? one.treatment.id == newest_.commit
                                                                 : one.culprit.id == newest_.commit;
      return stands && seen_here;
    });
    return here ? at_.position : level_before(at_.line, at_.position, records);
  }

  /// Smaller changes than those that are settled are said, once.
  void tell_change(const DueAnchor& due, const Candidate& candidate) const {
    const double margin = steps_.trials.margin_of(*due.trial.test, candidate.name).value;
    const auto change = change_by_newest(points(candidate, due.span), margin);
    if (!change) return;
    steps_.context.store.add_event(
        {steps_.settings.key.watch, "drift",
         fmt::format("{} costs {} {} since a commit after {}, up to {}", candidate.name,
                     report::percentage(std::expm1(change->size)), change->size > 0 ? "more" : "less",
                     report::short_commit(change->before), report::short_commit(change->commit)),
         steps_.context.now()});
  }

  /// False: stopped.
  bool settle_alarm(const DueAnchor& due, const Measured& measured, const Candidate& candidate,
                    const Screened& screened, const store::StoredPoint& point) {
    const auto margin = steps_.trials.margin_of(*due.trial.test, candidate.name);
    auto series = points(candidate, due.span);
    series.push_back(point);
    const auto size = drift_at_end(series, margin.value);
    if (!size) return true;
    if (steps_.settings.records != WalkSettings::Records::confirm) return true;
    Suspect suspect = steps_.trials.suspect_of(due.trial, measured, candidate, screened);
    suspect.screened.verdict.outcome = *size > 0 ? analysis::Outcome::slower : analysis::Outcome::faster;
    suspect.origin = Suspect::Origin::drift;
    if (const auto range = range_of_drift(series, margin.value)) {
      const auto after = at_.line.position(range->before);
      const auto up_to = at_.line.position(range->commit);
      if (after && up_to) suspect.likely_range = {*after, *up_to};
    }
    tell_work(steps_, fmt::format("what has changed {} since {}", candidate.name, point.anchor.substr(0, 8)));
    return steps_.settlement.settle(at_, suspect);
  }

  WalkSteps& steps_;
  const Examination& at_;
  NewestGood& newest_;
  std::string environment_;
};

}  // namespace

IdleStep watch_drift(WalkSteps& steps, const Examination& at, NewestGood& newest) {
  DriftWatch watch(steps, at, newest);
  const auto due = watch.next();
  if (!due) return IdleStep::nothing;
  if (watch.take_from_month(*due)) return IdleStep::made;
  const std::string& anchor = at.id_at(*due->trial.control);
  tell_work(steps, fmt::format("{} against the {}'s anchor {}", due->trial.candidates.front().name,
                               name_of(due->span), anchor.substr(0, 8)));
  TrialPlan plan;
  plan.purpose = fmt::format("anchor {}", anchor);
  plan.max_launches = launches_for(steps, due->trial);
  const auto result = steps.trials.measure(at, due->trial, plan);
  if (!result) return IdleStep::stopped;
  if (const auto* reason = std::get_if<NotMeasured>(&*result)) {
    leave_alone(steps, newest, drift_work, due->trial, reason->why);
    return IdleStep::made;
  }
  return watch.keep(*due, std::get<Measured>(*result));
}

}  // namespace tandem::daemon
