// What Tandem costs: the statistics in this process, the rest from the journals of cost.sh and history.sh.
#include "evaluation/evidence/cost/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/results/proportion.hpp"

namespace tandem::evaluation {
namespace {

namespace fs = std::filesystem;

constexpr const char* design = "design 11";
constexpr double most_outside = 0.03;
constexpr double most_idle = 0.001;
constexpr double most_mib = 30;
constexpr double most_poll_ms = 50;
constexpr std::size_t poll_commits = 100000;
constexpr double most_judging_us = 2;
constexpr double most_verdict_ms = 1;

constexpr const char* says =
    "The daemon walks programs of many benchmarks: a first commit, one without effect and one that gives a "
    "single benchmark 10 % more work. Seconds of a commit stand beside the formula of the design, and where "
    "they went was seen from outside. Then a daemon has nothing to do; a poll finds nothing new in a long "
    "history; and the statistics are timed alone, over prepared launches. All of it depends on the host and "
    "on what else runs there.";

Goal unmeasured(const char* what, const char* target, std::string why) {
  return {design, what, target, "not measured", Goal::Met::unknown, std::move(why)};
}

/// The reason is said only where it is missed.
Goal goal_of(std::string source, const char* what, const char* target, std::string measured, bool is_met,
             std::string why = {}) {
  return {std::move(source),   what,        target,
          std::move(measured), met(is_met), is_met ? std::string() : std::move(why)};
}

Goal outside_goal(const Costs& costs) {
  constexpr const char* what = "outside builds and launches";
  constexpr const char* target = "under 3 % of wall time";
  double outside = 0;
  double all = 0;
  for (const WalkCost& one : costs.walks) {
    outside += one.outside + one.in_others;
    all += one.in_builds + one.in_links + one.in_launches + one.in_others + one.outside;
  }
  if (all == 0) return unmeasured(what, target, "nothing was walked");
  return goal_of(
      design, what, target, fmt::format("{:.1f} % ({:.1f} of {:.1f} s)", 100 * outside / all, outside, all),
      outside < most_outside * all, "that much of the walk was in none of its builds, links and launches");
}

std::vector<Goal> idle_goals(const Costs& costs) {
  if (!costs.idle) {
    return {unmeasured("idle: processor", "under 0.1 %", "not measured yet"),
            unmeasured("idle: memory", "under 30 MiB", "not measured yet")};
  }
  const IdleCost& idle = *costs.idle;
  const double used = (idle.own + idle.children) / idle.seconds;
  Goal processor = goal_of(
      design, "idle: processor", "under 0.1 %",
      fmt::format("{:.3f} %, children included, over {:.0f} s", 100 * used, idle.seconds), used < most_idle);
  if (idle.trials > 0) {
    processor.met = Goal::Met::unknown;
    processor.why = fmt::format("{} trials of live A/A came in between", idle.trials);
  }
  return {processor,
          goal_of(design, "idle: memory", "under 30 MiB",
                  fmt::format("{:.1f} MiB resident, at most {:.1f}", idle.resident_mib, idle.peak_mib),
                  idle.resident_mib < most_mib)};
}

Goal poll_goal(const Costs& costs) {
  constexpr const char* what = "poll with nothing new, 100 000 commits";
  constexpr const char* target = "under 50 ms";
  const PollCost* slowest = nullptr;
  for (const PollCost& one : costs.polls) {
    if (one.commits != poll_commits) continue;
    if (slowest == nullptr || one.milliseconds > slowest->milliseconds) slowest = &one;
  }
  if (slowest == nullptr) return unmeasured(what, target, "not measured yet: ./dev evaluate history");
  return goal_of(
      design, what, target,
      fmt::format("{:.1f} ms over {}:// (git fetch {:.1f} ms), median of {}", slowest->milliseconds,
                  slowest->address, slowest->git_milliseconds, slowest->rounds),
      slowest->milliseconds < most_poll_ms);
}

std::vector<Goal> judging_goals(const JudgingCost& judging) {
  const auto slowest = std::max_element(
      judging.confirmation.begin(), judging.confirmation.end(),
      [](const LookCost& one, const LookCost& other) { return one.milliseconds < other.milliseconds; });
  const LookCost& first = judging.confirmation.front();
  const bool is_met = std::max(judging.verdict_milliseconds, slowest->milliseconds) < most_verdict_ms;
  return {
      goal_of(design, "statistics of a launch", "under 2 µs",
              fmt::format("{:.2f} µs; besides, {:.1f} µs to reduce its {} pairs of slices",
                          judging.judge_microseconds, judging.reduce_microseconds, judging.pairs),
              judging.judge_microseconds < most_judging_us),
      goal_of("stats 7", "statistics of a verdict", "under 1 ms",
              fmt::format("screen {:.3f} ms; confirmation {:.3f} ms at {} units, {:.2f} ms at most, at {}",
                          judging.verdict_milliseconds, first.milliseconds, first.units,
                          slowest->milliseconds, slowest->units),
              is_met,
              "the look at 32 units counts all 2^32 sign patterns exactly, the look at 64 draws 99 999")};
}

/// Promises about what the tree may not have yet.
std::vector<Goal> later_goals(const fs::path& source) {
  const auto why = [&](const char* place) {
    return fs::exists(source / place) ? "not measured here" : "not built yet";
  };
  return {unmeasured("folding of perf script output", "at least 180 MiB/s on one core",
                     why("analysis/flame_graph.cpp")),
          unmeasured("dashboard page of a million samples", "under 200 ms", why("daemon/http"))};
}

Costs journals(const PartSettings& settings) {
  if (settings.length == PartSettings::Length::brief) return {};
  std::vector<Journal::Fields> rows;
  for (const char* name : {"cost.tsv", "history.tsv"}) {
    const fs::path file = settings.out / "journal" / name;
    if (!fs::exists(file)) continue;
    const Journal journal(file);
    rows.insert(rows.end(), journal.rows().begin(), journal.rows().end());
  }
  return costs_in(rows);
}

}  // namespace

PartResult cost(const PartSettings& settings) {
  const Costs costs = journals(settings);
  settings.show("statistics", 0, 1);
  const JudgingCost judging = measure_judging(settings.seed, settings.length);
  PartResult result;
  result.part = "cost";
  result.title = "What it costs";
  result.says = says;

  const auto add = [&](std::vector<Goal> goals) {
    result.goals.insert(result.goals.end(), goals.begin(), goals.end());
  };
  if (settings.length == PartSettings::Length::full) {
    add({outside_goal(costs)});
    add(idle_goals(costs));
    add({poll_goal(costs)});
  }
  add(judging_goals(judging));
  if (settings.length == PartSettings::Length::full) add(later_goals(settings.source));

  if (!costs.walks.empty()) {
    result.tables = {walks_table(costs), commits_table(costs), throughput_table(costs)};
    result.plots.push_back(kinds_plot(costs));
  }
  if (costs.idle || !costs.polls.empty()) result.tables.push_back(rest_table(costs));
  result.tables.push_back(judging_table(judging));

  for (const WalkCost& one : costs.walks) result.seconds += one.wall;
  if (costs.idle) result.seconds += costs.idle->seconds;
  result.figures = {{"judge_microseconds", judging.judge_microseconds},
                    {"reduce_microseconds", judging.reduce_microseconds},
                    {"verdict_milliseconds", judging.verdict_milliseconds}};
  for (const Throughput& one : throughputs(costs)) {
    result.figures[fmt::format("formula_seconds_{}", one.benchmarks)] = one.formula;
    if (one.measured) result.figures[fmt::format("measured_seconds_{}", one.benchmarks)] = *one.measured;
  }
  return result;
}

}  // namespace tandem::evaluation
