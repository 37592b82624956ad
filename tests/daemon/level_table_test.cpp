#include <gtest/gtest.h>

#include "daemon/written_history.hpp"

namespace tandem::daemon {
namespace {

const tests::History histories[] = {
    {"NothingHappens",
     R"(c0 w1 a=100
        c1 w1 a=100.5
        c2 w1 a=99.8)",
     "a: c0< c1<c0 c2<c0; level none\n"},
    {"RegressionAndItsRevert",
     R"(c0 w1 a=100
        c1 w1 a=110
        c2 w1 a=110
        c3 w1 a=100 reverts=c1
        c4 w1 a=100)",
     "a: c0< c1<c0 c2<c1 c3<c1 c4<c3; level c3\n"
     "regression a c1 +10.0 %: fixed by c3\n"
     "improvement a c3 -9.1 %: noted\n"},
    {"OverlappingRegressions",
     R"(c0 w1 a=100
        c1 w1 a=110
        c2 w1 a=121
        c3 w1 a=110 undoes=c1
        c4 w1 a=100
        c5 w1 a=100)",
     "a: c0< c1<c0 c2<c1 c3<c2 c4<c3 c5<c4; level c4\n"
     "regression a c1 +10.0 %: fixed by c3\n"
     "regression a c2 +10.0 %: fixed by c4\n"
     "improvement a c3 -9.1 %: noted\n"
     "improvement a c4 -9.1 %: noted\n"},
    {"OverlappingRegressionsOfOneSizeWithoutAWordWhichEnded",
     R"(c0 w1 a=100
        c1 w1 a=110
        c2 w1 a=121
        c3 w1 a=110)",
     "a: c0< c1<c0 c2<c1 c3<c2; level c3\n"
     "regression a c1 +10.0 %: open\n"
     "regression a c2 +10.0 %: open\n"
     "improvement a c3 -9.1 %: noted\n"},
    {"ImprovementThenRegressionInOneWeek",
     R"(c0 w1 a=100
        c1 w1 a=90
        c2 w1 a=90
        c3 w1 a=99
        c4 w1 a=99)",
     "a: c0< c1<c0 c2<c1 c3<c1 c4<c3; level c3\n"
     "improvement a c1 -10.0 %: noted\n"
     "regression a c3 +10.0 %: open\n"},
    {"ImprovementThenItsRevert",
     R"(c0 w1 a=100
        c1 w1 a=90
        c2 w1 a=100 reverts=c1 undoes=c1
        c3 w1 a=100)",
     "a: c0< c1<c0 c2<c1 c3<c2; level c2\n"
     "improvement a c1 -10.0 %: noted\n"
     "regression a c2 +11.1 %: open\n"},
    {"ReintroductionAfterAFix",
     R"(c0 w1 a=100
        c1 w1 a=110
        c2 w1 a=100 reverts=c1
        c3 w1 a=110 same=c1
        c4 w1 a=110)",
     "a: c0< c1<c0 c2<c1 c3<c2 c4<c3; level c3\n"
     "regression a c1 +10.0 %: fixed by c2\n"
     "improvement a c2 -9.1 %: noted\n"
     "regression a c3 +10.0 %: open\n"},
    {"WeekRollOver",
     R"(c0 w1 a=100
        c1 w1 a=100.6
        c2 w2 a=100.6
        c3 w2 a=100.6
        c4 w3 a=100.6)",
     "a: c0< c1<c0 c2<c0 c3<c2 c4<c2; level none\n"},
    {"FirstCommitOfTheWeekIsTheRegression",
     R"(c0 w1 a=100
        c1 w1 a=100
        c2 w2 a=110
        c3 w2 a=110
        c4 w3 a=110
        c5 w3 a=110)",
     "a: c0< c1<c0 c2<c0 c3<c2 c4<c2 c5<c4; level c2\n"
     "regression a c2 +10.0 %: open\n"},
    {"FixAtTheFirstCommitOfTheNextWeek",
     R"(c0 w1 a=100
        c1 w1 a=110
        c2 w2 a=100 reverts=c1
        c3 w2 a=100)",
     "a: c0< c1<c0 c2<c1 c3<c2; level c2\n"
     "regression a c1 +10.0 %: fixed by c2\n"
     "improvement a c2 -9.1 %: noted\n"},
    {"FirstCommitOfTheWeekIsBroken",
     R"(c0 w1 a=100
        c1 w1 a=100
        c2 w2 broken
        c3 w2 a=110
        c4 w2 a=110)",
     "a: c0< c1<c0 c3<c0 c4<c3; level c3\n"
     "regression a c3 +10.0 %: open\n"},
    {"BenchmarkIsMissingForAWhile",
     R"(c0 w1 a=100 b=50
        c1 w1 b=50
        c2 w1 b=50
        c3 w1 a=110 b=50
        c4 w2 b=50
        c5 w2 a=110 b=50)",
     "a: c0< c3<c0 c5<c3; level c3\n"
     "b: c0< c1<c0 c2<c0 c3<c0 c4<c0 c5<c4; level none\n"
     "regression a c3 +10.0 %: open\n"},
    {"RegressionDismissedAsAccepted",
     R"(c0 w1 a=100
        c1 w1 a=110
        accept c1 a
        c2 w1 a=110
        c3 w1 a=121)",
     "a: c0< c1<c0 c2<c1 c3<c1; level c3\n"
     "regression a c1 +10.0 %: dismissed as accepted\n"
     "regression a c3 +10.0 %: open\n"},
    {"RegressionDismissedAsFalseAlarm",
     R"(c0 w1 a=100
        c1 w1 a=100/110
        false_alarm c1 a
        c2 w1 a=100
        c3 w1 a=100.8)",
     "a: c0< c1<c0 c2<c0 c3<c0; level none\n"
     "regression a c1 +10.0 %: dismissed as false alarm\n"},
    {"FalseAlarmReopened",
     R"(c0 w1 a=100
        c1 w1 a=110
        false_alarm c1 a
        reopen c1 a
        c2 w1 a=110)",
     "a: c0< c1<c0 c2<c1; level c1\n"
     "regression a c1 +10.0 %: open\n"},
    {"ClockGoesBackwards",
     R"(c0 w2 a=100
        c1 w1 a=100
        c2 w2 a=110
        c3 w0 a=110
        c4 w3 a=110
        c5 w1 a=110)",
     "a: c0< c1<c0 c2<c0 c3<c2 c4<c2 c5<c4; level c2\n"
     "regression a c2 +10.0 %: open\n"},
    {"TwoRegressionsInOneCommit",
     R"(c0 w1 a=100 b=50
        c1 w1 a=110 b=60
        c2 w1 a=100 b=60
        c3 w1 a=100 b=60)",
     "a: c0< c1<c0 c2<c1 c3<c2; level c2\n"
     "b: c0< c1<c0 c2<c1 c3<c1; level c1\n"
     "regression a c1 +10.0 %: fixed by c2\n"
     "regression b c1 +20.0 %: open\n"
     "improvement a c2 -9.1 %: noted\n"},
    {"Accumulated",
     R"(c0 w1 a=100
        c1 w1 a=100.4
        c2 w1 a=100.8
        c3 w1 a=101.2
        c4 w1 a=101.2)",
     "a: c0< c1<c0 c2<c0 c3<c0 c4<c3; level c3\n"
     "accumulated a c3 +1.2 %: open\n"},
    {"PartlyFixedThenFixed",
     R"(c0 w1 a=100
        c1 w1 a=110
        c2 w1 a=104
        c3 w1 a=100
        c4 w1 a=100)",
     "a: c0< c1<c0 c2<c1 c3<c2 c4<c3; level c3\n"
     "regression a c1 +10.0 %: fixed by c3\n"
     "improvement a c2 -5.5 %: noted\n"
     "improvement a c3 -3.8 %: noted\n"},
    {"PartlyFixed",
     R"(c0 w1 a=100
        c1 w1 a=110
        c2 w1 a=104)",
     "a: c0< c1<c0 c2<c1; level c2\n"
     "regression a c1 +10.0 %: partly fixed by c2, +4.0 % left\n"
     "improvement a c2 -5.5 %: noted\n"},
    {"RegressionFoundAmongCommitsThatWereSteppedOver",
     R"(c0 w1 a=100
        c1 w1 a=110 skipped
        c2 w1 broken skipped
        c3 w1 a=110 skipped
        c4 w1 a=110
        c5 w1 a=110)",
     "a: c0< c4<c0 c5<c4; level c4\n"
     "regression a c1 +10.0 %: open\n"},
    {"FixedByTheSecondOfTwoSmallSteps",
     R"(c0 w1 a=100
        c1 w1 a=101.5
        c2 w1 a=100.8
        c3 w2 a=100.1
        c4 w3 a=100.1)",
     "a: c0< c1<c0 c2<c1 c3<c1 c4<c3; level c3\n"
     "regression a c1 +1.5 %: fixed by c3\n"
     "improvement a c3 -0.7 %: noted\n"},
    {"StepOnASideBranchIsNoLevelOfTheOthers",
     R"(c0 w1 a=100
        c1 w1 a=110 side
        c2 w1 a=100
        c3 w1 a=110)",
     "a: c0< c1<c0 c2<c0 c3<c0; level c3\n"
     "regression a c1 +10.0 %: open\n"
     "regression a c3 +10.0 %: open\n"},
    {"RecoversInStepsTooSmallToName",
     R"(c0 w1 a=100
        c1 w1 a=101.5
        c2 w1 a=101.1
        c3 w1 a=100.7
        c4 w1 a=100.3
        retest c1 a
        c5 w2 a=100.3
        retest c1 a)",
     "a: c0< c1<c0 c2<c1 c3<c1 c4<c1 c5<c4; level c4\n"
     "regression a c1 +1.5 %: recovered\n"
     "accumulated a c4 -1.2 %: noted\n"},
    {"ARegressionThatNeverWasRecovers",
     R"(c0 w1 a=100
        c1 w1 a=100/110
        c2 w1 a=100
        retest c1 a
        retest c1 a)",
     "a: c0< c1<c0 c2<c1; level c1\n"
     "regression a c1 +10.0 %: recovered\n"},
    {"FixInALaterWeek",
     R"(c0 w1 a=100
        c1 w1 a=110
        c2 w2 a=110
        c3 w2 a=110
        c4 w2 a=100
        c5 w3 a=100)",
     "a: c0< c1<c0 c2<c1 c3<c2 c4<c2 c5<c4; level c4\n"
     "regression a c1 +10.0 %: fixed by c4\n"
     "improvement a c4 -9.1 %: noted\n"},
    // A person's error: what they take for a false alarm is there, and is told once more, not with every
    // commit.
    {"RegressionWronglyDismissedAsFalseAlarm",
     R"(c0 w1 a=100
        c1 w1 a=110
        false_alarm c1 a
        c2 w1 a=110
        c3 w1 a=110)",
     "a: c0< c1<c0 c2<c0 c3<c2; level c2\n"
     "regression a c1 +10.0 %: dismissed as false alarm\n"
     "accumulated a c2 +10.0 %: open\n"},
};

class Level : public testing::TestWithParam<tests::History> {};

TEST_P(Level, AndControlsAndRecordsAreAsExpected) {
  EXPECT_EQ(tests::walk_written(GetParam().script), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Of, Level, testing::ValuesIn(histories),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace tandem::daemon
