#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "analysis/confirmation.hpp"
#include "daemon/measure/screening.hpp"
#include "daemon/records/record.hpp"
#include "runners/pairing/pair_runner.hpp"

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
  double alpha = analysis::confirmation_alpha;  ///< of this trial
  double margin = 0.01;                         ///< of a metric with a rule of its own that has no tolerance
  std::uint64_t seed = 1;
};

/// One unit: both sides linked anew where they can be, two launches in opposite slots. Nothing if it gave no
/// value.
[[nodiscard]] std::variant<std::optional<double>, runners::RunFailure> measure_unit(
    runners::PairRunner& runner, const ConfirmationTask& task, std::uint64_t unit,
    const std::stop_token& stop);

/// The second trial, on its own data: fresh layouts, copies, processes and padding, two launches in opposite
/// slots per unit, looks as planned; at each look four launches of the pair as it was built, so that a change
/// that only the shipped layout has is known for what it is. Ratios are costs (above 1 is worse). A program
/// that fails in more than one unit in twenty is a failure, and so is a pair as built of which too few
/// launches are left to tell that change from none.
[[nodiscard]] std::variant<ConfirmationRecord, runners::RunFailure> confirm_suspect(
    runners::PairRunner& runner, const ConfirmationTask& task, const ShowProgress& show,
    const std::stop_token& stop);

/// The second trial of a metric that hardly scatters: two fresh launches of the pair as it was built, judged
/// by the metric's own rule. Confirmed if it says the same again. Its unit values are the launches'
/// log-ratios where there are any. A launch without the metric on both sides is a failure.
[[nodiscard]] std::variant<ConfirmationRecord, runners::RunFailure> confirm_exactly(
    runners::PairRunner& runner, const ConfirmationTask& task, const std::stop_token& stop);

/// Launches of the pair as it was built, as costs; fewer if some failed. Nothing decides by them alone.
[[nodiscard]] std::vector<double> launches_as_built(runners::PairRunner& runner, const ConfirmationTask& task,
                                                    std::size_t count, std::size_t first,
                                                    const std::stop_token& stop);

/// Whether the pair as it was built shows the suspected change, which its other layouts did not confirm.
[[nodiscard]] bool shipped_layout_alone(const ConfirmationRecord& record, analysis::Direction suspected);

}  // namespace tandem::daemon
