// Which commit did it: simulated histories in this process, real ones from the journal of culprit.sh.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "evaluation/evidence/culprit/cells.hpp"
#include "evaluation/evidence/culprit/tables.hpp"
#include "evaluation/evidence/culprit/walks.hpp"
#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/results/goals.hpp"
#include "evaluation/evidence/results/journal.hpp"
#include "evaluation/evidence/results/proportion.hpp"

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

Goal simulated_goal(const std::vector<Cell>& cells) {
  const Tally sum = sum_of(cells, is_goal_cell);
  const Proportion right = proportion(sum.right(), sum.named());
  const Proportion named = proportion(sum.named(), sum.all);
  Goal goal{"stats 7",
            "culprit right, alone or with neighbours that do not build, after its confirmation, simulated "
            "histories",
            "at least 98.5 % right, a commit named in at least 95 % of cases (FACF 97.5 %, FBDetect 94.7 %)",
            fmt::format("right {}; named in {}; alone {}", text_of(right), text_of(named),
                        text_of(proportion(sum.exact, sum.all))),
            both(at_least(right, goal_right), at_least(named, goal_named)),
            {}};
  if (goal.met != Goal::Met::yes) goal.why = worst_cell(cells);
  return goal;
}

bool is_without_culprit(const Cell& cell) {
  return cell.rule.kind == Rule::Kind::tandem && cell.plan.steps == Steps::none &&
         cell.plan.layouts != LayoutSpread::fixed;
}

Goal none_goal(const std::vector<Cell>& cells) {
  const Tally sum = sum_of(cells, is_without_culprit);
  const Proportion accused = proportion(sum.wrong, sum.all);
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
          sum.all, sum.exact, sum.among),
      fmt::format(
          "The search alone, before the confirmation of what it named, was right in {}.",
          text_of(proportion(sum.right() + sum.not_named, sum.named() + sum.not_named + sum.withdrawn))),
      fmt::format("Where nobody did it, {} of {} searches named somebody whom the confirmation then cleared.",
                  none.withdrawn, none.all),
      "Among simulated histories " + worst_cell(cells) + "."};
}

Goal real_goal(const Tally& tally) {
  const Proportion right = proportion(tally.right(), tally.named());
  const Proportion named = proportion(tally.named(), tally.all);
  Goal goal{"stats 7",
            "culprit right, real histories",
            "at least 98.5 % right, named in at least 95 % of cases",
            fmt::format("right {}; named in {}; alone {}", text_of(right), text_of(named),
                        text_of(proportion(tally.exact, tally.all))),
            both(at_least(right, goal_right), at_least(named, goal_named)),
            ""};
  if (tally.all == 0)
    goal.why = "none were walked";
  else if (goal.met == Goal::Met::unknown)
    goal.why = "too few histories for an interval that narrow";
  return goal;
}

}  // namespace

PartResult culprit(const PartSettings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Cell> cells = simulate_cells(settings);
  PartResult result;
  result.part = "culprit";
  result.title = "Which commit did it";
  result.says = says;
  result.command = "./dev evaluate culprit";
  result.seed = settings.seed;
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

}  // namespace tandem::evaluation
