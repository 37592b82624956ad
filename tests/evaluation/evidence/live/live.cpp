// Two copies of one executable next to each other: every change that is found is a false one.
#include <fmt/format.h>

#include "evaluation/evidence/live/decision.hpp"
#include "evaluation/evidence/live/live_run.hpp"
#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/results/proportion.hpp"

namespace tandem::evaluation {
namespace {

using runners::Pairing;

/// Short launches: the number of decisions is what counts here, and a launch costs its start in any case.
constexpr std::chrono::milliseconds launch_time{40};

/// A workload and how many decisions are wanted of it by each pairing: more of what is quick to decide. Whole
/// sides in turn scatter most and take longest; few of them show what they can show.
struct Wanted {
  std::string workload;
  std::size_t alternate = 0;
  std::size_t duet = 0;
  std::size_t process = 0;

  [[nodiscard]] std::size_t of(Pairing pairing) const {
    if (pairing == Pairing::alternate) return alternate;
    return pairing == Pairing::duet ? duet : process;
  }
};

std::vector<Wanted> wanted_in(const PartSettings& settings) {
  if (settings.length == PartSettings::Length::brief) return {{"steady", 2, 0, 0}};
  return {{"arithmetic", 1100, 20, 2}, {"gemm", 1000, 20, 2},  {"branches", 400, 20, 2},
          {"allocation", 320, 20, 2},  {"stream", 100, 10, 2}, {"sort", 40, 10, 2},
          {"hash", 30, 10, 2},         {"chase", 30, 5, 2},    {"bandwidth", 20, 5, 2}};
}

}  // namespace

PartResult live(const PartSettings& settings) {
  LiveRun run(settings, "live");
  std::vector<LiveRun::Cell> cells;
  PartResult result;
  for (const Wanted& each : wanted_in(settings)) {
    const std::string& name = each.workload;
    for (const Pairing pairing : {Pairing::alternate, Pairing::duet, Pairing::process}) {
      if (each.of(pairing) == 0) continue;
      const auto prepared = run.prepare(name, workload(settings, name), pairing, launch_time, result.notes);
      if (!prepared) continue;
      const Origin origin{name, runners::name_of(pairing), "same", 0};
      cells.push_back(
          {fmt::format("{} by {}", name, origin.pairing), origin, each.of(pairing),
           [origin, one = *prepared](std::size_t) { return one.subject(origin, one.programs.pair); }});
    }
  }
  const std::vector<Decision> decisions = run.fill(cells);

  result.part = "live";
  result.title = "Equal executables, live (A/A)";
  result.says =
      "Each decision is a screen of one executable against its own copy, with real launches on this host "
      "(both programs started afresh, 40 ms of slices, margin 1 %, at most 66 launches), as the daemon "
      "makes it; what it suspects goes into a real confirmation. Kinds of decisions take turns. Every "
      "suspect and every record here is a false one. Other work was allowed on the host meanwhile; of "
      "workloads that are quick to decide there are more.";
  add_false_alarms(result, "equal executables", "equal executables, live", decisions, false_records_goal);
  return result;
}

}  // namespace tandem::evaluation
