#include <gtest/gtest.h>

#include "evaluation/evidence/cost/cost.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

std::vector<Journal::Fields> rows() {
  return {{"commit", "50", "without effect", "50", "500", "0", "0", "4", "100", "80"},
          {"walk", "50", "4", "2", "8", "5", "0.5", "0.08", "130", "10", "4", "100", "1", "5", "12000"},
          {"idle", "60", "60.5", "30000000", "2", "100", "20480", "30720", "10240", "0"},
          {"poll", "1000", "file", "5", "9", "3"},
          {"poll", "1000", "file", "5", "7", "3"}};
}

TEST(CostJournal, ReadsWhatWasNoted) {
  const auto noted = rows();
  const Costs costs = costs_in(noted);
  ASSERT_EQ(costs.commits.size(), 1U);
  EXPECT_EQ(costs.commits[0].name, "without effect");
  EXPECT_EQ(costs.commits[0].launches, 500U);
  ASSERT_EQ(costs.walks.size(), 1U);
  EXPECT_DOUBLE_EQ(costs.walks[0].in_launches, 100);
  EXPECT_DOUBLE_EQ(costs.walks[0].outside, 5);
  ASSERT_TRUE(costs.idle);
  EXPECT_DOUBLE_EQ(costs.idle->own, 0.03);
  EXPECT_DOUBLE_EQ(costs.idle->children, 0.02);
  EXPECT_DOUBLE_EQ(costs.idle->resident_mib, 20);
}

TEST(CostJournal, KeepsTheLastPollOfAKind) {
  const auto noted = rows();
  const Costs costs = costs_in(noted);
  ASSERT_EQ(costs.polls.size(), 1U);
  EXPECT_DOUBLE_EQ(costs.polls[0].milliseconds, 7);
}

TEST(CostJournal, RefusesRowsThatAreNone) {
  const std::vector<Journal::Fields> wrong[] = {{{"poll", "1000", "file", "5", "9"}},
                                                {{"poll", "1000", "file", "5", "9", "3", "4"}},
                                                {{"poll", "many", "file", "5", "9", "3"}},
                                                {{"something", "1"}}};
  for (const auto& noted : wrong) EXPECT_THROW(static_cast<void>(costs_in(noted)), Error);
}

TEST(CostTables, DivideAWalkByKindAsTheFormulaDoes) {
  const auto noted = rows();
  const Costs costs = costs_in(noted);
  const Kinds measured = measured_kinds(costs.walks[0]);
  EXPECT_DOUBLE_EQ(measured.rest, 6);
  const Kinds formula = formula_kinds(costs.walks[0], costs);
  EXPECT_DOUBLE_EQ(formula.builds, 10);
  EXPECT_DOUBLE_EQ(formula.links, 4);
  EXPECT_DOUBLE_EQ(formula.launches, 100);
  EXPECT_DOUBLE_EQ(formula.rest, 0);
}

TEST(CostTables, SayWhatWasNotWalkedByTheFormulaAlone) {
  const auto noted = rows();
  const auto all = throughputs(costs_in(noted));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].benchmarks, 50U);
  EXPECT_EQ(all[0].measured, 100);
  EXPECT_DOUBLE_EQ(all[0].formula, 80);
  EXPECT_EQ(all[1].benchmarks, 200U);
  EXPECT_FALSE(all[1].measured);
  EXPECT_DOUBLE_EQ(all[1].formula, 5 + 3 * 0.5 + 2000 * 0.2);
  EXPECT_TRUE(throughputs({}).empty());
}

TEST(CostJudging, TimesEveryLook) {
  const JudgingCost cost = measure_judging(1, PartSettings::Length::brief);
  ASSERT_EQ(cost.confirmation.size(), 3U);
  EXPECT_EQ(cost.confirmation.back().units, 64U);
  EXPECT_GT(cost.reduce_microseconds, 0);
  EXPECT_GT(cost.judge_microseconds, 0);
  EXPECT_GT(cost.verdict_milliseconds, 0);
}

}  // namespace
}  // namespace tandem::evaluation
