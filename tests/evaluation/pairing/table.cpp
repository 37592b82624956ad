#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/statistics.hpp"
#include "evaluation/evidence/recorded/launches.hpp"
#include "evaluation/evidence/results/result.hpp"
#include "evaluation/pairing/pairing.hpp"

namespace tandem::evaluation {
namespace {

using Cells = std::vector<std::string>;

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
const std::span pairings = std::span(methods).last(4);

constexpr double goal_sequence = 10;
constexpr double goal_hyperfine = 20;
constexpr double goal_better = 1.1;
constexpr double significant = 0.05;
constexpr const char* none = "–";

/// What several estimates of one method say about one pair of programs, all as ln(treatment / control).
struct Spread {
  std::vector<double> ratios;
  std::vector<double> totals;
  double seconds = 0;    ///< of one estimate, on average
  bool refused = false;  ///< the method cannot measure this workload

  [[nodiscard]] bool known() const { return ratios.size() > 1; }
  [[nodiscard]] double robust() const { return analysis::robust_deviation(ratios).value_or(0); }
  [[nodiscard]] double plain() const { return moments_of(ratios).deviation; }
};

/// The rows, asked for by workload, per cent and method.
struct Rows {
  std::span<const Row> all;

  /// In the order of their first rows.
  [[nodiscard]] Cells workloads() const {
    Cells names;
    for (const Row& row : all) {
      if (row.workload != "costs" && std::find(names.begin(), names.end(), row.workload) == names.end())
        names.push_back(row.workload);
    }
    return names;
  }
  [[nodiscard]] std::vector<const Row*> of(const std::string& workload, int percent,
                                           const std::string& method) const {
    std::vector<const Row*> found;
    for (const Row& row : all) {
      if (row.workload == workload && row.percent == percent && row.method == method) found.push_back(&row);
    }
    return found;
  }
  /// Null if there is none.
  [[nodiscard]] const Row* first(const std::string& workload, int percent, const std::string& method) const {
    const auto found = of(workload, percent, method);
    return found.empty() ? nullptr : found.front();
  }
  [[nodiscard]] Spread spread(const std::string& workload, int percent, const std::string& method) const {
    Spread spread;
    for (const Row* row : of(workload, percent, method)) {
      spread.refused = spread.refused || row->outcome == "refused";
      if (row->outcome != "ok" || !row->ratio) continue;
      spread.ratios.push_back(*row->ratio);
      if (row->total) spread.totals.push_back(*row->total);
      spread.seconds += row->seconds.value_or(0);
    }
    if (!spread.ratios.empty()) spread.seconds /= static_cast<double>(spread.ratios.size());
    return spread;
  }
  /// Per cent of extra work; 0: none.
  [[nodiscard]] int planted(const std::string& workload) const {
    const auto row = std::find_if(
        all.begin(), all.end(), [&](const Row& one) { return one.workload == workload && one.percent != 0; });
    return row == all.end() ? 0 : row->percent;
  }
};

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
    return value > 999 ? "over 999" : fmt::format("{:.{}f}", value, value < 9.95 ? 2 : 0);
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

/// The first column, one for each method, and more.
Table table_by(std::span<const Method> methods_shown, Cells first, const Cells& last) {
  Table table{"", std::move(first), {}};
  for (const Method& method : methods_shown) table.columns.emplace_back(method.title);
  table.columns.insert(table.columns.end(), last.begin(), last.end());
  return table;
}

std::string spread_table(const Rows& rows) {
  Table table = table_by(methods, {"workload"},
                         {"auto chose", "one after the other / auto", "goal 10", "hyperfine / auto",
                          "goal 20", "auto / better of alternate and duet", "goal 1.1"});
  std::array<std::size_t, 3> met{};
  for (const std::string& workload : rows.workloads()) {
    const auto spread = [&](const char* method) { return rows.spread(workload, 0, method); };
    Cells& cells = table.rows.emplace_back(Cells{workload});
    for (const Method& method : methods) cells.push_back(spread_cell(spread(method.key)));
    const Row* choice = rows.first(workload, 0, "choice");
    cells.push_back(choice != nullptr && choice->outcome == "ok" ? choice->note : none);
    const auto sequence = factor(spread("sequence"), spread("auto"));
    const auto hyperfine = factor(spread("hyperfine"), spread("auto"));
    const auto better = beside_better(spread("alternate"), spread("duet"), spread("auto"));
    const auto within = better ? std::optional(Factor{1 / better->robust, 1 / better->plain}) : std::nullopt;
    const std::array verdicts = {verdict(sequence, goal_sequence), verdict(hyperfine, goal_hyperfine),
                                 verdict(within, 1 / goal_better)};
    const std::array factors = {sequence, hyperfine, better};
    for (std::size_t goal = 0; goal < met.size(); ++goal) {
      met.at(goal) += verdicts.at(goal) == "yes" ? 1 : 0;
      cells.push_back(factor_cell(factors.at(goal)));
      cells.push_back(verdicts.at(goal));
    }
  }
  return fmt::format(
      "A program next to itself: standard deviation of the estimated ratio in %, robust "
      "(plain).\n\n{}\nGoals "
      "that auto meets, of {} workloads: at least {} times narrower than one after the other in {}, at least "
      "{} times narrower than hyperfine in {}, at most {} times as wide as the better of alternate and duet "
      "in {}.\n",
      markdown_of(table), rows.workloads().size(), goal_sequence, met[0], goal_hyperfine, met[1], goal_better,
      met[2]);
}

std::string mean_table(const Rows& rows) {
  Table table = table_by(methods, {"workload"}, {"Google Benchmark: different"});
  for (const std::string& workload : rows.workloads()) {
    Cells& cells = table.rows.emplace_back(Cells{workload});
    for (const Method& method : methods) {
      const Spread spread = rows.spread(workload, 0, method.key);
      const auto count = static_cast<double>(spread.ratios.size());
      cells.push_back(spread.known()
                          ? fmt::format("{:+.2f} ± {:.2f}, {:.1f} s", 100 * moments_of(spread.ratios).mean,
                                        100 * spread.plain() / std::sqrt(count), spread.seconds)
                          : none);
    }
    std::size_t different = 0;
    std::size_t pairs = 0;
    for (const Row* row : rows.of(workload, 0, "google")) {
      if (row->outcome != "ok") continue;
      ++pairs;
      different += std::stod(row->note) < significant ? 1 : 0;
    }
    cells.push_back(pairs > 0 ? fmt::format("{} of {}", different, pairs) : none);
  }
  return "\nMean of the same estimates in % off the truth, with its standard error, and their machine time "
         "in s."
         " Different: pairs that Mann and Whitney's test at 0.05 takes for different.\n\n" +
         markdown_of(table);
}

std::string percent_of(const std::vector<double>& logs) {
  if (logs.empty()) return none;
  const auto [mean, deviation] = moments_of(logs);
  const std::string found = fmt::format("{:+.2f}", 100 * std::expm1(mean));
  return logs.size() > 1 ? fmt::format("{} ± {:.2f}", found, 100 * deviation) : found;
}

std::string recovery_table(const Rows& rows) {
  Table table = table_by(pairings, {"workload", "planted", "instructions"}, {});
  for (const std::string& workload : rows.workloads()) {
    const int planted = rows.planted(workload);
    if (planted == 0) continue;
    const Row* counted = rows.first(workload, planted, "instructions");
    const bool is_counted = counted != nullptr && counted->ratio;
    Cells& cells = table.rows.emplace_back(
        Cells{workload, fmt::format("+{}", planted),
              is_counted ? fmt::format("{:+.2f}", 100 * std::expm1(*counted->ratio)) : none});
    for (const Method& method : pairings) {
      const Spread spread = rows.spread(workload, planted, method.key);
      if (!spread.ratios.empty()) {
        cells.push_back(fmt::format("{} / {}", percent_of(spread.ratios), percent_of(spread.totals)));
      } else {
        cells.emplace_back(rows.spread(workload, 0, method.key).refused ? "not possible" : none);
      }
    }
  }
  return "\nReal work added to the treatment, and what is found in %: of the median slice / of the total "
         "time,"
         " mean ± standard deviation over the estimates.\n\n" +
         markdown_of(table);
}

std::string cost_table(const Rows& rows) {
  const auto value = [&](const char* method, double scale, const char* unit) -> std::string {
    const Row* row = rows.first("costs", 0, method);
    return row != nullptr && row->ratio ? fmt::format("{:.2f} {}", *row->ratio * scale, unit) : none;
  };
  const auto time = [&](const char* method) { return value(method, 1e-3, "µs"); };
  const auto share = [&](const char* method) { return value(method, 100, "%"); };
  return "\n" +
         markdown_of(
             {"",
              {"cost of pairing", "", ""},
              {{"hand-over of a slice by the shared page", "p50 " + time("hand_over_p50"),
                "p99 " + time("hand_over_p99")},
               {"both sides of a duet begin apart, slices of 1 ms", "p50 " + time("duet_skew_p50"),
                "p99 " + time("duet_skew_p99")},
               {"time inside slices of 0.1 / 0.3 / 1 ms, alternate",
                fmt::format("{} / {} / {}", share("inside_100"), share("inside_300"), share("inside_1000")),
                ""}}});
}

}  // namespace

std::string pairing_table(std::span<const Row> all) {
  const Rows rows{all};
  std::size_t estimates = 0;
  for (const std::string& workload : rows.workloads()) {
    for (const Method& method : methods)
      estimates = std::max(estimates, rows.spread(workload, 0, method.key).ratios.size());
  }
  std::string text =
      spread_table(rows) + mean_table(rows) + recovery_table(rows) + cost_table(rows) +
      "\nEvery estimate has about the same machine time, in rounds over the methods. Goals: by both "
      "deviations (yes), by one of them (half) or by none (no).\n";
  if (estimates > 1) {
    text += fmt::format("A standard deviation of {} estimates is itself uncertain by about {:.0f} %.\n",
                        estimates, 100 / std::sqrt(2.0 * static_cast<double>(estimates - 1)));
  }
  const auto failed =
      std::count_if(all.begin(), all.end(), [](const Row& row) { return row.outcome == "failed"; });
  return text + fmt::format("Measurements that failed: {}.\n", failed);
}

}  // namespace tandem::evaluation
