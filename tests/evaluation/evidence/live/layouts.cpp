// One source in many linkings: what a commit does that only moves code. Every record here is a false one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <memory>

#include "analysis/calibration.hpp"
#include "analysis/margin.hpp"
#include "builders/layout/layout.hpp"
#include "evaluation/evidence/live/decision.hpp"
#include "evaluation/evidence/live/live_run.hpp"
#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/results/proportion.hpp"
#include "runners/pairing/measuring_lock.hpp"
#include "specs/foundation/error.hpp"
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

/// Linkings of one program in any number of orders. The program and the captured inputs of its link stand in
/// `home`, as layouts.sh leaves them: out/program, links/kept, and ld.lld.
class LayoutPool {
 public:
  /// Linkings are made in `scratch` and stay there.
  LayoutPool(fs::path home, fs::path scratch) : home_(std::move(home)), scratch_(std::move(scratch)) {}

  [[nodiscard]] fs::path as_built() const { return home_ / "out" / "program"; }

  /// The program in the order that the seed decides. Throws Error with lld's words when it cannot be linked.
  fs::path linked(std::uint64_t seed) {
    if (const auto ready = ready_.find(seed); ready != ready_.end()) return ready->second;
    return ready_[seed] = link(seed);
  }

  /// The same for one use: only the newest few of these stay.
  fs::path linked_once(std::uint64_t seed) {
    constexpr std::size_t most = 4;  // both sides of a unit, and of the one before
    if (used_once_.size() >= most) {
      fs::remove_all(used_once_.front().parent_path());
      used_once_.pop_front();
    }
    used_once_.push_back(link(seed));
    return used_once_.back();
  }

 private:
  fs::path link(std::uint64_t seed) const {
    const fs::path folder = scratch_ / fmt::format("{:016x}", seed);
    fs::remove_all(folder);
    fs::create_directories(scratch_);
    fs::copy(home_ / "out", folder, fs::copy_options::recursive);
    if (const auto why = builders::relink(home_ / "links" / "kept", home_ / "ld.lld", seed, folder))
      throw Error(why->sentence);
    return folder / "program";
  }

  fs::path home_;
  fs::path scratch_;
  std::map<std::uint64_t, fs::path> ready_;
  std::deque<fs::path> used_once_;
};

ProgramPair paired(const fs::path& control, const fs::path& treatment) {
  ProgramPair pair;
  pair.control = control;
  pair.treatment = treatment;
  return pair;
}

/// A workload whose linkings are compared.
struct Relinked {
  std::shared_ptr<LayoutPool> pool;
  LiveRun::Prepared prepared;
  double margin = 0.01;
};

/// The mean of a few launches of one linking against the program as it was built.
std::optional<double> moved_by(runners::PairRunner& runner, const Relinked& one, std::uint64_t seed) {
  WorkloadPair programs = one.prepared.programs;
  programs.pair = paired(one.pool->as_built(), one.pool->linked(seed));
  Launches made;
  for (std::uint64_t index = 0; index < spread_launches; ++index)
    launch_once(runner, programs, runners::plan_launch(seed, index, one.prepared.shape), made);
  if (made.failed > 0) return std::nullopt;
  double sum = 0;
  for (const runners::Launch& launch : made.good) {
    const auto statistics = analysis::launch_statistics(launch);
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
  const double noise = one.prepared.prior.median / std::sqrt(static_cast<double>(spread_launches));
  for (const std::size_t i : analysis::doubtful_layouts(means, noise)) {
    if (const auto again = moved_by(runner, one, seeds[i])) {
      means[i] = analysis::nearer_to_others(means, means[i], *again);
    }
  }
  const double spread = analysis::layout_spread_of(means, noise).value_or(0);
  one.margin =
      analysis::margin_of({live_margin, spread, one.prepared.programs.facts.iteration_ns * 1e-9}).value;
  // Each launch draws a layout per side.
  for (double* prior : {&one.prepared.prior.median, &one.prepared.prior.total})
    *prior = std::hypot(*prior, std::sqrt(2.0) * spread);
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
  DecisionSubject subject = one.prepared.subject(origin, one.prepared.programs.pair);
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
  const std::string most = most_suspected(decisions);
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

namespace fs = std::filesystem;

PartResult layouts(const PartSettings& settings) {
  LiveRun run(settings, "layouts");
  std::vector<LiveRun::Cell> cells;
  PartResult result;
  const auto homes = homes_in(settings.out / "layouts");
  for (const fs::path& home : homes) {
    const std::string name = home.filename();
    settings.show(fmt::format("linking {}", name), 0, 1);
    const auto pool = std::make_shared<LayoutPool>(home, run.scratch() / "layouts" / name);
    const auto prepared =
        run.prepare(name, pool->as_built(), runners::Pairing::alternate, launch_time, result.notes);
    if (!prepared) continue;
    Relinked one{pool, *prepared};
    measure_spread(run.runner(), one);
    const Origin origin{name, "alternate", "other", 0};
    cells.push_back({fmt::format("{} in other layouts", name), origin, wanted(name),
                     [one, origin, seed = settings.seed](std::size_t number) {
                       return subject_of(
                           one, origin,
                           tandem::seed_of(fmt::format("{} {} {}", seed, origin.workload, number)));
                     }});
  }
  const std::vector<Decision> decisions = run.fill(cells);

  result.part = "layouts";
  result.title = "One source, other layouts, live (A/A′)";
  result.says =
      "Each decision compares one program with itself, linked in other orders: eight linkings per side are "
      "drawn from 64, every launch runs one of them, as the daemon does; a suspect is confirmed in linkings "
      "that are made for it. The programs are compiled with alignment switched off, so that places matter. "
      "Margins are those of the daemon: 1 %, or twice the spread between linkings. Every record here is a "
      "false one. Of workloads that are quick to decide there are more.";
  add_false_alarms(result, "other layouts", "one source in other layouts, live", decisions,
                   false_layout_records_goal);
  result.plots.front().title = "False suspects of other layouts of one source, live";
  result.goals.back().source = "stats 7";
  if (result.goals.front().met == Goal::Met::no)
    result.goals.front().why += kinds_of_linkings(settings, decisions);
  result.tables.push_back(margin_table(decisions));
  return result;
}

}  // namespace tandem::evaluation
