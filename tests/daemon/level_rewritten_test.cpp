#include <gtest/gtest.h>

#include "daemon/written_history.hpp"

namespace tandem::daemon {
namespace {

// Histories in which the branch is rewritten.
const tests::History histories[] = {
    {"ForcePushWithTheSamePatches",
     R"(c0 w1 a=100
        c1 w1 a=100
        c2 w1 a=110
        c3 w1 a=110
        acknowledge c2 a
        rewrite c0
        c5 w1 a=100 same=c1
        c6 w1 a=110 same=c2
        c7 w1 a=110 same=c3
        c8 w1 a=100 reverts=c6)",
     "a: c0< c1<c0 c2<c0 c3<c2 c5<c0 c6<c0 c7<c6 c8<c6; level c8\n"
     "regression a c2 +10.0 %: superseded\n"
     "regression a c6 +10.0 %: fixed by c8\n"
     "improvement a c8 -9.1 %: noted\n"},
    {"ForcePushThatKeepsAFixedRegressionFixed",
     R"(c0 w1 a=100
        c1 w1 a=110
        c2 w1 a=100 reverts=c1
        rewrite c0
        c5 w1 a=110 same=c1
        c6 w1 a=100 same=c2
        c7 w1 a=100)",
     "a: c0< c1<c0 c2<c1 c5<c0 c6<c5 c7<c6; level c6\n"
     "regression a c1 +10.0 %: superseded\n"
     "improvement a c2 -9.1 %: superseded\n"
     "regression a c5 +10.0 %: fixed by c2\n"
     "improvement a c6 -9.1 %: noted\n"},
    {"ForcePushWithoutTheCulprit",
     R"(c0 w1 a=100
        c1 w1 a=110
        c2 w1 a=110
        rewrite c0
        c5 w1 a=100 same=c2
        c6 w1 a=100)",
     "a: c0< c1<c0 c2<c1 c5<c0 c6<c0; level none\n"
     "regression a c1 +10.0 %: superseded\n"},
    {"ForcePushAfterTheCulprit",
     R"(c0 w1 a=100
        c1 w1 a=110 skipped
        c2 w1 a=110
        rewrite c1
        c5 w1 a=110
        c6 w1 a=110)",
     "a: c0< c2<c0 c5<c0 c6<c5; level c1\n"
     "regression a c1 +10.0 %: open\n"},
    {"ForcePushAndTheSamePatchSteppedOver",
     R"(c0 w1 a=100
        c1 w1 a=110
        rewrite c0
        c5 w1 a=110 same=c1 skipped
        c6 w1 a=110
        c7 w1 a=110)",
     "a: c0< c1<c0 c6<c0 c7<c6; level c5\n"
     "regression a c1 +10.0 %: superseded\n"
     "regression a c5 +10.0 %: open\n"},
    {"AFalseAlarmSurvivesAForcePush",
     R"(c0 w1 a=100
        c1 w1 a=100/110
        false_alarm c1 a
        rewrite c0
        c5 w1 a=100/110 same=c1
        c6 w1 a=100)",
     "a: c0< c1<c0 c5<c0 c6<c0; level none\n"
     "regression a c1 +10.0 %: superseded\n"
     "regression a c5 +10.0 %: dismissed as false alarm\n"},
    {"ForcePushAndBack",
     R"(c0 w1 a=100
        c1 w1 a=110
        rewrite c0
        c5 w1 a=110 same=c1
        acknowledge c5 a
        rewrite c0
        c1 w1 a=110
        c2 w1 a=110)",
     "a: c0< c1<c0 c5<c0 c2<c1; level c1\n"
     "regression a c1 +10.0 %: acknowledged\n"
     "regression a c5 +10.0 %: superseded\n"},
};

class LevelOfARewrittenBranch : public testing::TestWithParam<tests::History> {};

TEST_P(LevelOfARewrittenBranch, AndItsControlsAndRecordsAreAsExpected) {
  EXPECT_EQ(tests::walk_written(GetParam().script), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Of, LevelOfARewrittenBranch, testing::ValuesIn(histories),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace tandem::daemon
