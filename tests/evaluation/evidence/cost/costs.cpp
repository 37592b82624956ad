#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluation/evidence/cost/cost.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

constexpr double kib_per_mib = 1024;

bool read(FieldReader& row, CommitCost& cost) {
  row >> cost.benchmarks >> cost.name >> cost.judged >> cost.launches >> cost.suspects >> cost.units >>
      cost.links >> cost.seconds >> cost.formula;
  return row.is_whole();
}

bool read(FieldReader& row, WalkCost& cost) {
  row >> cost.benchmarks >> cost.layouts >> cost.commits >> cost.links >> cost.build >> cost.link >>
      cost.start >> cost.wall >> cost.in_builds >> cost.in_links >> cost.in_launches >> cost.in_others >>
      cost.outside >> cost.looks;
  return row.is_whole();
}

bool read(FieldReader& row, IdleCost& cost) {
  double asked = 0;
  double own_nanoseconds = 0;
  double ticks = 0;
  double ticks_per_second = 1;
  row >> asked >> cost.seconds >> own_nanoseconds >> ticks >> ticks_per_second >> cost.resident_mib >>
      cost.peak_mib >> cost.proportional_mib >> cost.trials;
  cost.own = own_nanoseconds * 1e-9;
  cost.children = ticks / ticks_per_second;
  for (double* size : {&cost.resident_mib, &cost.peak_mib, &cost.proportional_mib}) *size /= kib_per_mib;
  return row.is_whole();
}

bool read(FieldReader& row, PollCost& cost) {
  row >> cost.commits >> cost.address >> cost.rounds >> cost.milliseconds >> cost.git_milliseconds;
  return row.is_whole();
}

bool add(Costs& costs, const std::string& kind, FieldReader& row) {
  if (kind == "commit") return read(row, costs.commits.emplace_back());
  if (kind == "walk") return read(row, costs.walks.emplace_back());
  if (kind == "idle") return read(row, costs.idle.emplace());
  PollCost poll;
  if (kind != "poll" || !read(row, poll)) return false;
  std::erase_if(costs.polls, [&](const PollCost& one) {
    return one.commits == poll.commits && one.address == poll.address;
  });
  costs.polls.push_back(poll);
  return true;
}

}  // namespace

Costs costs_in(std::span<const Journal::Fields> rows) {
  Costs costs;
  for (const Journal::Fields& fields : rows) {
    FieldReader row(fields, 1);
    if (!add(costs, fields.front(), row))
      throw Error(fmt::format("this is no line of a journal of costs: {}", fmt::join(fields, " ")));
  }
  return costs;
}

}  // namespace tandem::evaluation
