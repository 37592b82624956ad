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
  runners::ProgramPair pair;
  runners::Subject subject;
  std::string benchmark;                                        ///< as the program names it
  analysis::Direction suspected = analysis::Direction::slower;  ///< as a cost
  analysis::Statistic statistic = analysis::Statistic::median;
  double minimum_effect = 0.005;
  std::uint64_t seed = 1;
};

/// The second trial, on its own data: fresh copies, processes and padding, two launches in opposite slots per
/// unit, looks as planned. Ratios are costs (above 1 is worse). A program that fails in more than one unit in
/// twenty is a failure.
[[nodiscard]] std::variant<ConfirmationRecord, runners::RunFailure> confirm_suspect(
    runners::PairRunner& runner, const ConfirmationTask& task, const ShowProgress& show,
    const std::stop_token& stop);

}  // namespace tandem::daemon
