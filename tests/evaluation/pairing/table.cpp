#include "evaluation/pairing/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "evaluation/pairing/spread.hpp"

namespace tandem::evaluation {
namespace {

struct Method {
  const char* key;
  const char* title;
};
constexpr std::array methods = {Method{"sequence", "one after the other"},
                                Method{"hyperfine", "hyperfine"},
                                Method{"google", "Google Benchmark"},
                                Method{"process", "process"},
                                Method{"alternate", "alternate"},
                                Method{"duet", "duet"},
                                Method{"auto", "auto"}};
constexpr std::array pairings = {Method{"process", "process"}, Method{"alternate", "alternate"},
                                 Method{"duet", "duet"}, Method{"auto", "auto"}};

constexpr double goal_sequence = 10;
constexpr double goal_hyperfine = 20;
constexpr double goal_better = 1.1;
constexpr double significant = 0.05;
constexpr const char* none = "–";

std::string spread_cell(const Spread& spread) {
  if (!spread.known()) return spread.refused ? "not possible" : none;
  const auto shown = [](double share) { return fmt::format("{:.{}f}", 100 * share, share < 0.001 ? 3 : 2); };
  return fmt::format("{} ({})", shown(spread.robust()), shown(spread.plain()));
}

/// How many times narrower `ours` is, by the robust and by the plain deviation.
struct Factor {
  double robust = 0;
  double plain = 0;
};

std::optional<Factor> factor(const Spread& theirs, const Spread& ours) {
  if (!theirs.known() || !ours.known() || ours.robust() == 0 || ours.plain() == 0) return std::nullopt;
  return Factor{theirs.robust() / ours.robust(), theirs.plain() / ours.plain()};
}

std::string factor_cell(const std::optional<Factor>& factor) {
  const auto shown = [](double value) {
    return value > 999    ? "over 999"
           : value < 9.95 ? fmt::format("{:.2f}", value)
                          : fmt::format("{:.0f}", value);
  };
  return factor ? fmt::format("{} ({})", shown(factor->robust), shown(factor->plain)) : none;
}

/// "yes" when both deviations say so, "half" when one does.
std::string verdict(const std::optional<Factor>& factor, double at_least) {
  if (!factor) return none;
  const int said = (factor->robust >= at_least ? 1 : 0) + (factor->plain >= at_least ? 1 : 0);
  return said == 2 ? "yes" : said == 1 ? "half" : "no";
}

/// The spread of auto beside the narrower of alternate and duet; above 1 auto is the wider one.
std::optional<Factor> beside_better(const Spread& alternate, const Spread& duet, const Spread& automatic) {
  const auto first = factor(automatic, alternate);
  const auto second = factor(automatic, duet);
  if (!first || !second) return first ? first : second;
  return Factor{std::max(first->robust, second->robust), std::max(first->plain, second->plain)};
}

std::string spread_table(const Rows& rows) {
  std::string text =
      "A program next to itself: standard deviation of the estimated ratio in %, robust (plain).\n\n| "
      "workload |";
  for (const Method& method : methods) text += fmt::format(" {} |", method.title);
  text +=
      " auto chose | one after the other / auto | goal 10 | hyperfine / auto | goal 20 |"
      " auto / better of alternate and duet | goal 1.1 |\n|---";
  for (std::size_t i = 0; i < methods.size() + 7; ++i) text += "|---";
  text += "|\n";
  std::array<std::size_t, 3> met{};
  for (const std::string& workload : rows.workloads()) {
    text += fmt::format("| {} |", workload);
    for (const Method& method : methods)
      text += fmt::format(" {} |", spread_cell(rows.spread(workload, 0, method.key)));
    const Spread automatic = rows.spread(workload, 0, "auto");
    const auto sequence = factor(rows.spread(workload, 0, "sequence"), automatic);
    const auto hyperfine = factor(rows.spread(workload, 0, "hyperfine"), automatic);
    const auto better =
        beside_better(rows.spread(workload, 0, "alternate"), rows.spread(workload, 0, "duet"), automatic);
    const Row* choice = rows.first(workload, 0, "choice");
    const auto within = better ? std::optional(Factor{1 / better->robust, 1 / better->plain}) : std::nullopt;
    const std::array verdicts = {verdict(sequence, goal_sequence), verdict(hyperfine, goal_hyperfine),
                                 verdict(within, 1 / goal_better)};
    for (std::size_t goal = 0; goal < met.size(); ++goal) met.at(goal) += verdicts.at(goal) == "yes" ? 1 : 0;
    text +=
        fmt::format(" {} | {} | {} | {} | {} | {} | {} |\n",
                    choice != nullptr && choice->outcome == "ok" ? choice->note : none, factor_cell(sequence),
                    verdicts[0], factor_cell(hyperfine), verdicts[1], factor_cell(better), verdicts[2]);
  }
  return text +
         fmt::format(
             "\nGoals that auto meets, of {} workloads: at least {} times narrower than one after the "
             "other in {}, at least {} times narrower than hyperfine in {}, at most {} times as wide as "
             "the better of alternate and duet in {}.\n",
             rows.workloads().size(), goal_sequence, met[0], goal_hyperfine, met[1], goal_better, met[2]);
}

std::string mean_table(const Rows& rows) {
  std::string text =
      "\nMean of the same estimates in % off the truth, with its standard error, and their machine time in s."
      " Different: pairs that Mann and Whitney's test at 0.05 takes for different.\n\n| workload |";
  for (const Method& method : methods) text += fmt::format(" {} |", method.title);
  text += " Google Benchmark: different |\n|---";
  for (std::size_t i = 0; i < methods.size() + 1; ++i) text += "|---";
  text += "|\n";
  for (const std::string& workload : rows.workloads()) {
    text += fmt::format("| {} |", workload);
    for (const Method& method : methods) {
      const Spread spread = rows.spread(workload, 0, method.key);
      text += spread.known()
                  ? fmt::format(" {:+.2f} ± {:.2f}, {:.1f} s |", 100 * mean(spread.ratios),
                                100 * spread.plain() / std::sqrt(static_cast<double>(spread.ratios.size())),
                                spread.seconds)
                  : fmt::format(" {} |", none);
    }
    std::size_t different = 0;
    std::size_t pairs = 0;
    for (const Row* row : rows.of(workload, 0, "google")) {
      if (row->outcome != "ok") continue;
      ++pairs;
      different += std::stod(row->note) < significant ? 1 : 0;
    }
    text += pairs > 0 ? fmt::format(" {} of {} |\n", different, pairs) : fmt::format(" {} |\n", none);
  }
  return text;
}

std::string percent_of(const std::vector<double>& logs) {
  if (logs.empty()) return none;
  const std::string found = fmt::format("{:+.2f}", 100 * std::expm1(mean(logs)));
  return logs.size() > 1 ? fmt::format("{} ± {:.2f}", found, 100 * deviation(logs)) : found;
}

std::string recovery_table(const Rows& rows) {
  std::string text =
      "\nReal work added to the treatment, and what is found in %: of the median slice / of the total time,"
      " mean ± standard deviation over the estimates.\n\n| workload | planted | instructions |";
  for (const Method& method : pairings) text += fmt::format(" {} |", method.title);
  text += "\n|---|---|---";
  for (std::size_t i = 0; i < pairings.size(); ++i) text += "|---";
  text += "|\n";
  for (const std::string& workload : rows.workloads()) {
    const int planted = rows.planted(workload);
    if (planted == 0) continue;
    const Row* counted = rows.first(workload, planted, "instructions");
    text += fmt::format("| {} | +{} | {} |", workload, planted,
                        counted != nullptr && counted->ratio
                            ? fmt::format("{:+.2f}", 100 * std::expm1(*counted->ratio))
                            : none);
    for (const Method& method : pairings) {
      const Spread spread = rows.spread(workload, planted, method.key);
      if (spread.ratios.empty()) {
        text += fmt::format(" {} |", rows.spread(workload, 0, method.key).refused ? "not possible" : none);
      } else {
        text += fmt::format(" {} / {} |", percent_of(spread.ratios), percent_of(spread.totals));
      }
    }
    text += "\n";
  }
  return text;
}

std::string cost_table(const Rows& rows) {
  const auto value = [&](const char* method, double scale, const char* unit) -> std::string {
    const Row* row = rows.first("costs", 0, method);
    if (row == nullptr || !row->ratio) return none;
    return fmt::format("{:.2f} {}", *row->ratio * scale, unit);
  };
  return fmt::format(
      "\n| cost of pairing | | |\n|---|---|---|\n"
      "| hand-over of a slice by the shared page | p50 {} | p99 {} |\n"
      "| both sides of a duet begin apart, slices of 1 ms | p50 {} | p99 {} |\n"
      "| time inside slices of 0.1 / 0.3 / 1 ms, alternate | {} / {} / {} | |\n",
      value("hand_over_p50", 1e-3, "µs"), value("hand_over_p99", 1e-3, "µs"),
      value("duet_skew_p50", 1e-3, "µs"), value("duet_skew_p99", 1e-3, "µs"), value("inside_100", 100, "%"),
      value("inside_300", 100, "%"), value("inside_1000", 100, "%"));
}

}  // namespace

std::string pairing_table(std::span<const Row> all) {
  const Rows rows(all);
  std::size_t estimates = 0;
  for (const std::string& workload : rows.workloads()) {
    for (const Method& method : methods)
      estimates = std::max(estimates, rows.spread(workload, 0, method.key).ratios.size());
  }
  std::string text = spread_table(rows) + mean_table(rows) + recovery_table(rows) + cost_table(rows);
  text +=
      "\nEvery estimate has about the same machine time, in rounds over the methods. Goals: by both "
      "deviations (yes),"
      " by one of them (half) or by none (no).\n";
  if (estimates > 1) {
    text += fmt::format("A standard deviation of {} estimates is itself uncertain by about {:.0f} %.\n",
                        estimates, 100 / std::sqrt(2.0 * static_cast<double>(estimates - 1)));
  }
  return text + fmt::format("Measurements that failed: {}.\n", rows.failed());
}

}  // namespace tandem::evaluation
