#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/confirmation.hpp"
#include "analysis/screen.hpp"
#include "analysis/verdict.hpp"
#include "builders/commit.hpp"
#include "runners/host/machine_facts.hpp"
#include "runners/pairing/pair_runner.hpp"
#include "specs/benchmark/metric.hpp"

namespace tandem::daemon {

/// One branch of a repository on one platform: the scope of every verdict and record.
struct WatchKey {
  std::string watch;
  std::string platform;
  bool operator==(const WatchKey&) const = default;
};

/// What came of a suspect. Only what got worse has a life after its first state; the others are noted and
/// visible. `postponed`: the time for confirmations was used up; it waits for idle time. `unconfirmed`: its
/// programs could not be linked or launched, so nothing is known; it is tried again some times.
enum class RecordKind {
  regression,
  improvement,
  accumulated,
  layout,
  not_reproduced,
  postponed,
  unconfirmed
};

/// `partly_fixed`: some of it is left. `recovered`: gone, and no commit is known to have done it. `accepted`
/// and `false_alarm`: a person dismissed it so. `superseded`: its commit is no longer on the branch, or
/// another record took its place.
enum class RecordState {
  open,
  acknowledged,
  partly_fixed,
  fixed,
  recovered,
  accepted,
  false_alarm,
  superseded,
  noted
};

/// Whether it is a confirmed step of the level.
[[nodiscard]] bool is_step(RecordKind kind);
/// Whether the branch still has it: open, acknowledged or partly fixed.
[[nodiscard]] bool is_alive(RecordState state);

[[nodiscard]] const char* name_of(RecordKind kind);  ///< "regression", …, "not reproduced", "postponed"
[[nodiscard]] const char* name_of(RecordState state);  ///< "open", …, "dismissed as false alarm", …, "noted"

/// One change of state: when, by whom, why, and by which commit if by one.
struct LifeEvent {
  RecordState state = RecordState::open;
  std::int64_t at = 0;  ///< seconds since 1970 UTC
  std::string by;
  std::string reason;
  std::string commit;
};

/// One later look at a regression: the culprit's parent against a newer commit.
struct Retest {
  std::int64_t at = 0;
  std::string control;
  std::string treatment;
  analysis::Outcome outcome = analysis::Outcome::unchanged;
  analysis::RatioInterval ratio;
};

/// What a faster commit left of a regression. `gone`: it costs the same as before the culprit. `faster`: it
/// costs less than that. `hidden`: it is slower, where a later regression that stays may be the reason.
enum class FixOutcome { gone, faster, left, hidden, not_measured };
[[nodiscard]] const char* name_of(FixOutcome outcome);  ///< "gone", "faster", …, "not measured"

/// Why a faster commit concerns a regression. `named`: its message or its patch says so. `size`: the two are
/// of about one size. `alone`: of another size, and no other regression is open.
enum class FixBasis { named, size, alone };
[[nodiscard]] const char* name_of(FixBasis basis);  ///< "named", "size", "alone"

/// The faster commit side by side with the commit that the regression was confirmed against.
struct FixTrial {
  std::string commit;     ///< that made it faster
  std::string control;    ///< the culprit's parent, as in the confirmation
  std::string treatment;  ///< that commit, or a later one
  FixOutcome outcome = FixOutcome::not_measured;
  analysis::RatioInterval ratio;  ///< of the metric; 1, from 0 to infinity, where nothing was measured
  std::int64_t at = 0;
  std::string why;  ///< of one that was not measured
  FixBasis basis = FixBasis::size;
  std::size_t tries = 1;
  analysis::ScreenHistory screen = {};  ///< of one that was not measured: the next try goes on with it
};

/// How one commit's build, in the layout that it ships with, stood against its control: of a change that only
/// the shipped layout has.
struct Sighting {
  std::string commit;
  double log_ratio = 0;  ///< as a cost
};

/// How the culprit was found among commits that had not been examined.
struct SearchRecord {
  std::size_t commits = 0;       ///< of the range
  std::size_t measurements = 0;  ///< 0: there was nothing to search
  std::vector<std::string> broken;
};

/// The second trial as it was decided, with the unit values (ln treatment/control as a cost) it rests on. Its
/// ratio is a cost until it stands in a Record, where it speaks of the metric.
struct ConfirmationRecord {
  std::string control;    ///< commit; the culprit's nearest earlier commit that builds
  std::string treatment;  ///< commit
  analysis::ConfirmationResult result;
  double minimum_effect = 0;  ///< the bar, as a share
  std::vector<double> units;
  std::vector<double> as_built;  ///< launches of the pair as it was built, beside the units; may be empty
  double seconds = 0;
  bool relinked = false;     ///< every unit was linked anew
  std::string failure = {};  ///< why it could not be measured, a sentence; empty: it was
  std::size_t tries = 1;
  bool exact = false;  ///< by the metric's own rule: there is no p-value, and two launches suffice
};

/// Whether what was compared had other layouts than those that it was built with.
struct LayoutFacts {
  enum class Resolution { resolved, unresolved } resolution = Resolution::unresolved;
  std::string words = {};  ///< how many layouts were drawn from, or why there was one; may be empty
};

/// A confirmed change, or a suspect that was not confirmed: everything a report shows.
struct Record {
  std::string id;        ///< 16 hex digits, from watch, platform, benchmark, metric and culprit
  std::string incident;  ///< shared by all records of one treatment commit
  RecordKind kind = RecordKind::regression;
  RecordState state = RecordState::open;
  std::vector<LifeEvent> life;
  WatchKey key;
  std::string url;
  std::string benchmark;
  specs::Metric metric;
  runners::Protocol protocol = runners::Protocol::slices;
  double margin = 0.01;
  std::string margin_why = "as configured";
  builders::Commit control;    ///< of the screen
  builders::Commit treatment;  ///< of the screen
  builders::Commit culprit;
  double culprit_probability = 1;
  std::string
      culprit_patch;  ///< patch id of its change, to know it again on a rewritten branch; may be empty
  std::vector<std::string> co_suspects;  ///< commits that cannot be told from the culprit: they do not build
  SearchRecord search;
  analysis::RatioInterval ratio;    ///< treatment / control of the metric, from the confirmation alone
  std::optional<double> remaining;  ///< of one partly fixed: treatment / control of what is left
  std::optional<FixTrial> fix;      ///< what `fixed` and `partly fixed` by a faster commit rest on
  double q_value = 1;               ///< e-BH over all tests of the treatment commit
  analysis::Verdict screen;
  ConfirmationRecord confirmation;
  std::vector<Retest> retests;      ///< oldest first
  std::vector<Sighting> sightings;  ///< of kind `layout`: commits after the treatment, in their order
  LayoutFacts layout;
  runners::MachineFacts host;
  runners::IsolationFacts isolation;   ///< of its builds and launches; unknown: before this was kept
  std::string control_build;           ///< cache key of the executable
  std::string treatment_build;         ///< cache key of the executable
  std::vector<std::string> reproduce;  ///< argv of the command that measures it again
};

/// The first 16 hex digits of SHA-256 over the five parts, each ended by a line break: nothing is ever
/// doubled.
[[nodiscard]] std::string record_id(const WatchKey& key, const std::string& benchmark,
                                    const std::string& metric, const std::string& culprit);

}  // namespace tandem::daemon
