// One source in many linkings: what a commit does that only moves code. Every record here is a false one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "analysis/calibration.hpp"
#include "analysis/margin.hpp"
#include "evaluation/evidence/live/decision_summary.hpp"
#include "evaluation/evidence/live/layout_pool.hpp"
#include "evaluation/evidence/live/workbench.hpp"
#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/results/goals.hpp"
#include "runners/pairing/measuring_lock.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::evaluation {
namespace {

namespace fs = std::filesystem;
using runners::ProgramPair;
using tandem::Random;

constexpr std::chrono::milliseconds launch_time{40};
constexpr std::size_t layouts_per_side = 8;  // the daemon's own number
constexpr std::size_t pool_size = 64;        // of linkings that screens draw from
constexpr std::size_t spread_layouts = 16;   // as a calibration does it
constexpr std::uint64_t spread_launches = 4;
constexpr std::uint64_t fresh = std::uint64_t{1} << 32;  // never a seed of the pool

ProgramPair paired(const fs::path& control, const fs::path& treatment) {
  ProgramPair pair;
  pair.control = control;
  pair.treatment = treatment;
  return pair;
}

/// A workload whose linkings are compared.
struct Relinked {
  Ground ground;
  std::shared_ptr<LayoutPool> pool;
  runners::SliceShape shape;
  daemon::PriorSigma prior;
  double spread = 0;  ///< ω
  double margin = 0.01;
};

/// The mean of a few launches of one linking against the program as it was built.
std::optional<double> moved_by(runners::PairRunner& runner, const Relinked& one, std::uint64_t seed) {
  const ProgramPair pair = paired(one.pool->as_built(), one.pool->linked(seed));
  double sum = 0;
  for (std::uint64_t index = 0; index < spread_launches; ++index) {
    const auto plan = runners::plan_launch(seed, index, one.shape);
    const auto result =
        runner.launch(pair, {runners::Protocol::slices, one.ground.benchmark, one.shape}, plan, {});
    const auto* sampled = std::get_if<std::vector<runners::Sampled>>(&result);
    if (sampled == nullptr) return std::nullopt;
    const auto statistics = analysis::launch_statistics(sampled->front().launch);
    if (!statistics) return std::nullopt;
    sum += statistics->median;
  }
  return sum / static_cast<double>(spread_launches);
}

void measure_spread(runners::PairRunner& runner, Relinked& one) {
  const runners::MeasuringLock lock([](const std::string&) {});
  std::vector<std::uint64_t> seeds;
  std::vector<double> means;
  for (std::uint64_t seed = 1; seed <= spread_layouts; ++seed) {
    const auto mean = moved_by(runner, one, seed);
    if (!mean) continue;
    seeds.push_back(seed);
    means.push_back(*mean);
  }
  const double noise = one.prior.median / std::sqrt(static_cast<double>(spread_launches));
  for (const std::size_t i : analysis::doubtful_layouts(means, noise)) {
    if (const auto again = moved_by(runner, one, seeds[i])) {
      means[i] = analysis::nearer_to_others(means, means[i], *again);
    }
  }
  one.spread = analysis::layout_spread_of(means, noise).value_or(0);
  one.margin = analysis::margin_of({live_margin, one.spread, one.ground.facts.iteration_ns * 1e-9}).value;
  // Each launch draws a layout per side.
  one.prior.median = std::hypot(one.prior.median, std::sqrt(2.0) * one.spread);
  one.prior.total = std::hypot(one.prior.total, std::sqrt(2.0) * one.spread);
}

/// So many different linkings of the pool, drawn for one decision.
std::vector<std::uint64_t> draw(Random& random, std::size_t count) {
  std::vector<std::uint64_t> seeds;
  while (seeds.size() < count) {
    const std::uint64_t seed = 1 + random.below(pool_size);
    if (std::find(seeds.begin(), seeds.end(), seed) == seeds.end()) seeds.push_back(seed);
  }
  return seeds;
}

DecisionSubject subject_of(const Relinked& one, const Origin& origin, std::uint64_t seed) {
  Random random(seed);
  const auto seeds = draw(random, 2 * layouts_per_side);
  DecisionSubject subject;
  subject.origin = origin;
  subject.pairs.pair = [pool = one.pool, seeds, seed](std::uint64_t launch) {
    Random of_launch(seed ^ (launch + 1) * 0x9e3779b97f4a7c15);
    const std::uint64_t control = seeds[of_launch.below(layouts_per_side)];
    const std::uint64_t treatment = seeds[layouts_per_side + of_launch.below(layouts_per_side)];
    return paired(pool->linked(control), pool->linked(treatment));
  };
  subject.pairs.control_alone = [pool = one.pool](std::uint64_t) {
    return paired(pool->as_built(), pool->as_built());
  };
  subject.unit = [pool = one.pool, seed](std::uint64_t unit) -> std::variant<ProgramPair, std::string> {
    Random of_unit(seed ^ (unit + 1) * 0xd1342543de82ef95);
    const auto control = pool->linked_once(of_unit.next() | fresh);
    return paired(control, pool->linked_once(of_unit.next() | fresh));
  };
  subject.as_built = paired(one.pool->linked(seeds.front()), one.pool->linked(seeds.back()));
  subject.subject = {runners::Protocol::slices, one.ground.benchmark, one.shape};
  subject.prior = one.prior;
  subject.margin = one.margin;
  return subject;
}

/// More of what is quick to decide.
std::size_t wanted(const std::string& workload) {
  for (const char* slow : {"chase", "hash", "sort"}) {
    if (workload == slow) return 60;
  }
  return workload.starts_with("stream") ? 100 : 450;
}

/// Launches in which the two linkings of a workload were more than 10 % apart.
Proportion far_apart(std::span<const Sample> samples, const std::string& workload) {
  std::size_t far = 0;
  std::size_t all = 0;
  for (const Sample& sample : samples) {
    if (sample.origin.workload != workload) continue;
    ++all;
    far += std::abs(sample.launch.statistics.median) > 0.1 ? 1 : 0;
  }
  return proportion(far, all);
}

/// What the linkings of the workload with most suspects are like, and those of its aligned twin.
std::string kinds_of_linkings(const PartSettings& settings, std::span<const Decision> decisions) {
  std::map<std::string, std::size_t> suspects;
  for (const Decision& decision : decisions)
    suspects[decision.origin.workload] += decision.is_suspect() ? 1 : 0;
  const std::string most =
      std::max_element(suspects.begin(), suspects.end(), [](const auto& one, const auto& other) {
        return one.second < other.second;
      })->first;
  const auto samples = read_samples(settings.out / "launches" / "layouts.tsv");
  return fmt::format(
      ". Its two linkings were more than 10 % apart in {} of the launches, and in {} with functions and "
      "loops aligned (`-falign-functions=64 -falign-loops=32`): there are two kinds of linkings, and eight "
      "a side do not always have equal shares of them. A confirmation in fresh linkings does",
      text_of(far_apart(samples, most)), text_of(far_apart(samples, most + "_aligned")));
}

/// Each run finds the spread of the linkings anew, so the margins are those that the decisions were made
/// with.
Table margin_table(std::span<const Decision> decisions) {
  std::map<std::string, std::pair<double, double>> margins;
  for (const Decision& decision : decisions) {
    auto& [low, high] =
        margins.try_emplace(decision.origin.workload, decision.margin, decision.margin).first->second;
    low = std::min(low, decision.margin);
    high = std::max(high, decision.margin);
  }
  Table table{"Margins of the decisions", {"workload", "δ"}, {}};
  for (const auto& [name, range] : margins) {
    const auto [low, high] = range;
    table.rows.push_back({name, low == high ? fmt::format("{:.2f} %", 100 * low)
                                            : fmt::format("{:.2f} to {:.2f} %", 100 * low, 100 * high)});
  }
  table.below =
      "1 %, or twice the spread of 16 linkings, which each run measures anew. Where that is large, as of "
      "`stream` without alignment, hardly anything can be a suspect: few false ones there say little.";
  return table;
}

std::vector<fs::path> homes_in(const fs::path& folder) {
  std::vector<fs::path> homes;
  if (!fs::is_directory(folder)) return homes;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (fs::exists(entry.path() / "links" / "kept")) homes.push_back(entry.path());
  }
  std::sort(homes.begin(), homes.end());
  return homes;
}

}  // namespace

PartResult layouts(const PartSettings& settings) {
  Workbench bench(settings, "layouts");
  std::vector<Workbench::Cell> cells;
  PartResult result;
  const auto homes = homes_in(settings.out / "layouts");
  for (const fs::path& home : homes) {
    const std::string name = home.filename();
    settings.show(fmt::format("linking {}", name), 0, 1);
    Relinked one;
    one.pool = std::make_shared<LayoutPool>(home, bench.scratch() / "layouts" / name);
    one.ground = look_at(bench.runner(), one.pool->as_built(), one.pool->as_built());
    const auto prepared =
        bench.prepare(name, one.ground, runners::Pairing::alternate, launch_time, result.notes);
    if (!prepared) continue;
    one.shape = prepared->shape;
    one.prior = prepared->prior;
    measure_spread(bench.runner(), one);
    const Origin origin{name, "alternate", "other", 0};
    cells.push_back({fmt::format("{} in other layouts", name), origin, wanted(name),
                     [one, origin, seed = settings.seed](std::size_t number) {
                       return subject_of(
                           one, origin,
                           tandem::seed_of(fmt::format("{} {} {}", seed, origin.workload, number)));
                     }});
  }
  const std::vector<Decision> decisions = bench.fill(cells);
  const DecisionSummary sum = summary_of(decisions);

  result.part = "layouts";
  result.title = "One source, other layouts, live (A/A′)";
  result.says =
      "Each decision compares one program with itself, linked in other orders: eight linkings per side are "
      "drawn from 64, every launch runs one of them, as the daemon does; a suspect is confirmed in linkings "
      "that are made for it. The programs are compiled with alignment switched off, so that places matter. "
      "Margins are those of the daemon: 1 %, or twice the spread between linkings. Every record here is a "
      "false one. Of workloads that are quick to decide there are more.";
  result.seconds = sum.seconds;
  result.goals = false_alarm_goals("one source in other layouts, live", decisions, false_suspects_goal,
                                   false_layout_records_goal);
  result.goals.back().source = "stats 7";
  if (result.goals.front().met == Goal::Met::no)
    result.goals.front().why += kinds_of_linkings(settings, decisions);
  result.tables = {false_alarm_table("False alarms of other layouts", decisions), margin_table(decisions)};
  result.plots = {false_alarm_plot("layouts-false-alarms",
                                   "False suspects of other layouts of one source, live", decisions)};
  result.figures = {{"decisions", static_cast<double>(sum.decisions)},
                    {"suspects", static_cast<double>(sum.suspects)},
                    {"records", static_cast<double>(sum.records)}};
  return result;
}

}  // namespace tandem::evaluation
