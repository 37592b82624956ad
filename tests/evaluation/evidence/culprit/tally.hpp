#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "evaluation/evidence/culprit/rules.hpp"

namespace tandem::evaluation {

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

/// Answers of one way of searching to histories of one kind.
struct Tally {
  std::size_t all = 0;
  std::size_t exact = 0;
  std::size_t among = 0;
  std::size_t wrong = 0;
  std::size_t withdrawn = 0;
  std::size_t not_named = 0;
  std::size_t undecided = 0;
  std::vector<double> measurements;

  void add(Judged judged, std::size_t made);
  void add(const Tally& other);
  [[nodiscard]] std::size_t right() const { return exact + among; }
  [[nodiscard]] std::size_t named() const { return right() + wrong; }
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

}  // namespace tandem::evaluation
