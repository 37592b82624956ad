#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "analysis/confirmation.hpp"
#include "daemon/record.hpp"
#include "daemon/screening.hpp"
#include "runners/pair_runner.hpp"

namespace tandem::daemon {

/// What is measured again and what would confirm it.
struct ConfirmationTask {
  /// The programs of a unit: both sides linked anew where they can be. A sentence: this unit has none.
  std::function<std::variant<runners::ProgramPair, std::string>(std::uint64_t unit)> pair;
  /// The pair as it was built, run beside the units at each look; nothing: it is what the units run.
  std::optional<runners::ProgramPair> as_built;
  runners::Subject subject;
  std::string benchmark;  ///< as the program names it
  specs::Metric metric = {};
  analysis::Direction suspected = analysis::Direction::slower;  ///< as a cost
  analysis::Statistic statistic = analysis::Statistic::median;
  double minimum_effect = 0.005;
  std::uint64_t seed = 1;
};

/// The second trial, on its own data: fresh layouts, copies, processes and padding, two launches in opposite
/// slots per unit, looks as planned; at each look four launches of the pair as it was built, so that a change
/// that only the shipped layout has is known for what it is. Ratios are costs (above 1 is worse). A program
/// that fails in more than one unit in twenty is a failure.
[[nodiscard]] std::variant<ConfirmationRecord, runners::RunFailure> confirm_suspect(
    runners::PairRunner& runner, const ConfirmationTask& task, const ShowProgress& show,
    const std::stop_token& stop);

/// Whether the pair as it was built shows the suspected change, which its other layouts did not confirm.
[[nodiscard]] bool shipped_layout_alone(const ConfirmationRecord& record, analysis::Direction suspected);

}  // namespace tandem::daemon
