#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluation/evidence/culprit/simulation.hpp"
#include "evaluation/evidence/results/journal.hpp"
#include "evaluation/evidence/results/result.hpp"

namespace tandem::evaluation {

/// One history of real commits that `tandem bisect` was given. Places count from 1 after the good commit.
struct RealHistory {
  std::size_t number = 0;
  std::size_t commits = 0;
  double percent = 0;  ///< more work, as it was meant
  std::string benchmark;
  std::size_t culprit = 0;
  std::size_t broken = 0;  ///< the one that does not build; 0: all do
  std::size_t named = 0;   ///< 0: none
  std::vector<std::size_t> co_suspects;
  std::optional<double> probability;  ///< per cent
  std::size_t measurements = 0;
  double seconds = 0;
  int status = 0;  ///< of the command: 0 or 1 when it came to an answer
};

struct RealHistories {
  std::map<std::string, double> planted;  ///< by the per cent that were meant: those counted in instructions
  std::vector<RealHistory> all;
};

/// What culprit.sh noted. Throws Error when a row is none of its own.
[[nodiscard]] RealHistories real_histories(std::span<const Journal::Fields> rows);

[[nodiscard]] Judged judge(const RealHistory& history);

/// What the daemon's search answered, a row for each length, size of the effect and kind of layouts.
[[nodiscard]] Table answers_table(const std::vector<Cell>& cells);
/// The same histories searched by bisection.
[[nodiscard]] Table bisection_table(const std::vector<Cell>& cells);
[[nodiscard]] Table real_table(const RealHistories& histories);

/// Right answers by the size of the effect, and measurements by the length of the history.
[[nodiscard]] Plot right_plot(const std::vector<Cell>& cells);
[[nodiscard]] Plot measurements_plot(const std::vector<Cell>& cells);

}  // namespace tandem::evaluation
