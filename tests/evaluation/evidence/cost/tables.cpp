#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "evaluation/evidence/cost/cost.hpp"

namespace tandem::evaluation {
namespace {

constexpr double seconds_per_day = 86400;
constexpr double slices_seconds = 0.12;  // of a launch, by the design
constexpr const char* no_effect = "without effect";

std::string number(std::size_t value) {
  return fmt::format("{}", value);
}

std::string seconds(double value) {
  return fmt::format("{:.1f}", value);
}

std::string share(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-";
}

const CommitCost* commit_of(const Costs& costs, std::size_t benchmarks) {
  for (const CommitCost& one : costs.commits) {
    if (one.benchmarks == benchmarks && one.name == no_effect && one.judged > 0) return &one;
  }
  return nullptr;
}

/// The walk of so many benchmarks, or the largest below.
const WalkCost* walk_near(const Costs& costs, std::size_t benchmarks) {
  const WalkCost* nearest = nullptr;
  for (const WalkCost& one : costs.walks) {
    if (one.benchmarks > benchmarks || commit_of(costs, one.benchmarks) == nullptr) continue;
    if (nearest == nullptr || one.benchmarks > nearest->benchmarks) nearest = &one;
  }
  return nearest;
}

}  // namespace

Kinds measured_kinds(const WalkCost& walk) {
  return {walk.in_builds, walk.in_links, walk.in_launches, walk.in_others + walk.outside};
}

Kinds formula_kinds(const WalkCost& walk, const Costs& costs) {
  double launches = 0;
  for (const CommitCost& one : costs.commits) {
    if (one.benchmarks == walk.benchmarks) launches += static_cast<double>(one.launches + 2 * one.units);
  }
  return {static_cast<double>(walk.commits) * walk.build, static_cast<double>(walk.links) * walk.link,
          launches * (walk.start + slices_seconds), 0};
}

std::vector<Throughput> throughputs(const Costs& costs) {
  std::set<std::size_t> numbers = {50, 200};
  for (const WalkCost& one : costs.walks) numbers.insert(one.benchmarks);
  std::vector<Throughput> all;
  for (const std::size_t benchmarks : numbers) {
    const WalkCost* walk = walk_near(costs, benchmarks);
    if (walk == nullptr) continue;
    const CommitCost& commit = *commit_of(costs, walk->benchmarks);
    Throughput one{benchmarks, {}, commit.formula};
    if (walk->benchmarks == benchmarks) {
      one.measured = commit.seconds;
    } else {
      const double launches = static_cast<double>(commit.launches) / static_cast<double>(commit.judged) *
                              static_cast<double>(benchmarks);
      one.formula = walk->build + static_cast<double>(walk->layouts - 1) * walk->link +
                    launches * (walk->start + slices_seconds);
    }
    all.push_back(one);
  }
  return all;
}

Table walks_table(const Costs& costs) {
  Table table{"Where the wall time of a walk goes",
              {"benchmarks", "commits", "s", "builds, s", "links, s", "launches, s", "other, s", "outside, s",
               "outside", "looks"},
              {}};
  for (const WalkCost& one : costs.walks) {
    const double all = one.in_builds + one.in_links + one.in_launches + one.in_others + one.outside;
    table.rows.push_back({number(one.benchmarks), number(one.commits), seconds(one.wall),
                          seconds(one.in_builds), seconds(one.in_links), seconds(one.in_launches),
                          seconds(one.in_others), seconds(one.outside),
                          share(one.outside + one.in_others, all), number(one.looks)});
  }
  table.below =
      "A hundred times a second it was looked, from outside, which children of the daemon were alive: a "
      "build, a link, a launch (a listing of benchmarks is one too), something else (a tool asked for its "
      "version, or a child that ended before it could be told), or none. `outside` is the share of the last "
      "two: everything that the daemon does between its children, with fetches, copies of executables, "
      "statistics, store, reports and waiting.";
  return table;
}

Table commits_table(const Costs& costs) {
  Table table{"A commit, beside the formula",
              {"benchmarks", "commit", "judged", "launches", "suspects", "units", "links", "s",
               "by the formula, s", "ratio"},
              {}};
  for (const CommitCost& one : costs.commits) {
    table.rows.push_back({number(one.benchmarks), one.name, number(one.judged), number(one.launches),
                          number(one.suspects), number(one.units), number(one.links), seconds(one.seconds),
                          seconds(one.formula),
                          one.formula > 0 ? fmt::format("{:.2f}", one.seconds / one.formula) : "-"});
  }
  table.below =
      "`build + (k-1) links + benchmarks x launches x (start + 0.12 s) + suspects x units x (2 launches + 2 "
      "links)`, with launches and units as they were made and build, link and start timed by hand just "
      "before:";
  for (const WalkCost& one : costs.walks) {
    table.below += fmt::format(" {} benchmarks: build {:.2f} s, link {:.3f} s, start {:.4f} s.",
                               one.benchmarks, one.build, one.link, one.start);
  }
  return table;
}

Table throughput_table(const Costs& costs) {
  Table table{"Commits per day",
              {"benchmarks", "s per commit", "commits per day", "by the formula, s",
               "commits per day, by the formula", "measured over formula"},
              {}};
  for (const Throughput& one : throughputs(costs)) {
    const auto per_day = [](double value) { return fmt::format("{:.0f}", seconds_per_day / value); };
    table.rows.push_back({number(one.benchmarks), one.measured ? seconds(*one.measured) : "not walked",
                          one.measured ? per_day(*one.measured) : "-", seconds(one.formula),
                          per_day(one.formula),
                          one.measured ? fmt::format("{:.2f}", *one.measured / one.formula) : "-"});
  }
  table.below =
      "Of commits without effect, one after the other on one host, nothing built ahead. These are the first "
      "that were compared: each of their benchmarks also had its short A/A of six launches, which the "
      "formula "
      "does not count and later commits do not have.";
  return table;
}

Table judging_table(const JudgingCost& judging) {
  Table table{"Statistics", {"what", "takes"}, {}};
  table.rows = {
      {fmt::format("{} pairs of slices of a launch to its two statistics", judging.pairs),
       fmt::format("{:.2f} µs", judging.reduce_microseconds)},
      {"a launch judged: all e-processes of a screen", fmt::format("{:.2f} µs", judging.judge_microseconds)},
      {"the verdict of a screen, with its intervals",
       fmt::format("{:.3f} ms", judging.verdict_milliseconds)}};
  for (const LookCost& one : judging.confirmation) {
    table.rows.push_back({fmt::format("a confirmation of {} units, all looks up to there", one.units),
                          fmt::format("{:.3f} ms", one.milliseconds)});
  }
  return table;
}

Table rest_table(const Costs& costs) {
  Table table{"Nothing to do", {"what", "measured"}, {}};
  if (costs.idle) {
    const IdleCost& idle = *costs.idle;
    table.rows.push_back(
        {"processor, of the daemon's threads", fmt::format("{:.4f} %", 100 * idle.own / idle.seconds)});
    table.rows.push_back({"processor, of its children (fetches)",
                          fmt::format("{:.4f} %", 100 * idle.children / idle.seconds)});
    table.rows.push_back({"resident now", fmt::format("{:.1f} MiB", idle.resident_mib)});
    table.rows.push_back({"resident at most, ever", fmt::format("{:.1f} MiB", idle.peak_mib)});
    table.rows.push_back(
        {"its share of what is resident (Pss)", fmt::format("{:.1f} MiB", idle.proportional_mib)});
    table.below = fmt::format("{:.0f} s with the default interval of 60 s between polls.", idle.seconds);
  }
  for (const PollCost& one : costs.polls) {
    table.rows.push_back(
        {fmt::format("poll of {} commits, {}://", one.commits, one.address),
         fmt::format("{:.1f} ms (git fetch: {:.1f} ms)", one.milliseconds, one.git_milliseconds)});
  }
  return table;
}

Plot kinds_plot(const Costs& costs) {
  Plot plot;
  plot.name = "cost-kinds";
  plot.kind = Plot::Kind::bars;
  plot.y_label = "s";
  plot.places = {"builds", "links", "launches", "rest"};
  const auto largest = std::max_element(
      costs.walks.begin(), costs.walks.end(),
      [](const WalkCost& one, const WalkCost& other) { return one.benchmarks < other.benchmarks; });
  if (largest == costs.walks.end()) return plot;
  plot.title = fmt::format("A walk of {} commits with {} benchmarks", largest->commits, largest->benchmarks);
  const auto series = [](const char* name, const Kinds& kinds) {
    return Series{name, {{0, kinds.builds}, {1, kinds.links}, {2, kinds.launches}, {3, kinds.rest}}};
  };
  plot.series = {series("measured", measured_kinds(*largest)),
                 series("by the formula", formula_kinds(*largest, costs))};
  return plot;
}

}  // namespace tandem::evaluation
