#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/evidence/rivals/call.hpp"
#include "evaluation/evidence/rivals/draw.hpp"

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

}  // namespace tandem::evaluation::rival
