#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "evaluation/evidence/live/decision.hpp"
#include "evaluation/evidence/results/proportion.hpp"
#include "evaluation/evidence/results/result.hpp"

namespace tandem::evaluation {

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
[[nodiscard]] std::vector<Decision> those(std::span<const Decision> decisions,
                                          const std::function<bool(const Decision&)>& condition);

/// A table of false alarms: a row per workload and pairing, one per pairing, and one for all.
[[nodiscard]] Table false_alarm_table(std::string title, std::span<const Decision> decisions);

/// False suspects per workload as bars with their bounds, one series per pairing.
[[nodiscard]] Plot false_alarm_plot(std::string name, std::string title, std::span<const Decision> decisions);

/// The goals of equal builds: suspects and records that are none.
[[nodiscard]] std::vector<Goal> false_alarm_goals(const std::string& what,
                                                  std::span<const Decision> decisions, double most_suspects,
                                                  double most_records);

}  // namespace tandem::evaluation
