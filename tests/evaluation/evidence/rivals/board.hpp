#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "evaluation/evidence/results/proportion.hpp"
#include "evaluation/evidence/results/result.hpp"
#include "evaluation/evidence/rivals/draw.hpp"
#include "evaluation/evidence/rivals/tools.hpp"

namespace tandem::evaluation::rival {

struct Judgement {
  Call call = Call::none;
  std::size_t launches = 0;  ///< made for it, each of both sides
};

/// A way to decide whether the treatment is slower or faster.
struct Rule {
  std::string name;
  std::string says;  ///< the rule in a few words
  /// Nothing where the rule makes no sense of launches that were collected in that way.
  std::function<std::optional<Judgement>(Draw draw, Collection collection)> judge;
  enum class Sees { both_directions, slower_only } sees = Sees::both_directions;
  enum class Whose { rival, tandem } whose = Whose::rival;
};

/// Runs of each side that every rival gets, but for Tango, which has one, and FAI-PEP with its history. And
/// as many as Tandem's screen may take: with those, two of them are judged once more, side by side.
inline constexpr std::size_t runs = 10;
inline constexpr std::size_t many_runs = 66;

/// The names by which the results speak of Tandem: held to as many launches as the rivals, all of the screen,
/// and with the confirmation.
inline constexpr const char* tandem_ten = "Tandem, 10 launches";
inline constexpr const char* tandem_screen = "Tandem, screen";
inline constexpr const char* tandem_confirmed = "Tandem, confirmed";

/// All rivals and then Tandem. `replicates` are those of the bootstrap over ten runs, 10 000 in the paper; a
/// fifth of them over many runs.
[[nodiscard]] std::vector<Rule> rules(std::size_t replicates);

/// Per cent of more work; the first place is of equal builds.
inline constexpr std::array<double, 6> effects = {0, 0.5, 1, 2, 3, 5};

/// What became of the decisions of one rule. Of equal builds every call is wrong.
struct Score {
  std::size_t decisions = 0;
  std::size_t right = 0;
  std::size_t wrong = 0;
  std::size_t unstable = 0;
  std::size_t launches = 0;

  [[nodiscard]] Proportion alarms() const { return proportion(wrong, decisions); }
  [[nodiscard]] Proportion found() const { return proportion(right, decisions); }
  [[nodiscard]] double launches_each() const {
    return decisions == 0 ? 0 : static_cast<double>(launches) / static_cast<double>(decisions);
  }
};

/// The scores of all rules (by their place in the list), collections and effects (by their place in
/// `effects`). What was never decided has no score.
using Board = std::map<std::tuple<std::size_t, Collection, std::size_t>, Score>;

/// How many decisions to make of equal builds, and of each effect, both directions together.
struct Counts {
  std::size_t equal = 0;
  std::size_t planted = 0;
};

using Show = std::function<void(std::size_t done, std::size_t all)>;

/// Where effects come from: the times of equal builds are multiplied, or the materials have real ones, each
/// taken as the effect that is nearest.
enum class Planting { multiplied, real };

/// Lets every rule judge the same draws. The same seed gives the same board.
[[nodiscard]] Board decide(std::span<const Material> materials, Planting planting,
                           std::span<const Rule> all_rules, const Counts& counts, std::uint64_t seed,
                           const Show& show);

/// Of nothing an empty score.
[[nodiscard]] Score score_of(const Board& board, std::size_t rule, Collection collection, std::size_t effect);

/// In sentences: which rules kept to the 1 % of false alarms that Tandem's screen claims, whether Tandem has
/// fewer false alarms than every rival at equal or better power, and where a rival does better.
[[nodiscard]] std::vector<std::string> comparison(const std::string& where, std::span<const Rule> all_rules,
                                                  const Board& board);

}  // namespace tandem::evaluation::rival
