// What the length of a slice does to the spread of a launch's ratio, at the same machine time.
#include <fmt/format.h>

#include <map>

#include "analysis/statistics.hpp"
#include "evaluation/evidence/live/live_run.hpp"
#include "evaluation/evidence/part.hpp"
#include "runners/pairing/measuring_lock.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

using std::chrono::microseconds;

constexpr std::chrono::milliseconds launch_time{120};  // both sides together

struct Way {
  std::string workload;
  runners::Pairing pairing = runners::Pairing::alternate;
  long slice_us = 200;

  auto operator<=>(const Way&) const = default;
};

struct RatiosSoFar {
  std::map<Way, std::vector<double>> ratios;
  double seconds = 0;
};

RatiosSoFar ratios_in(const Journal& journal) {
  RatiosSoFar launches;
  for (const Journal::Fields& row : journal.rows()) {
    FieldReader fields(row);
    Way way;
    std::string pairing;
    double ratio = 0;
    double seconds = 0;
    fields >> way.workload >> pairing >> way.slice_us >> ratio >> seconds;
    const auto known = runners::pairing_named(pairing);
    if (!fields.is_whole() || !known) throw Error("journal/spread-launches.tsv has a line that is no launch");
    way.pairing = *known;
    launches.ratios[way].push_back(ratio);
    launches.seconds += seconds;
  }
  return launches;
}

std::vector<Way> ways_of(const PartSettings& settings) {
  if (settings.length == PartSettings::Length::brief) return {{"steady", runners::Pairing::alternate, 1000}};
  std::vector<Way> ways;
  for (const std::string name : {"gemm", "stream", "hash", "chase", "sort", "bandwidth"}) {
    for (const long slice_us : {100, 200, 300, 1000, 3000, 10000}) {
      ways.push_back({name, runners::Pairing::alternate, slice_us});
    }
    ways.push_back({name, runners::Pairing::process, 1000});
  }
  return ways;
}

double deviation(const std::vector<double>& ratios) {
  return analysis::robust_deviation(ratios).value_or(0);
}

}  // namespace

PartResult spread(const PartSettings& settings) {
  LiveRun run(settings, "spread");
  Journal journal(settings.out / "journal" / "spread-launches.tsv");
  const std::vector<Way> ways = ways_of(settings);
  const std::size_t wanted = settings.length == PartSettings::Length::brief ? 4 : 40;
  std::map<std::string, WorkloadPair> pairs;
  auto ratios = ratios_in(journal).ratios;
  for (std::size_t round = 0; round < wanted; ++round) {
    for (const Way& way : ways) {
      if (ratios[way].size() > round) continue;
      settings.show(fmt::format("{} in slices of {} µs", way.workload, way.slice_us), round, wanted);
      auto programs = pairs.find(way.workload);
      if (programs == pairs.end()) {
        const auto program = workload(settings, way.workload);
        programs = pairs.emplace(way.workload, look_at(run.runner(), program, program)).first;
      }
      const runners::Arrangement arrangement{way.pairing, microseconds{way.slice_us}, launch_time};
      const auto shape = runners::shape_for(programs->second.facts, arrangement);
      const runners::MeasuringLock lock([](const std::string&) {});
      const auto begin = std::chrono::steady_clock::now();
      Launches made;
      launch_once(run.runner(), programs->second, runners::plan_launch(settings.seed, round, shape), made);
      const auto row = made.good.empty() ? std::nullopt : summarise(made.good.front());
      if (!row) throw Error(fmt::format("{} cannot be measured", way.workload));
      ratios[way].push_back(row->statistics.median);
      journal.add(
          {way.workload, runners::name_of(way.pairing), std::to_string(way.slice_us),
           fmt::format("{:.7g}", row->statistics.median),
           fmt::format("{:.3f}",
                       std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count())});
    }
  }

  PartResult result;
  result.part = "spread";
  result.title = "Spread of a launch by the length of its slices";
  result.says =
      "One executable next to itself, `alternate`, 2 × 60 ms of slices per launch, slices of six lengths in "
      "turns, so that all meet the same moods of the host. Shown is the robust standard deviation of one "
      "launch's log-ratio; beside it the same launches with all slices of one side before all of the other.";
  Table table{"Robust standard deviation of one launch's ratio", {"workload"}, {}};
  Plot plot;
  plot.name = "spread-by-slice";
  plot.title = "Spread of a launch's ratio by slice length";
  plot.x_label = "slice, ms";
  plot.y_label = "standard deviation, %";
  plot.x_scale = plot.y_scale = Plot::Scale::logarithmic;
  std::map<std::string, Series> series;
  std::map<std::string, std::vector<std::string>> rows;
  for (const Way& way : ways) {
    const double sigma = 100 * deviation(ratios[way]);
    const bool turns = way.pairing == runners::Pairing::alternate;
    const std::string column =
        turns ? fmt::format("{:g} ms", static_cast<double>(way.slice_us) / 1e3) : "one after the other";
    if (std::find(table.columns.begin(), table.columns.end(), column) == table.columns.end())
      table.columns.push_back(column);
    rows[way.workload].push_back(fmt::format("{:.3f} %", sigma));
    if (turns) series[way.workload].points.push_back({static_cast<double>(way.slice_us) / 1e3, sigma});
    result.figures[fmt::format("{} {} {}", way.workload, runners::name_of(way.pairing), way.slice_us)] =
        sigma;
  }
  for (auto& [name, cells] : rows) {
    cells.insert(cells.begin(), name);
    table.rows.push_back(cells);
    series[name].name = name;
    plot.series.push_back(series[name]);
  }
  result.tables = {table};
  result.plots = {plot};
  result.seconds = ratios_in(journal).seconds;
  return result;
}

}  // namespace tandem::evaluation
