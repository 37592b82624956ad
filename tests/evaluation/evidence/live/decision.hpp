#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "daemon/measure/screening.hpp"
#include "evaluation/evidence/recorded/launches.hpp"
#include "evaluation/evidence/results/journal.hpp"
#include "evaluation/evidence/results/proportion.hpp"
#include "evaluation/evidence/results/result.hpp"
#include "runners/pairing/pair_runner.hpp"

namespace tandem::evaluation {

/// What a decision measures, and how.
struct DecisionSubject {
  Origin origin;
  daemon::PairSource pairs;
  /// The programs of a confirmation's unit; a sentence: there are none.
  std::function<std::variant<runners::ProgramPair, std::string>(std::uint64_t unit)> unit;
  std::optional<runners::ProgramPair> as_built = {};  ///< if the units are linked anew
  runners::Subject subject;
  daemon::PriorSigma prior;
  double margin = 0.01;
  enum class Confirming { no, yes } confirming = Confirming::yes;
};

/// One screen and, if it found a change, its confirmation: a line of a journal.
struct Decision {
  Origin origin;
  std::size_t number = 0;  ///< within its origin
  std::string outcome;     ///< of the screen, as analysis::name_of says it
  std::size_t launches = 0;
  double seconds = 0;
  double ratio = 1;
  double sigma = 0;
  double margin = 0.01;
  std::string confirmation = "-";  ///< "confirmed", "not reproduced", "failed"; "-": none was made
  std::size_t units = 0;
  double confirmed_ratio = 1;
  double confirmation_seconds = 0;
  std::string load = "-";  ///< of the host at the end, one-minute average
  std::uint64_t seed = 1;  ///< of the run; with origin and number it decides every coin

  [[nodiscard]] bool is_suspect() const { return outcome == "slower" || outcome == "faster"; }
  [[nodiscard]] bool is_record() const { return confirmation == "confirmed"; }
};

[[nodiscard]] Journal::Fields fields_of(const Decision& decision);
/// Nothing if the line is none of a decision.
[[nodiscard]] std::optional<Decision> decision_in(const Journal::Fields& fields);
/// Throws Error when a line is none.
[[nodiscard]] std::vector<Decision> decisions_in(const Journal& journal);

/// A decision with the launches of its screen.
struct Measured {
  Decision decision;
  std::vector<LaunchRow> launches;
};

/// Screens as the daemon does and confirms what it suspects, with real launches. The seed decides every coin.
[[nodiscard]] Measured decide(runners::PairRunner& runner, const DecisionSubject& subject, std::size_t number,
                              std::uint64_t seed);

/// What decisions of one kind say together.
struct DecisionSummary {
  std::size_t decisions = 0;
  std::size_t suspects = 0;
  std::size_t records = 0;
  std::size_t slower = 0;  ///< suspects of that direction
  std::size_t faster = 0;
  std::size_t recorded_of = 0;  ///< suspects that were confirmed or not: a confirmation was made
  std::size_t unchanged = 0;
  std::size_t inconclusive = 0;
  std::size_t failed = 0;
  double launches_median = 0;
  double launches_p90 = 0;
  double seconds_median = 0;
  double seconds_p90 = 0;
  double sigma = 0;    ///< median over the decisions
  double seconds = 0;  ///< all together, confirmations included
};

[[nodiscard]] DecisionSummary summary_of(std::span<const Decision> decisions);

/// Those that a condition holds for.
[[nodiscard]] std::vector<Decision> filtered(std::span<const Decision> decisions,
                                             const std::function<bool(const Decision&)>& condition);

/// A table of false alarms: a row per workload and pairing, one per pairing, and one for all.
[[nodiscard]] Table false_alarm_table(std::string title, std::span<const Decision> decisions);

/// The workload with most suspects; there have to be decisions.
[[nodiscard]] std::string most_suspected(std::span<const Decision> decisions);

/// Goals, table, plot and figures of decisions about equal builds, where every suspect and every record is a
/// false one. `of` names them shortly, `what` in full.
void add_false_alarms(PartResult& result, const std::string& of, const std::string& what,
                      std::span<const Decision> decisions, double most_records);

}  // namespace tandem::evaluation
