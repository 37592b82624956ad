#include "evaluation/evidence/rivals/board.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "specs/foundation/random.hpp"

namespace tandem::evaluation::rival {
namespace {

/// Draws of one material with one effect.
struct Lot {
  const Material* material = nullptr;
  double planted = 0;  ///< per cent, by multiplying times
  double percent = 0;  ///< the effect that is there then
  std::size_t effect = 0;
  std::size_t count = 0;
};

std::size_t nearest_effect(double percent) {
  if (percent == 0) return 0;
  const auto distance = [&](double effect) { return std::abs(std::log(effect / std::abs(percent))); };
  const auto nearest = std::min_element(effects.begin() + 1, effects.end(), [&](double one, double other) {
    return distance(one) < distance(other);
  });
  return static_cast<std::size_t>(std::distance(effects.begin(), nearest));
}

std::vector<Lot> lots_of(std::span<const Material> materials, Planting planting, const Counts& counts) {
  std::vector<Lot> lots;
  for (const Material& material : materials) {
    lots.push_back({&material, 0, material.percent, nearest_effect(material.percent), 0});
    if (planting == Planting::real) continue;
    for (std::size_t effect = 1; effect < effects.size(); ++effect) {
      for (const double percent : {effects[effect], -effects[effect]}) {
        lots.push_back({&material, percent, percent, effect, 0});
      }
    }
  }
  for (Lot& lot : lots) {
    const auto shares = static_cast<std::size_t>(std::count_if(
        lots.begin(), lots.end(), [&](const Lot& other) { return other.effect == lot.effect; }));
    const std::size_t wanted = lot.effect == 0 ? counts.equal : counts.planted;
    lot.count = (wanted + shares - 1) / shares;
  }
  return lots;
}

void add(Score& score, const Judgement& judgement, double percent) {
  ++score.decisions;
  score.launches += judgement.launches;
  if (judgement.call == Call::unstable) ++score.unstable;
  if (judgement.call != Call::slower && judgement.call != Call::faster) return;
  const bool right = judgement.call == (percent > 0 ? Call::slower : Call::faster);
  ++(percent != 0 && right ? score.right : score.wrong);
}

}  // namespace

Board decide(std::span<const Material> materials, Planting planting, std::span<const Rule> all_rules,
             const Counts& counts, std::uint64_t seed, const Show& show) {
  const std::vector<Lot> lots = lots_of(materials, planting, counts);
  std::size_t all = 0;
  for (const Lot& lot : lots) all += lot.count;
  Board board;
  std::size_t done = 0;
  tandem::Random seeds(seed);
  for (const Lot& lot : lots) {
    for (std::size_t i = 0; i < lot.count; ++i) {
      const Draw draw(*lot.material, lot.planted, seeds.next());
      for (std::size_t rule = 0; rule < all_rules.size(); ++rule) {
        if (all_rules[rule].sees == Rule::Sees::slower_only && lot.percent < 0) continue;
        for (const Collection collection : {Collection::one_after_the_other, Collection::side_by_side}) {
          const auto judgement = all_rules[rule].judge(draw, collection);
          if (judgement) add(board[{rule, collection, lot.effect}], *judgement, lot.percent);
        }
      }
      show(++done, all);
    }
  }
  return board;
}

Score score_of(const Board& board, std::size_t rule, Collection collection, std::size_t effect) {
  const auto found = board.find({rule, collection, effect});
  return found == board.end() ? Score{} : found->second;
}

}  // namespace tandem::evaluation::rival
