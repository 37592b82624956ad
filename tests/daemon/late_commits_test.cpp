#include "daemon/walk/late_commits.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "daemon/fake_history.hpp"

namespace tandem::daemon {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using tests::at_cost;
using tests::FakeCommit;
using tests::FakeWalk;
using tests::with_fate;
using Texts = std::vector<std::string>;

constexpr std::int64_t day = 86400;

TEST(PauseAfter, IsFourTimesAsLongEachTimeAndADayAtMost) {
  const seconds interval{60};
  EXPECT_EQ(pause_after(0, interval), seconds{0});
  EXPECT_EQ(pause_after(1, interval), seconds{60});
  EXPECT_EQ(pause_after(2, interval), seconds{240});
  EXPECT_EQ(pause_after(6, interval), seconds{61440});
  EXPECT_EQ(pause_after(7, interval), hours{24});
  EXPECT_EQ(pause_after(1'000'000, interval), hours{24});
  EXPECT_EQ(pause_after(1, hours{24 * 7}), hours{24});
  EXPECT_EQ(pause_after(1, std::chrono::milliseconds{1}), seconds{1});
}

class LateCommits : public testing::Test {
 protected:
  Later try_again(const char* kind, std::int64_t now) {
    return put_off(*walk_.store, walk_.settings.key, "c1", {kind, "it failed"}, seconds{60}, now);
  }
  [[nodiscard]] std::vector<store::WaitingCommit> waiting() const {
    return walk_.store->waiting_commits(walk_.settings.key);
  }
  /// Tries whenever it is due, until it is given up; the times of the first and the last try.
  std::pair<std::size_t, std::int64_t> tries_and_seconds(const char* kind) {
    std::size_t tries = 1;
    std::int64_t now = 0;
    while (try_again(kind, now) == Later::waits && tries < 1000) {
      now = waiting().at(0).due;
      ++tries;
    }
    return {tries, now};
  }

  FakeWalk walk_{{at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1)}};
};

TEST_F(LateCommits, AreThoseOfTheLineThatAreDueByPosition) {
  const std::vector<store::WaitingCommit> all = {
      {"c2", {}, {}, 1, 10}, {"elsewhere", {}, {}, 1, 10}, {"c0", {}, {}, 1, 20}, {"c1", {}, {}, 1, 30}};
  using Positions = std::vector<std::size_t>;
  EXPECT_EQ(due_commits(all, walk_.line, 9, Pauses::kept), Positions());
  EXPECT_EQ(due_commits(all, walk_.line, 20, Pauses::kept), (Positions{0, 2}));
  EXPECT_EQ(due_commits(all, walk_.line, 9, Pauses::ignored), (Positions{0, 1, 2}));
}

TEST_F(LateCommits, AreGivenUpAfterSixTries) {
  EXPECT_EQ(tries_and_seconds("unexpected").first, most_tries);
  EXPECT_TRUE(waiting().empty());
  EXPECT_EQ(walk_.done(), (Texts{"c1"}));
  EXPECT_TRUE(was_given_up(*walk_.store, walk_.settings.key, "c1"));
}

TEST_F(LateCommits, WaitTwoWeeksForAServerAndAreTriedEveryDay) {
  const auto [tries, seconds] = tries_and_seconds("fetch");
  EXPECT_GE(seconds, 14 * day);
  EXPECT_LE(seconds, 15 * day);
  EXPECT_GE(tries, 14u);
  EXPECT_TRUE(waiting().empty());
  EXPECT_TRUE(was_given_up(*walk_.store, walk_.settings.key, "c1"));
}

TEST_F(LateCommits, DoNotCountATryThatComesBeforeItIsDue) {
  for (int pass = 0; pass < 20; ++pass) EXPECT_EQ(try_again("unexpected", 1000), Later::waits);
  ASSERT_EQ(waiting().size(), 1u);
  EXPECT_EQ(waiting().front().tries, 1u);
  EXPECT_EQ(waiting().front().due, 1060);
  EXPECT_EQ(try_again("too_large", 1060), Later::waits);
  EXPECT_EQ(waiting().front().tries, 2u);
  EXPECT_EQ(waiting().front().kind, "too_large");
}

/// A regression of c3 that may be that of c2, which did not build.
class CoSuspects : public testing::Test {
 protected:
  CoSuspects() {
    walk_.examine();
    EXPECT_EQ(walk_.records(), (Texts{"regression open work c3 (c1..c3) 1.100 or c2"}));
  }
  /// As if c2 had been examined later.
  void judge(analysis::Outcome outcome) {
    store::StoredVerdict verdict = walk_.store->verdicts(walk_.settings.key, "c1").front();
    verdict.commit = "c2";
    verdict.outcome = outcome;
    walk_.store->save_step(walk_.settings.key, {verdict, {}});
    settle();
  }
  void settle() { settle_co_suspects(*walk_.store, walk_.publisher, walk_.settings.key, "c2", walk_.now); }

  FakeWalk walk_{{at_cost("c0", 1), at_cost("c1", 1), with_fate("c2", FakeCommit::Fate::does_not_build),
                  at_cost("c3", 1.1), at_cost("c4", 1.1)}};
};

TEST_F(CoSuspects, StayWhileNothingIsKnownOfThem) {
  settle();
  judge(analysis::Outcome::inconclusive);
  EXPECT_EQ(walk_.records(), (Texts{"regression open work c3 (c1..c3) 1.100 or c2"}));
}

TEST_F(CoSuspects, AreInnocentWhenUnchanged) {
  judge(analysis::Outcome::unchanged);
  EXPECT_EQ(walk_.records(), (Texts{"regression open work c3 (c1..c3) 1.100"}));
  EXPECT_NEAR(walk_.record(RecordKind::regression, "c3").culprit_probability, 1, 0.01);
}

TEST_F(CoSuspects, AreInnocentWhenIdentical) {
  judge(analysis::Outcome::identical);
  EXPECT_EQ(walk_.records(), (Texts{"regression open work c3 (c1..c3) 1.100"}));
}

TEST_F(CoSuspects, TakeThePlaceOfTheOtherWhenTheyMadeTheChange) {
  walk_.commits["c2"] = at_cost("c2", 1.1);
  walk_.examine({2});
  settle();
  EXPECT_EQ(walk_.record(RecordKind::regression, "c2").state, RecordState::open);
  EXPECT_EQ(walk_.record(RecordKind::regression, "c3").state, RecordState::superseded);
}

}  // namespace
}  // namespace tandem::daemon
