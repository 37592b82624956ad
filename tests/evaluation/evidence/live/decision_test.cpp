#include "evaluation/evidence/live/decision.hpp"

#include <gtest/gtest.h>

#include "evaluation/evidence/results/proportion.hpp"

namespace tandem::evaluation {
namespace {

Decision decided(const std::string& outcome, const std::string& confirmation = "-") {
  Decision decision;
  decision.origin = {"sort", "alternate", "same", -0.5};
  decision.number = 7;
  decision.outcome = outcome;
  decision.launches = 9;
  decision.seconds = 1.25;
  decision.ratio = 0.995;
  decision.sigma = 0.0042;
  decision.margin = 0.02;
  decision.confirmation = confirmation;
  decision.units = 16;
  decision.confirmed_ratio = 0.996;
  decision.confirmation_seconds = 3.5;
  decision.load = "0.42";
  return decision;
}

TEST(Decision, IsReadFromTheJournalAsItWasWritten) {
  const Decision before = decided("faster", "not reproduced");
  const auto after = decision_in(fields_of(before));
  ASSERT_TRUE(after);
  EXPECT_EQ(fields_of(*after), fields_of(before));
  EXPECT_EQ(after->origin, before.origin);
  EXPECT_EQ(after->confirmation, "not reproduced");
  EXPECT_EQ(after->units, 16u);
}

TEST(Decision, IsNoneWithAFieldTooFewOrAWordForANumber) {
  auto fields = fields_of(decided("slower"));
  fields[6] = "nine";
  EXPECT_FALSE(decision_in(fields));
  fields = fields_of(decided("slower"));
  fields.pop_back();
  EXPECT_FALSE(decision_in(fields));
}

TEST(DecisionSummary, CountsSuspectsRecordsAndWhatFailed) {
  const std::vector<Decision> decisions = {decided("slower", "confirmed"),
                                           decided("faster", "not reproduced"), decided("unchanged"),
                                           decided("inconclusive"), decided("failed")};
  const DecisionSummary sum = summary_of(decisions);
  EXPECT_EQ(sum.decisions, 5u);
  EXPECT_EQ(sum.suspects, 2u);
  EXPECT_EQ(sum.records, 1u);
  EXPECT_EQ(sum.recorded_of, 2u);
  EXPECT_EQ(sum.unchanged, 1u);
  EXPECT_EQ(sum.inconclusive, 1u);
  EXPECT_EQ(sum.failed, 1u);
  EXPECT_DOUBLE_EQ(sum.seconds, 5 * (1.25 + 3.5));
}

TEST(FalseAlarms, HaveARowPerWorkloadOnePerPairingAndOneForAll) {
  std::vector<Decision> decisions = {decided("unchanged"), decided("slower")};
  decisions[1].origin.workload = "hash";
  decisions.push_back(decided("unchanged"));
  decisions[2].origin.pairing = "duet";
  const Table table = false_alarm_table("", decisions);
  std::vector<std::string> names;
  for (const auto& row : table.rows) {
    ASSERT_EQ(row.size(), table.columns.size());
    names.push_back(row.front());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"hash, alternate", "sort, alternate", "**all, alternate**",
                                             "sort, duet", "**all, duet**", "**all**"}));
}

TEST(Goals, AreMetOrMissedOnlyByTheWholeInterval) {
  EXPECT_EQ(at_most(proportion(0, 30000), 1e-4), Goal::Met::yes);
  EXPECT_EQ(at_most(proportion(0, 3000), 1e-4), Goal::Met::unknown);
  EXPECT_EQ(at_most(proportion(30, 3000), 1e-3), Goal::Met::no);
  EXPECT_EQ(at_least(proportion(400, 400), 0.95), Goal::Met::yes);
  EXPECT_EQ(at_least(proportion(10, 10), 0.95), Goal::Met::unknown);
  EXPECT_EQ(at_least(proportion(300, 400), 0.95), Goal::Met::no);
  EXPECT_EQ(at_least(proportion(0, 0), 0.95), Goal::Met::unknown);
}

}  // namespace
}  // namespace tandem::evaluation
