// Two copies of one executable next to each other: every change that is found is a false one.
#include <fmt/format.h>

#include <map>

#include "evaluation/evidence/live/decision_summary.hpp"
#include "evaluation/evidence/live/workbench.hpp"
#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/results/goals.hpp"

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

DecisionSubject subject_of(const Ground& ground, const Origin& origin, const runners::SliceShape& shape,
                           const daemon::PriorSigma& prior) {
  DecisionSubject subject;
  subject.origin = origin;
  subject.pairs = daemon::always(ground.pair);
  subject.unit = [pair = ground.pair](std::uint64_t) -> std::variant<runners::ProgramPair, std::string> {
    return pair;
  };
  subject.subject = {runners::Protocol::slices, ground.benchmark, shape};
  subject.prior = prior;
  return subject;
}

}  // namespace

PartResult live(const PartSettings& settings) {
  Workbench bench(settings, "live");
  std::vector<Workbench::Cell> cells;
  PartResult result;
  for (const Wanted& each : wanted_in(settings)) {
    const std::string& name = each.workload;
    const auto program = workload(settings, name);
    const Ground ground = look_at(bench.runner(), program, program);
    for (const Pairing pairing : {Pairing::alternate, Pairing::duet, Pairing::process}) {
      if (each.of(pairing) == 0) continue;
      const auto prepared = bench.prepare(name, ground, pairing, launch_time, result.notes);
      if (!prepared) continue;
      const Origin origin{name, runners::name_of(pairing), "same", 0};
      cells.push_back({fmt::format("{} by {}", name, origin.pairing), origin, each.of(pairing),
                       [ground, origin, prepared = *prepared](std::size_t) {
                         return subject_of(ground, origin, prepared.shape, prepared.prior);
                       }});
    }
  }
  const std::vector<Decision> decisions = bench.fill(cells);
  const DecisionSummary sum = summary_of(decisions);

  result.part = "live";
  result.title = "Equal executables, live (A/A)";
  result.says =
      "Each decision is a screen of one executable against its own copy, with real launches on this host "
      "(both programs started afresh, 40 ms of slices, margin 1 %, at most 66 launches), as the daemon "
      "makes it; what it suspects goes into a real confirmation. Kinds of decisions take turns. Every "
      "suspect and every record here is a false one. Other work was allowed on the host meanwhile; of "
      "workloads that are quick to decide there are more.";
  result.seconds = sum.seconds;
  result.goals =
      false_alarm_goals("equal executables, live", decisions, false_suspects_goal, false_records_goal);
  result.tables = {false_alarm_table("False alarms of equal executables", decisions)};
  result.plots = {
      false_alarm_plot("live-false-alarms", "False suspects of equal executables, live", decisions)};
  result.figures = {{"decisions", static_cast<double>(sum.decisions)},
                    {"suspects", static_cast<double>(sum.suspects)},
                    {"records", static_cast<double>(sum.records)}};
  return result;
}

}  // namespace tandem::evaluation
