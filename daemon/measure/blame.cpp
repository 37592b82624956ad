#include "daemon/measure/blame.hpp"

#include <algorithm>
#include <string_view>

namespace tandem::daemon {
namespace {

using analysis::Outcome;
using runners::RunFailure;
using runners::Side;

/// Keeps the coins of these launches apart from those that are judged.
constexpr std::uint64_t blame_stream = 0xb1a3'0000'0000'0001;

bool runs_next_to_itself(runners::PairRunner& runner, const runners::ProgramPair& pair, Side side,
                         runners::Subject subject, const std::stop_token& stop) {
  const auto looked = runner.inspect(pair, side, stop);
  const auto* facts = std::get_if<runners::ProgramFacts>(&looked);
  if (facts == nullptr || facts->benchmarks.empty()) return false;
  const auto& names = facts->benchmarks;
  // Where the failure came before anything was known of the program, any of its benchmarks will do.
  if (std::find(names.begin(), names.end(), subject.benchmark) == names.end()) {
    subject = {facts->protocol, names.front(), {}};
  }
  const auto launched =
      runner.launch(pair.both(side), subject, runners::plan_launch(blame_stream, 0, subject.shape), stop);
  return !std::holds_alternative<RunFailure>(launched);
}

}  // namespace

Outcome blame(runners::PairRunner& runner, const runners::ProgramPair& pair, const runners::Subject& subject,
              const RunFailure& failure, const std::stop_token& stop) {
  if (failure.reason == RunFailure::Reason::stopped) return Outcome::failed;
  const bool other_runs = runs_next_to_itself(runner, pair, other(failure.side), subject, stop);
  if (!other_runs || runs_next_to_itself(runner, pair, failure.side, subject, stop)) return Outcome::failed;
  // A stop would look like a failure.
  if (stop.stop_requested()) return Outcome::failed;
  return failure.side == Side::control ? Outcome::control_fails : Outcome::treatment_fails;
}

RunFailure of_the_control(RunFailure failure) {
  const std::string_view wrong = name_of(Side::treatment);
  if (failure.what.starts_with(wrong)) failure.what.replace(0, wrong.size(), name_of(Side::control));
  failure.side = Side::control;
  return failure;
}

}  // namespace tandem::daemon
