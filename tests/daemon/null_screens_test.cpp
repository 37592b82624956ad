// Live A/A: counted, kept cheap, and believed when it says that the host cannot be.
#include "daemon/idle/null_screens.hpp"

#include <algorithm>

#include "daemon/idle_fixture.hpp"

namespace tandem::daemon {
namespace {

using Spent = IdleTime::Spent;
using tests::at_cost;
using tests::Call;

class NullScreensTest : public tests::AtTheTip {
 protected:
  NullScreensTest() : AtTheTip({at_cost("c0", 1)}) {
    walk_.commits.at("c0").costs = {{"one", 1}, {"two", 1}};
    walk_.examine();
    while (spend() == Spent::calibrated) {  // also makes the first trial
    }
  }
  std::vector<std::string> events(const std::string& kind) {
    std::vector<std::string> found;
    for (const auto& event : walk_.store->newest_events(50)) {
      if (event.kind == kind) found.push_back(event.sentence);
    }
    return found;
  }
};

TEST_F(NullScreensTest, CountsTrialsOfTheTipNextToItself) {
  const auto counts = walk_.store->screen_counts(0);
  EXPECT_EQ(counts.null_screens, 1u);
  EXPECT_EQ(counts.null_suspects, 0u);
  EXPECT_EQ(walk_.runner.calls.back().control, "c0");
  EXPECT_EQ(walk_.runner.calls.back().treatment, "c0");
}

TEST_F(NullScreensTest, TakesATwentiethOfTheTimeAndTheBenchmarksInTurn) {
  EXPECT_EQ(spend(), Spent::nothing_to_do) << "the first one has to be earned back";
  now_ += 19;
  EXPECT_EQ(spend(), Spent::nothing_to_do);
  now_ += 1;
  EXPECT_EQ(walk_.runner.calls.back().benchmark, "one");
  EXPECT_EQ(spend(), Spent::compared_with_itself);
  EXPECT_EQ(walk_.runner.calls.back().benchmark, "two");
  now_ += 20;
  EXPECT_EQ(spend(), Spent::compared_with_itself);
  EXPECT_EQ(walk_.runner.calls.back().benchmark, "one");
  EXPECT_EQ(walk_.store->screen_counts(0).null_screens, 3u);
}

TEST_F(NullScreensTest, ALongTrialIsFollowedByALongPause) {
  now_ += 2000;
  std::size_t calls = 0;
  walk_.runner.before_call = [&] { now_ += calls++ == 0 ? 100 : 0; };
  EXPECT_EQ(spend(), Spent::compared_with_itself);
  EXPECT_EQ(spend(), Spent::nothing_to_do) << "quiet times are not saved up";
  now_ += 1800;
  EXPECT_EQ(spend(), Spent::nothing_to_do);
  now_ += 100;
  EXPECT_EQ(spend(), Spent::compared_with_itself);
}

TEST_F(NullScreensTest, PutsAHostInQuarantineWhereACommitDiffersFromItself) {
  bias_ = 0.03;
  now_ += 20;
  EXPECT_EQ(spend(), Spent::compared_with_itself);
  EXPECT_EQ(walk_.store->screen_counts(0).null_suspects, 2u) << "a second look at once";
  ASSERT_EQ(events("quarantine").size(), 1u);
  EXPECT_TRUE(events("quarantine").front().starts_with("two differs from itself (evidence "));
  EXPECT_EQ(quarantine(*walk_.store, now_),
            "two of pebble on linux differs from itself in trials of one commit");
  EXPECT_EQ(host_unfit(*walk_.store, "a host", now_), quarantine(*walk_.store, now_));

  bias_ = 0;
  now_ += 40;
  EXPECT_EQ(spend(), Spent::compared_with_itself);
  EXPECT_EQ(walk_.runner.calls.back().benchmark, "two") << "it comes first";
  EXPECT_EQ(host_unfit(*walk_.store, "a host", now_), "");
  EXPECT_EQ(events("quarantine").size(), 2u);
}

TEST_F(NullScreensTest, KeepsTheQuarantineWhereATrialDecidesNothing) {
  bias_ = 0.03;
  now_ += 20;
  ASSERT_EQ(spend(), Spent::compared_with_itself);
  ASSERT_NE(quarantine(*walk_.store, now_), "");
  bias_ = 0;
  sigma_ = 0.05;  // too much for the launches that there are
  now_ += 40;
  const std::size_t suspects = walk_.store->screen_counts(0).null_suspects;
  EXPECT_EQ(spend(), Spent::compared_with_itself);
  ASSERT_EQ(walk_.store->screen_counts(0).null_suspects, suspects) << "it was inconclusive";
  EXPECT_NE(quarantine(*walk_.store, now_), "");
  sigma_ = 0.002;
  now_ += 40;
  EXPECT_EQ(spend(), Spent::compared_with_itself);
  EXPECT_EQ(quarantine(*walk_.store, now_), "");
}

TEST_F(NullScreensTest, ForgetsTheQuarantineAfterAWeek) {
  bias_ = 0.03;
  now_ += 20;
  ASSERT_EQ(spend(), Spent::compared_with_itself);
  EXPECT_NE(quarantine(*walk_.store, now_ + quarantine_seconds), "");
  EXPECT_EQ(quarantine(*walk_.store, now_ + quarantine_seconds + 1), "");
}

TEST_F(NullScreensTest, ForgetsTheQuarantineOfABenchmarkThatIsGone) {
  const auto entry = [&](const char* watch, const char* benchmark) {
    return std::to_string(now_) + "\t" + watch + "\tlinux\t" + benchmark + "\n";
  };
  walk_.store->set_environment("quarantine", entry("pebble", "three") + entry("granite", "three"));
  EXPECT_EQ(spend(), Spent::nothing_to_do);
  EXPECT_EQ(quarantine(*walk_.store, now_),
            "three of granite on linux differs from itself in trials of one commit")
      << "that of another watch is not ours to judge";
}

TEST_F(NullScreensTest, ForgivesOneTrialThatDoesNotComeAgain) {
  const std::size_t before = walk_.runner.launches().size();
  walk_.runner.log_ratio = [truth = walk_.runner.log_ratio, before, this](const Call& call) {
    return truth(call) + (walk_.runner.launches().size() < before + 12 ? 0.03 : 0);
  };
  now_ += 20;
  EXPECT_EQ(spend(), Spent::compared_with_itself);
  EXPECT_EQ(walk_.store->screen_counts(0).null_suspects, 1u);
  EXPECT_TRUE(events("quarantine").empty());
  EXPECT_EQ(host_unfit(*walk_.store, "a host", now_), "");
}

}  // namespace
}  // namespace tandem::daemon
