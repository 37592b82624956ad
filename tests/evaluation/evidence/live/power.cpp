// Real extra work, counted in instructions: what of it is found, in how many launches and seconds.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "evaluation/evidence/live/decision.hpp"
#include "evaluation/evidence/live/live_run.hpp"
#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/results/proportion.hpp"

namespace tandem::evaluation {
namespace {

using Found = std::function<bool(const Decision&)>;

constexpr std::size_t decisions_per_cell = 20;
constexpr std::size_t confirmed_per_cell = 2;  // suspects among the first so many of each cell are confirmed

struct Size {
  const char* name;
  double percent;
};
constexpr Size sizes[] = {{"0.5", 0.5}, {"1", 1}, {"2", 2}, {"3", 3}, {"5", 5}};

struct Workload {
  const char* name;
  const char* what;
};
constexpr Workload workloads[] = {{"arithmetic", "registers"},       {"gemm", "floating point"},
                                  {"stream", "second-level cache"},  {"branches", "unforeseen branches"},
                                  {"allocation", "malloc and free"}, {"chase", "memory latency"}};

bool is_right(const Decision& decision) {
  return decision.outcome == (decision.origin.percent > 0 ? "slower" : "faster");
}

std::vector<Decision> of(std::span<const Decision> decisions, const std::string& name, double percent) {
  return filtered(decisions, [&](const Decision& d) {
    return d.origin.workload == name && std::abs(std::abs(d.origin.percent) - percent) < 1e-9;
  });
}

std::size_t count(std::span<const Decision> decisions, const Found& condition) {
  return static_cast<std::size_t>(std::count_if(decisions.begin(), decisions.end(), condition));
}

/// What the instructions say, in per cent, by workload and percent, from journal/instructions.tsv.
std::map<std::pair<std::string, std::string>, std::string> counted_work(const PartSettings& settings) {
  std::map<std::pair<std::string, std::string>, std::string> counted;
  const Journal journal(settings.out / "journal" / "instructions.tsv");
  for (const auto& fields : journal.rows()) {
    if (fields.size() == 3) counted[{fields[0], fields[1]}] = fields[2];
  }
  return counted;
}

Table power_table(const PartSettings& settings, std::span<const Decision> decisions) {
  Table table{"What is found of real extra work",
              {"workload", "more work", "instructions", "σ", "decisions", "found", "slower / faster found",
               "wrong direction", "called unchanged", "records of confirmations", "launches, median / p90",
               "seconds, median / p90"},
              {}};
  const auto counted = counted_work(settings);
  for (const Workload& workload : workloads) {
    for (const Size& size : sizes) {
      const auto some = of(decisions, workload.name, size.percent);
      if (some.empty()) continue;
      const DecisionSummary sum = summary_of(some);
      const std::size_t right = count(some, is_right);
      const auto slowed = filtered(some, [](const Decision& d) { return d.origin.percent > 0; });
      const auto work = counted.find({workload.name, size.name});
      table.rows.push_back(
          {fmt::format("{} ({})", workload.name, workload.what), fmt::format("{} %", size.name),
           work == counted.end() ? "not counted" : work->second, fmt::format("{:.2f} %", 100 * sum.sigma),
           std::to_string(sum.decisions), text_of(proportion(right, sum.decisions)),
           fmt::format("{} of {} / {} of {}", count(slowed, is_right), slowed.size(),
                       right - count(slowed, is_right), some.size() - slowed.size()),
           std::to_string(sum.suspects - right), std::to_string(sum.unchanged),
           fmt::format("{} of {}",
                       count(some, [](const Decision& d) { return d.is_record() && is_right(d); }),
                       sum.recorded_of),
           fmt::format("{:.0f} / {:.0f}", sum.launches_median, sum.launches_p90),
           fmt::format("{:.2f} / {:.2f}", sum.seconds_median, sum.seconds_p90)});
    }
  }
  table.below =
      "\"Instructions\" is what valgrind counts of the treatment over the control, in per cent more. σ is "
      "the median of the screens' own estimates of one launch's deviation. \"Found\" is a suspect of the "
      "right direction.";
  return table;
}

Plot power_plot(std::span<const Decision> decisions) {
  Plot plot;
  plot.name = "power-by-size";
  plot.title = "Share of real extra work that is found, both directions";
  plot.x_label = "more work, %";
  plot.y_label = "found, %";
  plot.x_scale = Plot::Scale::logarithmic;
  for (const Workload& workload : workloads) {
    Series series;
    series.name = workload.name;
    for (const Size& size : sizes) {
      const auto some = of(decisions, workload.name, size.percent);
      if (!some.empty()) {
        series.points.push_back({size.percent, 100 * proportion(count(some, is_right), some.size()).share()});
      }
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  plot.lines = {{95, "95 %"}};
  return plot;
}

/// The decisions about so much work of all workloads that are quiet enough.
Goal power_goal(std::span<const Decision> decisions, double percent, double most_sigma, double target,
                const std::string& text) {
  std::vector<Decision> quiet;
  std::vector<std::string> names;
  for (const Workload& workload : workloads) {
    const auto some = of(decisions, workload.name, percent);
    if (some.empty() || summary_of(some).sigma > most_sigma) continue;
    quiet.insert(quiet.end(), some.begin(), some.end());
    names.emplace_back(workload.name);
  }
  if (quiet.empty()) {
    return {"design 5",
            text,
            fmt::format("at least {}", evaluation::percent(target)),
            "not measured",
            Goal::Met::unknown,
            "no workload was so quiet"};
  }
  const Proportion found = proportion(count(quiet, is_right), quiet.size());
  Goal goal{"design 5", text, fmt::format("at least {}", evaluation::percent(target)),
            fmt::format("{} in {}", text_of(found), fmt::join(names, ", ")), at_least(found, target)};
  if (goal.met == Goal::Met::unknown)
    goal.why = "the interval of so many decisions reaches across the target";
  return goal;
}

std::vector<Goal> goals_in(std::span<const Decision> decisions) {
  std::vector<Goal> goals = {
      power_goal(decisions, 2, live_margin, 0.95, "power at 2δ (2 % more or less work) where σ ≤ δ"),
      power_goal(decisions, 1, 0.4 * live_margin, 0.95, "power at δ (1 %) where σ ≤ 0.4 δ"),
      power_goal(decisions, 5, live_margin, 0.999, "power at 5 % where σ ≤ δ")};
  goals.back().source = "stats 7";
  const auto compute = of(decisions, "arithmetic", 0);
  const auto gemm = of(decisions, "gemm", 0);
  std::vector<Decision> still = compute;
  still.insert(still.end(), gemm.begin(), gemm.end());
  if (!still.empty()) {
    const DecisionSummary sum = summary_of(still);
    goals.push_back({"design 11", "`unchanged` of compute-bound operators, machine time (median)",
                     "at most 2 s",
                     fmt::format("{:.2f} s, {:.0f} launches ({} decisions)", sum.seconds_median,
                                 sum.launches_median, sum.decisions),
                     met(sum.seconds_median <= 2)});
  }
  std::vector<Decision> two;
  for (const char* name : {"arithmetic", "gemm"}) {
    const auto some = of(decisions, name, 2);
    two.insert(two.end(), some.begin(), some.end());
  }
  if (!two.empty()) {
    const Proportion quick =
        proportion(count(two, [](const Decision& d) { return is_right(d) && d.seconds <= 10; }), two.size());
    goals.push_back({"design 11", "2 % in compute-bound operators found within 10 s", "at least 98 %",
                     text_of(quick), at_least(quick, 0.98)});
    if (goals.back().met == Goal::Met::unknown)
      goals.back().why = "too few decisions for such a narrow bound";
  }
  const auto large = filtered(decisions, [](const Decision& d) { return std::abs(d.origin.percent) >= 2; });
  const std::size_t wrong = count(large, [](const Decision& d) { return d.is_suspect() && !is_right(d); });
  const Proportion missed =
      proportion(count(large, [](const Decision& d) { return d.outcome == "unchanged"; }), large.size());
  goals.push_back({"stats 7", "2 % and more called unchanged", "at most 1 %",
                   fmt::format("{}; {} in the wrong direction", text_of(missed), wrong),
                   at_most(missed, 0.01)});
  return goals;
}

}  // namespace

PartResult power(const PartSettings& settings) {
  LiveRun run(settings, "power");
  const bool brief = settings.length == PartSettings::Length::brief;
  const std::size_t wanted = brief ? 1 : decisions_per_cell;
  PartResult result;
  std::vector<LiveRun::Cell> cells;
  for (const Workload& each : workloads) {
    const auto control = workload(settings, each.name);
    const auto prepared = run.prepare(each.name, control, runners::Pairing::alternate,
                                      runners::Arrangement{}.launch_time, result.notes);
    if (!prepared) continue;
    const auto add = [&](const char* percent, double signed_percent, std::size_t number_wanted) {
      const auto more = workload(settings, each.name, percent);
      runners::ProgramPair pair = prepared->programs.pair;
      (signed_percent < 0 ? pair.control : pair.treatment) = more;
      const Origin origin{each.name, "alternate", "same", signed_percent};
      cells.push_back({fmt::format("{} with {} %", each.name, signed_percent), origin, number_wanted,
                       [=, measured = *prepared](std::size_t number) {
                         DecisionSubject subject = measured.subject(origin, pair);
                         if (number >= confirmed_per_cell)
                           subject.confirming = DecisionSubject::Confirming::no;
                         return subject;
                       }});
    };
    add("0", 0, wanted);
    for (const Size& size : sizes) {
      if (brief && size.percent < 5) continue;
      // Half of the margin is where either answer is right: it takes all launches, and less of it is enough.
      const bool promised =
          size.percent == 2 && (each.name == std::string("arithmetic") || each.name == std::string("gemm"));
      const std::size_t some = size.percent < 1 ? (wanted + 3) / 4 : promised ? 4 * wanted : wanted;
      add(size.name, size.percent, some);
      if (!brief) add(size.name, -size.percent, some);
    }
    if (brief) break;
  }
  const std::vector<Decision> decisions = run.fill(cells);

  result.part = "power";
  result.title = "Real extra work, live";
  result.says =
      "The treatment (or, for the other direction, the control) does 0.5 to 5 % more of the workload's own "
      "kind of work. All variants of a workload share their object files and differ in one word of data; "
      "valgrind counts the instructions. Screens as the daemon makes them: `alternate`, slices of 0.2 ms, "
      "120 ms per launch, margin 1 %, at most 66 launches; what the first two decisions of each kind "
      "suspect goes on into a confirmation.";
  result.seconds = summary_of(decisions).seconds;
  result.goals = goals_in(decisions);
  result.tables = {power_table(settings, decisions)};
  result.plots = {power_plot(decisions)};
  result.figures["decisions"] = static_cast<double>(decisions.size());
  return result;
}

}  // namespace tandem::evaluation
