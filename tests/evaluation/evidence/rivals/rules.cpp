#include "evaluation/evidence/rivals/board.hpp"

#include <span>

#include "evaluation/evidence/recorded/trial.hpp"
#include "evaluation/evidence/rivals/tools.hpp"

namespace tandem::evaluation::rival {
namespace {

constexpr std::size_t history = 10;  // FAI-PEP looks at twelve commits, the two newest among them
constexpr std::size_t newest = 2;

using ValueOf = double SideRow::*;

Values values_of(const SeparateSides& sides, ValueOf value) {
  Values values;
  for (const LaunchRow& row : sides.control) values.control.push_back(row.control.*value);
  for (const LaunchRow& row : sides.treatment) values.treatment.push_back(row.treatment.*value);
  return values;
}

SeparateSides side_by_side(const Draw& draw, std::size_t count) {
  const std::vector<LaunchRow> pairs = draw.pairs(count);
  return {pairs, pairs};
}

/// A rule that knows one value of each run.
Rule of_values(std::string name, std::string says, std::function<Call(const Values&)> judge,
               ValueOf value = &SideRow::median) {
  return {
      std::move(name), std::move(says),
      [judge = std::move(judge), value](const Draw& draw, Collection collection) -> std::optional<Judgement> {
        const SeparateSides sides = collection == Collection::side_by_side ? side_by_side(draw, runs)
                                                                           : draw.one_after_the_other(runs);
        return Judgement{judge(values_of(sides, value)), runs};
      }};
}

/// A rule that needs pairs.
Rule of_pairs(std::string name, std::string says, std::function<Judgement(Draw&)> judge) {
  return {std::move(name), std::move(says),
          [judge = std::move(judge)](Draw draw, Collection collection) -> std::optional<Judgement> {
            if (collection != Collection::side_by_side) return std::nullopt;
            return judge(draw);
          }};
}

Rule duet_of(std::string name, std::string says, std::size_t count, std::size_t replicates) {
  return of_pairs(std::move(name), std::move(says), [=](Draw& draw) {
    tandem::Random random = draw.random();
    return Judgement{duet_paper(draw.pairs(count), replicates, random), count};
  });
}

/// Absolute times of commits that were run one after the other; or what they differ by from one control
/// commit that ran beside each, as FAI-PEP does when it is given one.
std::optional<Call> look_of_fai_pep(const Draw& draw, Collection collection) {
  std::vector<Percentiles> earlier;
  std::vector<Percentiles> latest;
  if (collection == Collection::side_by_side) {
    const auto before = draw.before(history);
    if (!before) return std::nullopt;
    for (const LaunchRow& row : *before) earlier.push_back(difference_of(row));
    for (const LaunchRow& row : draw.pairs(newest)) latest.push_back(difference_of(row));
  } else {
    const SeparateSides sides = draw.one_after_the_other(history);
    for (const LaunchRow& row : sides.control) earlier.push_back(percentiles_of(row.control));
    for (const LaunchRow& row : std::span(sides.treatment).first(newest)) {
      latest.push_back(percentiles_of(row.treatment));
    }
  }
  return fai_pep(earlier, latest);
}

/// The newest commit costs one launch; what came before was made for other decisions.
std::optional<Judgement> fai_pep_once(const Draw& draw, Collection collection) {
  const auto call = look_of_fai_pep(draw, collection);
  if (!call) return std::nullopt;
  return Judgement{*call, 1};
}

/// Of a suspicion all twelve commits are run again, and the rule is standings again.
std::optional<Judgement> fai_pep_verified(Draw draw, Collection collection) {
  const auto first = fai_pep_once(draw, collection);
  if (!first || first->call == Call::none) return first;
  draw.move_on();
  return Judgement{*look_of_fai_pep(draw, collection), 1 + history + newest};
}

Call call_of(analysis::Outcome outcome) {
  if (outcome == analysis::Outcome::slower) return Call::slower;
  return outcome == analysis::Outcome::faster ? Call::faster : Call::none;
}

Judgement screened_within(const Draw& draw, std::size_t cap) {
  analysis::ScreenSettings settings = draw.material().settings;
  settings.max_launches = cap;
  const Screened screened = screen_once(settings, draw.next_launches());
  return {call_of(screened.outcome), screened.launches};
}

Judgement confirmed(Draw& draw) {
  const analysis::ScreenSettings& settings = draw.material().settings;
  const Screened screened = screen_once(settings, draw.next_launches());
  if (!screened.is_suspect()) return {Call::none, screened.launches};
  draw.move_on();
  const auto result = confirm_once(plan_for(screened, settings.margin), screened.by, draw.next_units());
  const bool reproduced = result.outcome == analysis::ConfirmationOutcome::confirmed;
  return {reproduced ? call_of(screened.outcome) : Call::none, screened.launches + 2 * result.units};
}

}  // namespace

std::vector<Rule> rules(std::size_t replicates) {
  std::vector<Rule> all;
  all.push_back(of_values("Google Benchmark", "Mann–Whitney p < 0.05, approximate", google_benchmark));
  all.push_back(of_values("benchstat", "Mann–Whitney p < 0.05, exact", benchstat));
  all.push_back(of_values("asv", "Mann–Whitney p < 0.002 and a factor of 1.1", asv));
  all.push_back(of_values("hyperfine", "ratio of means, its ± does not reach 1", hyperfine, &SideRow::mean));
  for (const auto& [name, floors] :
       {std::pair{"ClickHouse, 5 %", clickhouse_first}, std::pair{"ClickHouse, 15 %", clickhouse_newest}}) {
    all.push_back(of_values(name, "difference of medians over the floor and over 99 % of all relabellings",
                            [floors = floors](const Values& values) { return clickhouse(values, floors); }));
  }
  Rule once{"FAI-PEP", "p50 of two commits over the p90 of ten p90s and a tenth of their range",
            fai_pep_once};
  once.sees = Rule::Sees::slower_only;
  all.push_back(once);
  Rule verified{"FAI-PEP, verified", "the same, found again when all twelve are run again", fai_pep_verified};
  verified.sees = Rule::Sees::slower_only;
  all.push_back(verified);
  all.push_back(of_pairs("Tango", "pairs of one launch: z ≥ 2.6 and 1 %", [](Draw& draw) {
    return Judgement{tango(draw.pair(0)), 1};
  }));
  all.push_back(duet_of("duet paper", "99 % percentile bootstrap over the runs", runs, replicates));
  all.push_back(of_pairs("benchstat, 66 runs", "with as many runs as Tandem may take", [](Draw& draw) {
    return Judgement{benchstat(values_of(side_by_side(draw, many_runs), &SideRow::median)), many_runs};
  }));
  all.push_back(
      duet_of("duet paper, 66 runs", "with as many runs as Tandem may take", many_runs, replicates / 5));
  all.push_back(of_pairs(tandem_ten, "the screen with a cap of ten launches",
                         [](Draw& draw) { return screened_within(draw, runs); }));
  all.push_back(of_pairs(tandem_screen, "the screen with its own cap", [](Draw& draw) {
    return screened_within(draw, draw.material().settings.max_launches);
  }));
  all.push_back(of_pairs(tandem_confirmed, "the screen, and a confirmation of what it found", confirmed));
  for (Rule& rule : all) {
    if (rule.name.starts_with("Tandem")) rule.whose = Rule::Whose::tandem;
  }
  return all;
}

}  // namespace tandem::evaluation::rival
