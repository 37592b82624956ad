#include "evaluation/evidence/rivals/board.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "evaluation/evidence/results/proportion.hpp"

namespace tandem::evaluation::rival {
namespace {

constexpr double claimed = 0.01;

/// The board as the sentences ask for it.
struct Asked {
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
std::string rivals_that(const Asked& asked, const std::function<bool(std::size_t)>& is,
                        const std::function<std::string(std::size_t)>& says) {
  std::vector<std::string> named;
  for (std::size_t rule = 0; rule < asked.rules.size(); ++rule) {
    if (asked.rules[rule].whose == Rule::Whose::tandem || asked.score(rule, 0).decisions == 0 || !is(rule))
      continue;
    named.push_back(fmt::format("{} ({})", asked.rules[rule].name, says(rule)));
  }
  return named.empty() ? "none" : fmt::format("{}", fmt::join(named, ", "));
}

/// Over 1 %, with the whole interval.
std::string too_many(const Asked& asked, Collection collection) {
  std::vector<std::string> over;
  for (std::size_t rule = 0; rule < asked.rules.size(); ++rule) {
    const Proportion alarms = asked.alarms(rule, collection);
    if (alarms.all > 0 && alarms.low > claimed) over.push_back(asked.rules[rule].name);
  }
  return over.empty() ? "none" : fmt::format("{}", fmt::join(over, ", "));
}

/// Of one effect: which rivals of that many launches at most find more than this rule of Tandem's, and which
/// do so without more false alarms.
std::string of_effect(const Asked& asked, std::size_t tandem, std::size_t effect, double most_launches) {
  const double own = asked.found(tandem, effect);
  const double own_alarms = asked.alarms(tandem).share();
  const auto says = [&](std::size_t rule) {
    return fmt::format("{}, at {} false alarms", percent(asked.found(rule, effect)),
                       percent(asked.alarms(rule).share()));
  };
  const auto finds_more = [&](std::size_t rule) {
    return asked.score(rule, 0).launches_each() <= most_launches && asked.found(rule, effect) > own;
  };
  const auto quietly = [&](std::size_t rule) {
    return finds_more(rule) && asked.alarms(rule).share() <= own_alarms;
  };
  return fmt::format(
      "of {:g} % more work it finds {}; rivals that find more: {}; with no more false alarms: {}.",
      effects[effect], percent(own), rivals_that(asked, finds_more, says), rivals_that(asked, quietly, says));
}

}  // namespace

std::vector<std::string> comparison(const std::string& where, std::span<const Rule> all_rules,
                                    const Board& board) {
  const Asked asked{all_rules, board};
  std::vector<std::string> notes;
  for (const auto& [collection, name] : {std::pair{Collection::side_by_side, "side by side"},
                                         std::pair{Collection::one_after_the_other, "one after the other"}}) {
    notes.push_back(fmt::format("{} launches, {}: rules with surely more than {} false alarms: {}.", where,
                                name, percent(claimed), too_many(asked, collection)));
  }
  const std::size_t screen = asked.place_of(tandem_screen);
  if (asked.score(screen, 0).decisions == 0) return notes;
  const double own_alarms = asked.alarms(screen).share();
  notes.push_back(fmt::format(
      "{} launches, side by side: rivals with no more false alarms than Tandem's screen ({}): {}.", where,
      percent(own_alarms),
      rivals_that(
          asked, [&](std::size_t rule) { return asked.alarms(rule).share() <= own_alarms; },
          [&](std::size_t rule) {
            const std::string alarms = percent(asked.alarms(rule).share());
            if (asked.score(rule, 3).decisions == 0) return alarms;
            return alarms + ", finds " + percent(asked.found(rule, 3)) + " of 2 %";
          })));
  const double launches = asked.score(screen, 0).launches_each();
  notes.push_back(fmt::format(
      "{} launches: Tandem's screen takes {:.1f} of them to decide on equal builds; rivals that take fewer: "
      "{}.",
      where, launches,
      rivals_that(
          asked, [&](std::size_t rule) { return asked.score(rule, 0).launches_each() < launches; },
          [&](std::size_t rule) { return fmt::format("{:.1f}", asked.score(rule, 0).launches_each()); })));
  struct Held {
    std::size_t place;
    const char* name;
    double most_launches;
  };
  for (const Held& held : {Held{screen, "Tandem's screen", static_cast<double>(many_runs)},
                           Held{asked.place_of(tandem_ten), "Tandem held to ten launches, as its rivals",
                                static_cast<double>(runs)}}) {
    for (std::size_t effect = 1; effect < effects.size(); ++effect) {
      if (asked.score(held.place, effect).decisions == 0) continue;
      notes.push_back(fmt::format("{} launches, side by side, {}: {}", where, held.name,
                                  of_effect(asked, held.place, effect, held.most_launches)));
    }
  }
  return notes;
}

}  // namespace tandem::evaluation::rival
