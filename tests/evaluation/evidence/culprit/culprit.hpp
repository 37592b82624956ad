#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/culprit_search.hpp"
#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/results/journal.hpp"
#include "evaluation/evidence/results/result.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::evaluation {

/// What may differ between two linkings of one commit, beside the noise of launches.
enum class LayoutSpread {
  none,
  fresh,  ///< a quarter of the effect per side, drawn anew for every measurement
  fixed   ///< the same, but each commit keeps the layout that it was first linked with
};
[[nodiscard]] const char* name_of(LayoutSpread spread);

/// How many of the commits changed something.
enum class Steps { none, one, two };

/// A kind of history.
struct HistoryPlan {
  std::size_t commits = 8;   ///< after the good one, up to the bad one
  double effect_sigmas = 2;  ///< one step over the standard deviation of one measurement, layouts aside
  LayoutSpread layouts = LayoutSpread::none;
  Steps steps = Steps::one;
};

/// One history as it really is. Of those with a step the last commit shows all of them.
struct History {
  double effect = 0;         ///< ln, signed, of one step
  double sigma = 0;          ///< of one measurement: two launches in opposite slots
  double layout_spread = 0;  ///< of one side
  LayoutSpread layouts = LayoutSpread::none;
  Steps steps = Steps::one;
  std::size_t first = 0;     ///< the culprit; meaningless without
  std::size_t second = 0;    ///< as large a step again, of histories with two
  std::vector<bool> broken;  ///< by commit: it does not build; never the last one
  std::vector<double> own;   ///< by commit, where layouts are fixed
  double own_of_good = 0;

  [[nodiscard]] double level(std::size_t commit) const;
};

/// Effects of one to three margins of 1 %, in either direction; a tenth of the commits broken.
[[nodiscard]] History draw(const HistoryPlan& plan, analysis::Noise& noise);

/// ln of a commit's time over the good one's, measured once.
[[nodiscard]] double measure(const History& history, std::size_t commit, analysis::Noise& noise);

/// The same for a true difference, always linked anew: what a confirmation measures.
[[nodiscard]] double measure_anew(const History& history, double difference, analysis::Noise& noise);

/// What a way of searching said in the end, and what it cost.
struct Finding {
  enum class Said { culprit, no_culprit, undecided } said = Said::undecided;
  std::size_t culprit = 0;
  std::vector<std::size_t> co_suspects;  ///< broken ones before it that cannot be told from it
  std::size_t measurements = 0;
};

/// What the daemon knows when it begins to search: effect and noise from sixteen units of the bad commit. The
/// confirmation of a history without a culprit was a fluke of the size of one step.
[[nodiscard]] analysis::CulpritSearchSettings known_from_confirmation(const History& history,
                                                                      analysis::Noise& noise);

/// The daemon's noisy bisection.
[[nodiscard]] Finding search(const History& history, const analysis::CulpritSearchSettings& known,
                             analysis::Noise& noise);

/// Whether the named commit is confirmed against the last good one before it, as every record is.
[[nodiscard]] bool is_confirmed(const History& history, const Finding& finding, analysis::Noise& noise);

/// The way of `git bisect`: the middle is bad when the median of `repeats` measurements is beyond half of the
/// known effect, and good otherwise; it never comes back. A commit that does not build is passed over for the
/// nearest that does. It always names one.
[[nodiscard]] Finding bisect(const History& history, double known_effect, std::size_t repeats,
                             analysis::Noise& noise);

/// How good an answer is.
enum class Judged {
  exact,      ///< the culprit alone; of a history without, that there is none
  among,      ///< the culprit with broken neighbours that nobody could tell from it
  wrong,      ///< another commit
  withdrawn,  ///< another commit, but it was not confirmed: no record names it
  not_named,  ///< "no culprit" where there is one
  undecided
};

/// What was said of a history before anything is confirmed; of two steps the first is the right one.
[[nodiscard]] Judged judge(const History& history, const Finding& finding);
/// The same of a commit that was named with others that cannot be told from it.
[[nodiscard]] Judged judge_named(std::size_t named, const std::vector<std::size_t>& others,
                                 std::size_t culprit);

/// Answers of one way of searching to histories of one kind.
struct Tally {
  std::size_t all = 0;
  std::array<std::size_t, 6> counts = {};  ///< by Judged
  std::vector<double> measurements;

  void add(Judged judged, std::size_t made);
  void add(const Tally& other);
  [[nodiscard]] std::size_t of(Judged judged) const { return counts.at(static_cast<std::size_t>(judged)); }
  [[nodiscard]] std::size_t right() const { return of(Judged::exact) + of(Judged::among); }
  [[nodiscard]] std::size_t named() const { return right() + of(Judged::wrong); }
};

/// The ways of searching that are compared.
struct Rule {
  enum class Kind { tandem, bisection } kind = Kind::tandem;
  std::size_t repeats = 1;  ///< of a bisection

  bool operator==(const Rule&) const = default;
};
[[nodiscard]] std::string name_of(const Rule& rule);

/// As many seeded histories, searched by the rule. Tandem's answers are confirmed as its records are; one
/// that is right but not confirmed counts as not named. All rules meet the same histories.
[[nodiscard]] Tally simulate(const HistoryPlan& plan, const Rule& rule, std::size_t histories,
                             std::uint64_t seed);

/// What one way of searching found in all histories of one kind.
struct Cell {
  HistoryPlan plan;
  Rule rule;
  Tally tally;
};

[[nodiscard]] std::vector<std::size_t> lengths_of(PartSettings::Length length);
[[nodiscard]] const std::vector<double>& effect_sizes();
/// The daemon's search, then its rivals.
[[nodiscard]] const std::vector<Rule>& rules();

/// All kinds of histories, searched in all ways: of every hundred 50 with one culprit, 40 with none, as
/// Google found (FACF, ICST 2023), and 10 with two.
[[nodiscard]] std::vector<Cell> simulate_cells(const PartSettings& settings);

/// All cells that agree with the filter, put together.
template <class Filter>
[[nodiscard]] Tally sum_of(const std::vector<Cell>& cells, Filter filter) {
  Tally sum;
  for (const Cell& cell : cells) {
    if (filter(cell)) sum.add(cell.tally);
  }
  return sum;
}

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
