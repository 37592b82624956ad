// Which commit did it: simulated histories in this process, real ones from the journal of culprit.sh.
#include "evaluation/evidence/culprit/culprit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/results/journal.hpp"
#include "evaluation/evidence/results/proportion.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

/// Stats 7: so many right of those that are named, and named in so many of the cases.
constexpr double goal_right = 0.985;
constexpr double goal_named = 0.95;
/// The same of layouts alone: nothing is published of ranges without a culprit.
constexpr double most_accused = 0.001;

constexpr const char* says =
    "A culprit search is driven through histories whose culprit is known. Simulated ones have one culprit, "
    "none or two, and a tenth of their commits does not build; noise and effect are estimated from a "
    "confirmation, as in the daemon, and what is named is confirmed against its parent, as every record is. "
    "They show the rule under its own model of the noise, not the machine. Real ones are commits of a "
    "little library, one of which does more work, counted in instructions, while the others move, rename, "
    "comment or add code that nobody calls; `tandem bisect` gets the first and the last of them.";

bool is_goal_cell(const Cell& cell) {
  return cell.rule.kind == Rule::Kind::tandem && cell.plan.steps != Steps::none &&
         cell.plan.layouts != LayoutSpread::fixed;
}

Goal::Met both(Goal::Met one, Goal::Met other) {
  if (one == Goal::Met::no || other == Goal::Met::no) return Goal::Met::no;
  return one == Goal::Met::yes ? other : one;
}

/// The kind of history that was decided least often.
std::string worst_cell(const std::vector<Cell>& cells) {
  const Cell* worst = nullptr;
  const auto share = [](const Cell& cell) {
    return static_cast<double>(cell.tally.right()) / static_cast<double>(cell.tally.all);
  };
  for (const Cell& cell : cells) {
    if (is_goal_cell(cell) && (worst == nullptr || share(cell) < share(*worst))) worst = &cell;
  }
  if (worst == nullptr) return {};
  return fmt::format("the hardest kind: {} commits, θ/σ = {:g}, layouts {}, {}: {} of {} right",
                     worst->plan.commits, worst->plan.effect_sigmas, name_of(worst->plan.layouts),
                     worst->plan.steps == Steps::two ? "two culprits" : "one culprit", worst->tally.right(),
                     worst->tally.all);
}

/// Right and named often enough.
Goal right_goal(const char* what, const char* target, const Tally& tally) {
  const Proportion right = proportion(tally.right(), tally.named());
  const Proportion named = proportion(tally.named(), tally.all);
  return {"stats 7", what, target,
          fmt::format("right {}; named in {}; alone {}", text_of(right), text_of(named),
                      text_of(proportion(tally.of(Judged::exact), tally.all))),
          both(at_least(right, goal_right), at_least(named, goal_named))};
}

Goal simulated_goal(const std::vector<Cell>& cells) {
  Goal goal = right_goal(
      "culprit right, alone or with neighbours that do not build, after its confirmation, simulated "
      "histories",
      "at least 98.5 % right, a commit named in at least 95 % of cases (FACF 97.5 %, FBDetect 94.7 %)",
      sum_of(cells, is_goal_cell));
  if (goal.met != Goal::Met::yes) goal.why = worst_cell(cells);
  return goal;
}

bool is_without_culprit(const Cell& cell) {
  return cell.rule.kind == Rule::Kind::tandem && cell.plan.steps == Steps::none &&
         cell.plan.layouts != LayoutSpread::fixed;
}

Goal none_goal(const std::vector<Cell>& cells) {
  const Tally sum = sum_of(cells, is_without_culprit);
  const Proportion accused = proportion(sum.of(Judged::wrong), sum.all);
  Goal goal{"own, as A/A′ in stats 7",
            "somebody recorded where nobody did it, simulated histories",
            "at most 0.1 %",
            text_of(accused),
            at_most(accused, most_accused),
            {}};
  if (goal.met == Goal::Met::unknown) goal.why = "too few histories for an interval that narrow";
  return goal;
}

/// What the two goals do not say: the search alone, before anything is confirmed.
std::vector<std::string> notes_of(const std::vector<Cell>& cells) {
  const Tally sum = sum_of(cells, is_goal_cell);
  const Tally none = sum_of(cells, is_without_culprit);
  return {
      fmt::format(
          "Of {} simulated histories with a culprit, {} were answered with the culprit alone and {} with "
          "neighbours that do not build.",
          sum.all, sum.of(Judged::exact), sum.of(Judged::among)),
      fmt::format("The search alone, before the confirmation of what it named, was right in {}.",
                  text_of(proportion(sum.right() + sum.of(Judged::not_named),
                                     sum.named() + sum.of(Judged::not_named) + sum.of(Judged::withdrawn)))),
      fmt::format("Where nobody did it, {} of {} searches named somebody whom the confirmation then cleared.",
                  none.of(Judged::withdrawn), none.all),
      "Among simulated histories " + worst_cell(cells) + "."};
}

Goal real_goal(const Tally& tally) {
  Goal goal = right_goal("culprit right, real histories",
                         "at least 98.5 % right, named in at least 95 % of cases", tally);
  if (tally.all == 0)
    goal.why = "none were walked";
  else if (goal.met == Goal::Met::unknown)
    goal.why = "too few histories for an interval that narrow";
  return goal;
}

std::vector<std::size_t> places_in(std::string text) {
  std::vector<std::size_t> places;
  if (text == "-") return places;
  std::replace(text.begin(), text.end(), ',', '\t');
  const Journal::Fields fields = fields_in(text);
  for (FieldReader reader(fields); places.size() < fields.size();) reader >> places.emplace_back();
  return places;
}

RealHistory history_in(const Journal::Fields& row) {
  RealHistory one;
  std::string others;
  std::string answer;
  std::optional<double> measurements;
  FieldReader fields(row, 1);
  fields >> one.number >> one.commits >> one.percent >> one.benchmark >> one.culprit >> one.broken >>
      one.named >> others >> one.probability >> measurements >> one.seconds >> one.status >> answer;
  if (!fields.is_whole())
    throw Error(fmt::format("this is no line of the journal of culprit: {}", fmt::join(row, " ")));
  one.co_suspects = places_in(others);
  one.measurements = static_cast<std::size_t>(measurements.value_or(0));
  return one;
}

}  // namespace

PartResult culprit(const PartSettings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Cell> cells = simulate_cells(settings);
  PartResult result;
  result.part = "culprit";
  result.title = "Which commit did it";
  result.says = says;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  RealHistories real;
  const auto file = settings.out / "journal" / "culprit.tsv";
  if (settings.length == PartSettings::Length::full && std::filesystem::exists(file)) {
    real = real_histories(Journal(file).rows());
  }
  Tally walked;
  for (const RealHistory& one : real.all) {
    walked.add(judge(one), one.measurements);
    result.seconds += one.seconds;
  }
  result.goals = {simulated_goal(cells), none_goal(cells)};
  if (settings.length == PartSettings::Length::full) result.goals.push_back(real_goal(walked));
  result.tables = {answers_table(cells), bisection_table(cells)};
  if (!real.all.empty()) result.tables.push_back(real_table(real));
  result.plots = {right_plot(cells), measurements_plot(cells)};

  result.notes = notes_of(cells);

  const Tally sum = sum_of(cells, is_goal_cell);
  result.figures = {{"simulated_histories", static_cast<double>(sum.all)},
                    {"simulated_named", static_cast<double>(sum.named())},
                    {"simulated_right", static_cast<double>(sum.right())},
                    {"real_histories", static_cast<double>(walked.all)},
                    {"real_named", static_cast<double>(walked.named())},
                    {"real_right", static_cast<double>(walked.right())}};
  return result;
}

RealHistories real_histories(std::span<const Journal::Fields> rows) {
  RealHistories histories;
  for (const Journal::Fields& row : rows) {
    if (row.front() == "planted" && row.size() == 3 && read_number(row[2], histories.planted[row[1]]))
      continue;
    if (row.front() != "history") throw Error("the journal of culprit has a line that is none");
    histories.all.push_back(history_in(row));
  }
  return histories;
}

Judged judge(const RealHistory& history) {
  if (history.status > 1) return Judged::undecided;
  if (history.named == 0) return Judged::not_named;
  return judge_named(history.named, history.co_suspects, history.culprit);
}

}  // namespace tandem::evaluation
