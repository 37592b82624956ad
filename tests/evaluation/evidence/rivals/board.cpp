#include "evaluation/evidence/rivals/board.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "evaluation/evidence/results/proportion.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::evaluation::rival {
namespace {

/// Draws of one material with one effect.
struct Batch {
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

std::vector<Batch> batches_of(std::span<const Material> materials, Planting planting, const Counts& counts) {
  std::vector<Batch> batches;
  for (const Material& material : materials) {
    batches.push_back({&material, 0, material.percent, nearest_effect(material.percent), 0});
    if (planting == Planting::real) continue;
    for (std::size_t effect = 1; effect < effects.size(); ++effect) {
      for (const double percent : {effects[effect], -effects[effect]}) {
        batches.push_back({&material, percent, percent, effect, 0});
      }
    }
  }
  for (Batch& batch : batches) {
    const auto shares = static_cast<std::size_t>(std::count_if(
        batches.begin(), batches.end(), [&](const Batch& other) { return other.effect == batch.effect; }));
    const std::size_t wanted = batch.effect == 0 ? counts.equal : counts.planted;
    batch.count = (wanted + shares - 1) / shares;
  }
  return batches;
}

void add(Score& score, const Judgement& judgement, double percent) {
  ++score.decisions;
  score.launches += judgement.launches;
  if (judgement.call == Call::unstable) ++score.unstable;
  if (judgement.call != Call::slower && judgement.call != Call::faster) return;
  const bool right = judgement.call == (percent > 0 ? Call::slower : Call::faster);
  ++(percent != 0 && right ? score.right : score.wrong);
}

constexpr double claimed = 0.01;

/// The board as the sentences ask for it.
struct Standings {
  std::span<const Rule> rules;
  const Board& board;

  [[nodiscard]] Score score(std::size_t rule, std::size_t effect) const {
    return score_of(board, rule, Collection::side_by_side, effect);
  }
  [[nodiscard]] Proportion alarms(std::size_t rule, Collection collection = Collection::side_by_side) const {
    return score_of(board, rule, collection, 0).alarms();
  }
  [[nodiscard]] double found(std::size_t rule, std::size_t effect) const {
    return score(rule, effect).found().share();
  }
  [[nodiscard]] std::size_t place_of(const char* name) const {
    const auto place =
        std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.name == name; });
    return static_cast<std::size_t>(std::distance(rules.begin(), place));
  }
};

/// The rivals that `is` is true of, each with what `says` says.
std::string rivals_that(const Standings& standings, const std::function<bool(std::size_t)>& is,
                        const std::function<std::string(std::size_t)>& says) {
  std::vector<std::string> named;
  for (std::size_t rule = 0; rule < standings.rules.size(); ++rule) {
    if (standings.rules[rule].whose == Rule::Whose::tandem || standings.score(rule, 0).decisions == 0 ||
        !is(rule))
      continue;
    named.push_back(fmt::format("{} ({})", standings.rules[rule].name, says(rule)));
  }
  return named.empty() ? "none" : fmt::format("{}", fmt::join(named, ", "));
}

/// Over 1 %, with the whole interval.
std::string too_many(const Standings& standings, Collection collection) {
  std::vector<std::string> over;
  for (std::size_t rule = 0; rule < standings.rules.size(); ++rule) {
    const Proportion alarms = standings.alarms(rule, collection);
    if (alarms.all > 0 && alarms.low > claimed) over.push_back(standings.rules[rule].name);
  }
  return over.empty() ? "none" : fmt::format("{}", fmt::join(over, ", "));
}

/// Of one effect: which rivals of that many launches at most find more than this rule of Tandem's, and which
/// do so without more false alarms.
std::string of_effect(const Standings& standings, std::size_t tandem, std::size_t effect,
                      double most_launches) {
  const double own = standings.found(tandem, effect);
  const double own_alarms = standings.alarms(tandem).share();
  const auto says = [&](std::size_t rule) {
    return fmt::format("{}, at {} false alarms", percent(standings.found(rule, effect)),
                       percent(standings.alarms(rule).share()));
  };
  const auto finds_more = [&](std::size_t rule) {
    return standings.score(rule, 0).launches_each() <= most_launches && standings.found(rule, effect) > own;
  };
  const auto quietly = [&](std::size_t rule) {
    return finds_more(rule) && standings.alarms(rule).share() <= own_alarms;
  };
  return fmt::format(
      "of {:g} % more work it finds {}; rivals that find more: {}; with no more false alarms: {}.",
      effects[effect], percent(own), rivals_that(standings, finds_more, says),
      rivals_that(standings, quietly, says));
}

}  // namespace

Board decide(std::span<const Material> materials, Planting planting, std::span<const Rule> all_rules,
             const Counts& counts, std::uint64_t seed, const Show& show) {
  const std::vector<Batch> batches = batches_of(materials, planting, counts);
  std::size_t all = 0;
  for (const Batch& batch : batches) all += batch.count;
  Board board;
  std::size_t done = 0;
  tandem::Random seeds(seed);
  for (const Batch& batch : batches) {
    for (std::size_t i = 0; i < batch.count; ++i) {
      const Draw draw(*batch.material, batch.planted, seeds.next());
      for (std::size_t rule = 0; rule < all_rules.size(); ++rule) {
        if (all_rules[rule].sees == Rule::Sees::slower_only && batch.percent < 0) continue;
        for (const Collection collection : {Collection::one_after_the_other, Collection::side_by_side}) {
          const auto judgement = all_rules[rule].judge(draw, collection);
          if (judgement) add(board[{rule, collection, batch.effect}], *judgement, batch.percent);
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

std::vector<std::string> comparison(const std::string& where, std::span<const Rule> all_rules,
                                    const Board& board) {
  const Standings standings{all_rules, board};
  std::vector<std::string> notes;
  for (const auto& [collection, name] : {std::pair{Collection::side_by_side, "side by side"},
                                         std::pair{Collection::one_after_the_other, "one after the other"}}) {
    notes.push_back(fmt::format("{} launches, {}: rules with surely more than {} false alarms: {}.", where,
                                name, percent(claimed), too_many(standings, collection)));
  }
  const std::size_t screen = standings.place_of(tandem_screen);
  if (standings.score(screen, 0).decisions == 0) return notes;
  const double own_alarms = standings.alarms(screen).share();
  notes.push_back(fmt::format(
      "{} launches, side by side: rivals with no more false alarms than Tandem's screen ({}): {}.", where,
      percent(own_alarms),
      rivals_that(
          standings, [&](std::size_t rule) { return standings.alarms(rule).share() <= own_alarms; },
          [&](std::size_t rule) {
            const std::string alarms = percent(standings.alarms(rule).share());
            if (standings.score(rule, 3).decisions == 0) return alarms;
            return alarms + ", finds " + percent(standings.found(rule, 3)) + " of 2 %";
          })));
  const double launches = standings.score(screen, 0).launches_each();
  notes.push_back(fmt::format(
      "{} launches: Tandem's screen takes {:.1f} of them to decide on equal builds; rivals that take fewer: "
      "{}.",
      where, launches,
      rivals_that(
          standings, [&](std::size_t rule) { return standings.score(rule, 0).launches_each() < launches; },
          [&](std::size_t rule) {
            return fmt::format("{:.1f}", standings.score(rule, 0).launches_each());
          })));
  struct Held {
    std::size_t place;
    const char* name;
    double most_launches;
  };
  for (const Held& held : {Held{screen, "Tandem's screen", static_cast<double>(many_runs)},
                           Held{standings.place_of(tandem_ten), "Tandem held to ten launches, as its rivals",
                                static_cast<double>(runs)}}) {
    for (std::size_t effect = 1; effect < effects.size(); ++effect) {
      if (standings.score(held.place, effect).decisions == 0) continue;
      notes.push_back(fmt::format("{} launches, side by side, {}: {}", where, held.name,
                                  of_effect(standings, held.place, effect, held.most_launches)));
    }
  }
  return notes;
}

}  // namespace tandem::evaluation::rival
