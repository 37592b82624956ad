#include "daemon/report/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "daemon/records/verdict_json.hpp"
#include "daemon/records/wording.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::daemon::report {
namespace {

using analysis::Outcome;
using nlohmann::ordered_json;

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

std::string percent(double share) {
  const double value = 100 * std::abs(share);
  return fmt::format("{:.{}f} %", value, value < 9.95 ? 2 : 1);
}

std::string effort(const Screened& screened) {
  return fmt::format("{} launches in {:.1f} s", screened.verdict.launches, seconds(screened.time));
}

/// "8.1 % higher peak_memory", or what left its limit.
std::string other_change(const Screened& screened) {
  const specs::Metric& metric = screened.metric;
  if (!metric.limit) return change_phrase(metric, screened.verdict.ratio.estimate);
  return fmt::format("{} {} the limit of {:g} {}", metric.name,
                     screened.verdict.outcome == Outcome::slower ? "leaves" : "is back within", *metric.limit,
                     metric.unit);
}

std::string closing_sentence(const Comparison& comparison) {
  std::size_t slower = 0;
  std::size_t other = 0;
  std::size_t failing = 0;
  for (const Screened& one : comparison.benchmarks) {
    const Outcome outcome = one.verdict.outcome;
    if (outcome == Outcome::slower) ++slower;
    if (outcome == Outcome::treatment_fails) ++failing;
    const bool unknown = outcome == Outcome::inconclusive && one.rank == Screened::Rank::primary;
    if (outcome == Outcome::failed || outcome == Outcome::control_fails || unknown) ++other;
  }
  const std::size_t all = comparison.benchmarks.size();
  if (failing > 0)
    return fmt::format("{} of {} fail in the treatment alone, {:.1f} s in all", failing, all,
                       seconds(comparison.time));
  if (slower > 0)
    return fmt::format("{} of {} slower, {:.1f} s in all", slower, all, seconds(comparison.time));
  if (other > 0)
    return fmt::format("{} of {} without a verdict, {:.1f} s in all", other, all, seconds(comparison.time));
  return fmt::format("nothing slower, {:.1f} s in all", seconds(comparison.time));
}

}  // namespace

std::string verdict_sentence(const Screened& screened) {
  const analysis::Verdict& verdict = screened.verdict;
  const double change = verdict.ratio.estimate - 1;
  const char* rare = verdict.decided_by_total ? " in total time (rare slices, not the typical one)" : "";
  const std::string reason = screened.failure ? screened.failure->what : "too many launches failed";
  switch (verdict.outcome) {
    case Outcome::slower:
      if (!is_time(screened.metric)) {
        return fmt::format("worse, {}{} ({}), {}", other_change(screened), rare, ratio_phrase(verdict.ratio),
                           effort(screened));
      }
      return fmt::format("slower by {}{} ({}), {}", percent(change), rare, ratio_phrase(verdict.ratio),
                         effort(screened));
    case Outcome::faster:
      if (!is_time(screened.metric)) {
        return fmt::format("better, {}{} ({}), {}", other_change(screened), rare, ratio_phrase(verdict.ratio),
                           effort(screened));
      }
      return fmt::format("faster by {}{} ({}), {}", percent(change), rare, ratio_phrase(verdict.ratio),
                         effort(screened));
    case Outcome::unchanged:
      return fmt::format("unchanged within {} ({}), {}", percent(verdict.margin), ratio_phrase(verdict.ratio),
                         effort(screened));
    case Outcome::inconclusive:
      if (screened.failure) return fmt::format("inconclusive: {}", screened.failure->what);
      if (std::min(verdict.median.not_slower, verdict.median.not_faster) >= analysis::decisive_unchanged) {
        return fmt::format(
            "inconclusive: the typical value is unchanged ({}), but the total scatters too much ({}), {}",
            ratio_phrase(verdict.median_ratio), ratio_phrase(verdict.total_ratio), effort(screened));
      }
      return fmt::format(
          "inconclusive ({}), {}; a change of {} would have been found: raise --margin or --max_launches",
          ratio_phrase(verdict.ratio), effort(screened), percent(verdict.minimum_detectable_effect));
    case Outcome::unmeasurable:
      return fmt::format("not measurable here: only a change of {} would be found",
                         percent(verdict.minimum_detectable_effect));
    case Outcome::failed:
      return fmt::format("failed: {}", reason);
    case Outcome::treatment_fails:
      return fmt::format("the treatment fails, the control runs: {}", reason);
    case Outcome::control_fails:
      return fmt::format("the control fails, the treatment runs: {}", reason);
    case Outcome::identical:
      return "identical, not run";
  }
  return {};
}

std::string comparison_text(const Comparison& comparison) {
  if (comparison.identical) {
    return "identical: the two executables are the same, byte for byte, and were not run "
           "(--measure_identical runs them all the same)\n";
  }
  std::string text;
  for (const Screened& screened : comparison.benchmarks) {
    text +=
        fmt::format("{}: {}\n", series_name(screened.benchmark, screened.metric), verdict_sentence(screened));
  }
  for (const std::string& name : comparison.missing)
    text += fmt::format("{}: missing in the treatment\n", name);
  for (const std::string& name : comparison.added) text += fmt::format("{}: new in the treatment\n", name);
  return text + closing_sentence(comparison) + "\n";
}

std::string comparison_json(const Comparison& comparison) {
  ordered_json benchmarks = ordered_json::array();
  for (const Screened& screened : comparison.benchmarks) {
    ordered_json entry = {{"benchmark", screened.benchmark},
                          {"metric", screened.metric.name},
                          {"unit", screened.metric.unit},
                          {"direction", name_of(screened.metric.direction)},
                          {"pairing", runners::name_of(screened.pairing)},
                          {"sentence", verdict_sentence(screened)},
                          {"verdict", to_json(screened.verdict)},
                          {"seconds", seconds(screened.time)}};
    if (screened.failure) entry["failure"] = to_json(*screened.failure);
    benchmarks.push_back(std::move(entry));
  }
  const ordered_json document = {{"schema", "tandem.comparison/1"},
                                 {"control", comparison.control.string()},
                                 {"treatment", comparison.treatment.string()},
                                 {"arguments", comparison.arguments},
                                 {"protocol", runners::name_of(comparison.protocol)},
                                 {"layout", "unresolved"},
                                 {"margin", comparison.margin},
                                 {"seed", comparison.seed},
                                 {"identical", comparison.identical},
                                 {"benchmarks", std::move(benchmarks)},
                                 {"missing", comparison.missing},
                                 {"new", comparison.added},
                                 {"exit_code", exit_code(comparison)},
                                 {"seconds", seconds(comparison.time)},
                                 {"host", to_json(comparison.host)}};
  return escaped_json(document.dump(2, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

}  // namespace tandem::daemon::report
