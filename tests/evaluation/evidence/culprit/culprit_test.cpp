#include <gtest/gtest.h>

#include "evaluation/evidence/culprit/culprit.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

/// Eight commits, the fourth of them guilty, without noise.
History quiet_history() {
  History history;
  history.effect = 0.02;
  history.first = 3;
  history.broken.assign(8, false);
  history.own.assign(8, 0.0);
  return history;
}

Finding said(std::size_t culprit, std::vector<std::size_t> co_suspects = {}) {
  return {Finding::Said::culprit, culprit, std::move(co_suspects), 0};
}

TEST(CulpritHistory, ShowsEveryStepFromItsCommitOn) {
  History history = quiet_history();
  history.steps = Steps::two;
  history.second = 5;
  EXPECT_EQ(history.level(2), 0);
  EXPECT_EQ(history.level(3), 0.02);
  EXPECT_EQ(history.level(5), 0.04);
  history.steps = Steps::none;
  EXPECT_EQ(history.level(7), 0);
}

TEST(CulpritHistory, HasTwoStepsInTheirOrderAndALastCommitThatBuilds) {
  analysis::Noise noise(1);
  for (int round = 0; round < 200; ++round) {
    const History history = draw({8, 2, LayoutSpread::none, Steps::two}, noise);
    EXPECT_LT(history.first, history.second);
    EXPECT_LT(history.second, 8U);
    EXPECT_FALSE(history.broken.back());
  }
}

TEST(CulpritHistory, KeepsALayoutPerCommitOnlyWhereLayoutsAreFixed) {
  History history = quiet_history();
  history.layout_spread = 0.01;
  history.own[3] = 0.004;
  history.own_of_good = 0.001;
  analysis::Noise noise(2);
  history.layouts = LayoutSpread::fixed;
  EXPECT_DOUBLE_EQ(measure(history, 3, noise), 0.023);
  EXPECT_DOUBLE_EQ(measure(history, 3, noise), 0.023);
  history.layouts = LayoutSpread::fresh;
  EXPECT_NE(measure(history, 3, noise), measure(history, 3, noise));
}

TEST(CulpritJudge, TellsTheCulpritAloneFromTheCulpritAmongOthers) {
  const History history = quiet_history();
  EXPECT_EQ(judge(history, said(3)), Judged::exact);
  EXPECT_EQ(judge(history, said(4, {3})), Judged::among);
  EXPECT_EQ(judge(history, said(3, {2})), Judged::among);
  EXPECT_EQ(judge(history, said(4)), Judged::wrong);
  EXPECT_EQ(judge(history, {Finding::Said::no_culprit, 0, {}, 0}), Judged::not_named);
  EXPECT_EQ(judge(history, {Finding::Said::undecided, 3, {}, 0}), Judged::undecided);
}

TEST(CulpritJudge, AcceptsOfAHistoryWithoutCulpritThatThereIsNone) {
  History history = quiet_history();
  history.steps = Steps::none;
  EXPECT_EQ(judge(history, {Finding::Said::no_culprit, 0, {}, 0}), Judged::exact);
  EXPECT_EQ(judge(history, said(3)), Judged::wrong);
}

TEST(CulpritBisection, FindsTheCulpritWithoutNoiseInThreeSteps) {
  analysis::Noise noise(3);
  for (std::size_t culprit = 0; culprit < 8; ++culprit) {
    History history = quiet_history();
    history.first = culprit;
    const Finding finding = bisect(history, 0.02, 1, noise);
    EXPECT_EQ(judge(history, finding), Judged::exact) << culprit;
    EXPECT_EQ(finding.measurements, 3U) << culprit;
    EXPECT_EQ(bisect(history, 0.02, 3, noise).measurements, 9U) << culprit;
  }
}

TEST(CulpritBisection, NamesBrokenNeighboursWithTheCulprit) {
  History history = quiet_history();
  history.broken[2] = history.broken[3] = true;
  analysis::Noise noise(4);
  const Finding finding = bisect(history, 0.02, 1, noise);
  EXPECT_EQ(finding.culprit, 4U);
  EXPECT_EQ(finding.co_suspects, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(judge(history, finding), Judged::among);
}

TEST(CulpritBisection, EndsWhereNothingBuildsButTheLastCommit) {
  History history = quiet_history();
  history.broken.assign(8, true);
  history.broken.back() = false;
  analysis::Noise noise(5);
  const Finding finding = bisect(history, 0.02, 1, noise);
  EXPECT_EQ(finding.culprit, 7U);
  EXPECT_EQ(finding.co_suspects.size(), 7U);
  EXPECT_EQ(finding.measurements, 0U);
}

TEST(CulpritConfirmation, RefusesACommitThatChangedNothing) {
  const History history = quiet_history();
  analysis::Noise noise(6);
  EXPECT_TRUE(is_confirmed(history, said(3), noise));
  EXPECT_TRUE(is_confirmed(history, said(4, {3}), noise));
  EXPECT_FALSE(is_confirmed(history, said(4), noise));
  EXPECT_FALSE(is_confirmed(history, said(0), noise));
}

TEST(CulpritSimulation, IsRightMoreOftenThanABisectionWithTheSameNoise) {
  const HistoryPlan plan{8, 2, LayoutSpread::none, Steps::one};
  const Tally ours = simulate(plan, {}, 60, 7);
  const Tally theirs = simulate(plan, {Rule::Kind::bisection, 1}, 60, 7);
  EXPECT_EQ(ours.all, 60U);
  EXPECT_GE(ours.right(), 57U);
  EXPECT_GT(ours.right(), theirs.right());
  EXPECT_EQ(theirs.of(Judged::not_named) + theirs.of(Judged::undecided) + theirs.of(Judged::withdrawn), 0U);
}

TEST(CulpritSimulation, SaysNoCulpritWhereABisectionAccusesSomebody) {
  const HistoryPlan plan{8, 4, LayoutSpread::none, Steps::none};
  EXPECT_GE(simulate(plan, {}, 40, 8).of(Judged::exact), 38U);
  EXPECT_EQ(simulate(plan, {Rule::Kind::bisection, 1}, 40, 8).of(Judged::wrong), 40U);
}

TEST(CulpritSimulation, GivesTheSameFiguresForTheSameSeed) {
  const HistoryPlan plan{8, 1, LayoutSpread::fresh, Steps::two};
  EXPECT_EQ(simulate(plan, {}, 10, 9).measurements, simulate(plan, {}, 10, 9).measurements);
  EXPECT_NE(simulate(plan, {}, 10, 9).measurements, simulate(plan, {}, 10, 10).measurements);
}

TEST(CulpritTally, CountsNamedAndRightAnswers) {
  Tally tally;
  for (const Judged judged : {Judged::exact, Judged::among, Judged::wrong, Judged::withdrawn,
                              Judged::not_named, Judged::undecided}) {
    tally.add(judged, 2);
  }
  Tally twice = tally;
  twice.add(tally);
  EXPECT_EQ(twice.all, 12U);
  EXPECT_EQ(twice.right(), 4U);
  EXPECT_EQ(twice.named(), 6U);
  EXPECT_EQ(twice.measurements.size(), 12U);
}

TEST(CulpritWalks, AreReadFromTheJournal) {
  const std::vector<Journal::Fields> rows = {
      {"planted", "3", "2.98"},
      {"history", "1", "16", "3", "polynomial", "11", "2", "11", "-", "99.4", "7", "31.5", "1", "said"},
      {"history", "2", "8", "5", "checksum", "4", "3", "5", "4,3", "", "9", "20", "1", "said"},
      {"history", "3", "8", "5", "checksum", "4", "0", "0", "-", "", "", "20", "0", "nothing slower"},
      {"history", "4", "8", "5", "checksum", "4", "0", "0", "-", "", "", "20", "4", ""}};
  const RealHistories histories = real_histories(rows);
  EXPECT_DOUBLE_EQ(histories.planted.at("3"), 2.98);
  ASSERT_EQ(histories.all.size(), 4U);
  EXPECT_EQ(histories.all[0].probability, 99.4);
  EXPECT_EQ(histories.all[1].co_suspects, (std::vector<std::size_t>{4, 3}));
  EXPECT_EQ(judge(histories.all[0]), Judged::exact);
  EXPECT_EQ(judge(histories.all[1]), Judged::among);
  EXPECT_EQ(judge(histories.all[2]), Judged::not_named);
  EXPECT_EQ(judge(histories.all[3]), Judged::undecided);
}

TEST(CulpritWalks, AreRefusedWhenALineIsNone) {
  const std::vector<Journal::Fields> wrong[] = {
      {{"planted", "3"}}, {{"planted", "3", "much"}}, {{"walk", "1", "2"}}};
  for (const auto& rows : wrong) EXPECT_THROW(static_cast<void>(real_histories(rows)), Error);
}

}  // namespace
}  // namespace tandem::evaluation
