// What is done at the tip, in which order, and how it gives way.
#include "daemon/idle/idle_time.hpp"

#include <algorithm>

#include "daemon/idle_fixture.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::daemon {
namespace {

using Spent = IdleTime::Spent;
using tests::at_cost;

class IdleTimeTest : public tests::AtTheTip {
 protected:
  IdleTimeTest() : AtTheTip({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1)}) {}

  /// A screen of the tip that was left without an answer.
  void leave_inconclusive(double cost) {
    walk_.commits.at("c2").costs = {{"work", cost}};
    walk_.settings.max_launches = 5;
    walk_.restart();
    walk_.examine({2});
    ASSERT_EQ(verdict().outcome, analysis::Outcome::inconclusive);
    walk_.settings.max_launches = 40;
  }
  store::StoredVerdict verdict() { return walk_.store->verdicts(walk_.settings.key, "c2").front(); }
};

TEST_F(IdleTimeTest, HasNothingToDoBeforeACommitWasExamined) {
  EXPECT_EQ(spend(), Spent::nothing_to_do);
  EXPECT_TRUE(walk_.runner.calls.empty());
}

TEST_F(IdleTimeTest, GoesFromCalibrationOverWhatIsOpenToEvidenceAndAnchors) {
  walk_.examine({0, 1});
  leave_inconclusive(1);
  const auto steps = spend_all();
  EXPECT_EQ(steps, (std::vector<Spent>{Spent::calibrated, Spent::continued, Spent::compared_with_itself,
                                       Spent::compared_with_anchor, Spent::compared_with_anchor,
                                       Spent::nothing_to_do}));
  EXPECT_EQ(walk_.status.idle_work, "") << "nothing is left of it";
}

TEST_F(IdleTimeTest, CalibratesOnlyWhereNothingElseIsWanted) {
  walk_.examine();
  restart();
  EXPECT_EQ(idle_->spend_next(walk_.line, {}, IdleTime::Work::calibration), Spent::calibrated);
  EXPECT_EQ(idle_->spend_next(walk_.line, {}, IdleTime::Work::calibration), Spent::nothing_to_do);
}

TEST_F(IdleTimeTest, LeavesTheCalibrationOutWhereItIsNotWanted) {
  walk_.examine();
  restart();
  std::vector<Spent> steps;
  while (steps.empty() || steps.back() != Spent::nothing_to_do) {
    steps.push_back(idle_->spend_next(walk_.line, {}, IdleTime::Work::all_but_calibration));
    ASSERT_LT(steps.size(), 20u);
  }
  EXPECT_EQ(steps.front(), Spent::compared_with_itself);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), Spent::calibrated), 0);
}

TEST_F(IdleTimeTest, LooksAtTheNewestCommitThatBuilds) {
  walk_.commits.at("c2").fate = tests::FakeCommit::Fate::does_not_build;
  walk_.examine();
  EXPECT_EQ(spend(), Spent::calibrated);
  EXPECT_EQ(walk_.runner.calls.back().treatment, "c1");
}

TEST_F(IdleTimeTest, GivesWayBetweenTwoLaunchesAndStoresNothing) {
  walk_.examine();
  ASSERT_EQ(spend(), Spent::calibrated);
  std::stop_source news;
  const std::size_t before = walk_.runner.calls.size();
  walk_.runner.before_call = [&] {
    if (walk_.runner.calls.size() == before + 4) news.request_stop();
  };
  EXPECT_EQ(spend(news.get_token()), Spent::stopped);
  EXPECT_EQ(walk_.runner.calls.size(), before + 4);
  EXPECT_EQ(walk_.store->screen_counts(0).null_screens, 0u);
  walk_.runner.before_call = {};
  EXPECT_EQ(spend(), Spent::compared_with_itself) << "the same step, once more";
}

TEST_F(IdleTimeTest, GoesOnWithAScreenUntilItIsUnchanged) {
  walk_.examine({0, 1});
  leave_inconclusive(1);
  ASSERT_EQ(spend(), Spent::calibrated);
  EXPECT_EQ(spend(), Spent::continued);
  EXPECT_EQ(verdict().outcome, analysis::Outcome::unchanged);
  EXPECT_GT(verdict().verdict.launches, 5u) << "those that were stored are part of it";
  EXPECT_EQ(walk_.runner.launches_of("c0", "c2"), verdict().verdict.launches) << "and were not made again";
}

TEST_F(IdleTimeTest, GoesOnWithAScreenUntilItIsASuspectAndSettlesIt) {
  walk_.examine({0, 1});
  leave_inconclusive(1.05);
  ASSERT_EQ(spend(), Spent::calibrated);
  EXPECT_EQ(spend(), Spent::continued);
  EXPECT_EQ(verdict().outcome, analysis::Outcome::slower);
  ASSERT_EQ(walk_.records().size(), 1u);
  EXPECT_TRUE(walk_.records().front().starts_with("regression open work c2 (c1..c2)"));
}

TEST_F(IdleTimeTest, GivesABenchmarkFourTimesTheLaunchesAndNoMore) {
  sigma_ = 0.02;
  walk_.settings.tests = tests_of({}, {0.01});
  walk_.examine({0, 1});
  leave_inconclusive(1.007);  // between half the margin and the margin nothing can be said
  walk_.settings.max_launches = 10;
  ASSERT_EQ(spend(), Spent::calibrated);
  std::size_t continued = 0;
  while (continued < 20 && spend() == Spent::continued) ++continued;
  EXPECT_LE(verdict().history.launches.size(), 40u);
  EXPECT_LE(continued, 4u);
}

TEST_F(IdleTimeTest, LeavesAProgramThatFailsAlone) {
  walk_.examine();
  ASSERT_EQ(spend(), Spent::calibrated);
  walk_.commits.at("c2").fate = tests::FakeCommit::Fate::crashes_in_launches;
  const auto steps = spend_all();
  EXPECT_EQ(steps.back(), Spent::nothing_to_do);
  EXPECT_LT(steps.size(), 6u);
  const auto events = walk_.store->newest_events(5);
  EXPECT_TRUE(
      std::any_of(events.begin(), events.end(), [](const auto& event) { return event.kind == "live A/A"; }));
}

TEST_F(IdleTimeTest, DoesNotThrowWhenTheGroundBreaks) {
  walk_.examine();
  walk_.runner.before_call = [] { throw Error("the disk is gone"); };
  EXPECT_EQ(spend(), Spent::failed);
  EXPECT_EQ(walk_.status.last_error, "the disk is gone");
  EXPECT_EQ(walk_.store->newest_events(1).front().kind, "idle time");
  walk_.runner.before_call = {};
  EXPECT_EQ(spend(), Spent::nothing_to_do) << "it rests";
  now_ += 3601;
  EXPECT_EQ(spend(), Spent::calibrated);
}

class RetestTest : public tests::AtTheTip {
 protected:
  static constexpr std::int64_t week = 7 * 24 * 3600;
  RetestTest() : AtTheTip({at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1.1), at_cost("c3", 1)}) {
    walk_.examine({0, 1, 2});
    now_ += week + 3600;
  }
  Record record() { return walk_.store->records({}).front(); }
  /// The first step that is a re-test, if there is one.
  bool retests() {
    const auto steps = spend_all();
    return std::find(steps.begin(), steps.end(), Spent::retested) != steps.end();
  }
};

TEST_F(RetestTest, LooksAtAnOpenRegressionOnceAWeek) {
  ASSERT_EQ(record().state, RecordState::open);
  EXPECT_TRUE(retests());
  ASSERT_EQ(record().retests.size(), 1u);
  EXPECT_EQ(record().retests.front().control, "c0");
  EXPECT_EQ(record().retests.front().treatment, "c2");
  EXPECT_EQ(record().retests.front().outcome, analysis::Outcome::slower);
  EXPECT_NEAR(record().retests.front().ratio.estimate, 1.1, 0.005);
  EXPECT_EQ(record().state, RecordState::open);
  EXPECT_FALSE(retests()) << "the next one is due in a week";
  now_ += week + 1;
  EXPECT_TRUE(retests());
  EXPECT_EQ(record().retests.size(), 2u);
}

class SizeRetestTest : public tests::AtTheTip {
 protected:
  static tests::FakeCommit of_size(const char* id, double bytes) {
    tests::FakeCommit commit = at_cost(id, 1);
    commit.beside = {{"size", bytes}};
    return commit;
  }
  SizeRetestTest() : AtTheTip({of_size("c0", 1000), of_size("c1", 1200), of_size("c2", 1200)}) {
    specs::Metric size{"size", "B"};
    size.tolerance = 0.01;
    walk_.rules = {{"size", size}};
    walk_.examine();
    now_ += 8 * 24 * 3600;
  }
};

TEST_F(SizeRetestTest, LooksAtAMetricBesideTheFirstOne) {
  ASSERT_EQ(walk_.records(), std::vector<std::string>{"regression open work size c1 (c0..c1) 1.200"});
  const auto steps = spend_all();
  EXPECT_EQ(std::count(steps.begin(), steps.end(), Spent::retested), 1);
  const auto retests = walk_.store->records({}).front().retests;
  ASSERT_EQ(retests.size(), 1u);
  EXPECT_EQ(retests.front().outcome, analysis::Outcome::slower);
  EXPECT_NEAR(retests.front().ratio.estimate, 1.2, 1e-9);
}

TEST_F(RetestTest, DoesNotMeasureTheConfirmedPairAgain) {
  const std::string id = record().id;
  walk_.store->save_records({}, {{id, [](Record one) {
                                    one.confirmation.treatment = "c2";
                                    return one;
                                  }}});
  EXPECT_FALSE(retests());
}

TEST_F(RetestTest, PassesOverWhatOnlyTheShippedLayoutHas) {
  walk_.store->save_records({}, {{record().id, [](Record one) {
                                    one.kind = RecordKind::layout;
                                    return one;
                                  }}});
  EXPECT_FALSE(retests());
}

TEST_F(RetestTest, TakesTheCommitBeforeTheCulpritWhereTheControlIsGone) {
  walk_.store->save_records({}, {{record().id, [](Record one) {
                                    one.confirmation.control = "rewritten";
                                    return one;
                                  }}});
  EXPECT_TRUE(retests());
  ASSERT_EQ(record().retests.size(), 1u);
  EXPECT_EQ(record().retests.front().control, "c0");
}

TEST_F(RetestTest, WaitsWhileTheHostIsNotBelieved) {
  walk_.store->set_environment("quarantine", std::to_string(now_) + "\tpebble\tlinux\twork\n");
  bias_ = 0.03;
  EXPECT_FALSE(retests());
  EXPECT_TRUE(record().retests.empty());
}

TEST_F(RetestTest, SaysThatItHasRecoveredWhenItIsGoneTwice) {
  walk_.commits.at("c2").costs = {{"work", 1.0}};  // something outside the repository did it
  EXPECT_TRUE(retests());
  EXPECT_EQ(record().state, RecordState::open) << "once is not enough";
  EXPECT_TRUE(walk_.store->waiting_requests().empty());
  now_ += week + 1;
  EXPECT_TRUE(retests());
  EXPECT_EQ(record().state, RecordState::recovered);
  const auto requests = walk_.store->waiting_requests();
  ASSERT_EQ(requests.size(), 1u) << "the commit that did it is looked for";
  EXPECT_EQ(requests.front().kind, Request::Kind::bisect);
  EXPECT_EQ(requests.front().against, "c1");
  EXPECT_EQ(requests.front().commit, "c2");
  EXPECT_EQ(requests.front().by, "tandem");
}

/// What a faster commit left of a regression is still to be measured.
class FixRetestTest : public tests::AtTheTip {
 protected:
  explicit FixRetestTest(const std::vector<tests::FakeCommit>& history = {at_cost("c0", 1),
                                                                          at_cost("c1", 1.5),
                                                                          at_cost("c2", 1)})
      : AtTheTip(history) {}
  Record record() { return walk_.record(RecordKind::regression, "c1"); }
  bool is_open() { return record().fix->outcome == FixOutcome::not_measured; }
  /// A day later, which is longer than every pause; whether it was tried again.
  bool tries() {
    const std::size_t before = record().fix->tries;
    now_ += 24 * 3600;
    spend_all();
    return record().fix->tries > before;
  }
};

TEST_F(FixRetestTest, GoesOnWithTheStoredScreenUntilItDecides) {
  sigma_ = 0.03;  // 66 launches prove no change of less than 1 %; twice as many do
  walk_.examine();
  now_ = walk_.now;
  ASSERT_TRUE(is_open());
  ASSERT_EQ(record().fix->screen.launches.size(), 66u);
  while (is_open()) {
    ASSERT_EQ(record().fix->screen.launches.size(), walk_.runner.launches_of("c0", "c2"))
        << "every launch counts";
    restart();
    ASSERT_TRUE(tries());
  }
  EXPECT_EQ(record().state, RecordState::fixed);
  EXPECT_GT(record().fix->tries, 1u);
  EXPECT_GT(walk_.runner.launches_of("c0", "c2"), 66u);
  EXPECT_TRUE(record().fix->screen.launches.empty()) << "nobody goes on with it";
}

TEST_F(FixRetestTest, EndsAfterSomeTriesAndSaysSo) {
  sigma_ = 0.1;
  walk_.examine();
  now_ = walk_.now;
  ASSERT_TRUE(is_open());
  std::size_t again = 0;
  while (again < 20 && tries()) ++again;
  EXPECT_EQ(again + 1, most_tries);
  EXPECT_EQ(record().state, RecordState::open);
  EXPECT_NE(record().life.back().reason.find("could not be measured in 6 tries"), std::string::npos);
}

class RevertRetestTest : public FixRetestTest {
 protected:
  static tests::FakeCommit revert() {
    tests::FakeCommit commit = at_cost("c3", 1.3);
    commit.undoes = "p1";
    return commit;
  }
  static tests::FakeCommit culprit() {
    tests::FakeCommit commit = at_cost("c1", 1.1);
    commit.patch = "p1";
    return commit;
  }
  RevertRetestTest() : FixRetestTest({at_cost("c0", 1), culprit(), at_cost("c2", 1.43), revert()}) {}
};

TEST_F(RevertRetestTest, RemembersThatTheCommitWasNamed) {
  walk_.runner.fails = [](const tests::Call& call) -> std::optional<runners::RunFailure> {
    const bool fix = call.control == "c0" && call.treatment == "c3";
    return fix && call.kind == tests::Call::Kind::launch
               ? std::optional(tests::crash_of(runners::Side::control))
               : std::nullopt;
  };
  walk_.examine();
  now_ = walk_.now;
  ASSERT_TRUE(is_open());
  ASSERT_EQ(record().state, RecordState::open);
  walk_.runner.fails = {};
  ASSERT_TRUE(tries());
  EXPECT_EQ(record().fix->outcome, FixOutcome::hidden) << "by the regression of c2";
  EXPECT_EQ(record().state, RecordState::fixed);
}

}  // namespace
}  // namespace tandem::daemon
