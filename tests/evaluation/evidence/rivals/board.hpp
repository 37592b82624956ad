#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "evaluation/evidence/rivals/rules.hpp"

namespace tandem::evaluation::rival {

/// Per cent of more work; the first place is of equal builds.
inline constexpr std::array<double, 6> effects = {0, 0.5, 1, 2, 3, 5};

/// What became of the decisions of one rule. Of equal builds every call is wrong.
struct Score {
  std::size_t decisions = 0;
  std::size_t right = 0;
  std::size_t wrong = 0;
  std::size_t unstable = 0;
  std::size_t launches = 0;

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

}  // namespace tandem::evaluation::rival
