// Steps too small to be seen one by one, against the anchors of their week and month.
#include <algorithm>

#include "daemon/idle/drift.hpp"
#include "daemon/idle/status_facts.hpp"
#include "daemon/idle_fixture.hpp"

namespace tandem::daemon {
namespace {

using Spent = IdleTime::Spent;
using tests::FakeCommit;

/// Eleven commits over three weeks of January, each 0.3 % slower than the one before.
std::vector<FakeCommit> creeping(double step) {
  std::vector<FakeCommit> history;
  for (int i = 0; i <= 10; ++i) {
    FakeCommit commit = tests::at_cost("c" + std::to_string(i), std::pow(1 + step, i));
    commit.days = i * 2;
    history.push_back(commit);
  }
  return history;
}

class DriftWatchTest : public tests::AtTheTip {
 protected:
  explicit DriftWatchTest(double step = 0.003) : AtTheTip(creeping(step), 0.03) { sigma_ = 0.001; }

  /// The commit comes, is examined, and there is time until the next.
  void next_commit() {
    const Line whole = walk_.line;
    if (all_.commits.empty()) all_ = whole;
    const std::size_t position = walked_++;
    std::vector<builders::Commit> commits(all_.commits.begin(),
                                          all_.commits.begin() + static_cast<std::ptrdiff_t>(walked_));
    walk_.line = make_line(std::move(commits), now_ + 365 * 24 * 3600);
    walk_.examine({position});
    spend_all();
    now_ += 2 * 24 * 3600;
  }
  std::vector<store::StoredPoint> points(const char* span) {
    return walk_.store->points(walk_.settings.key, "work", "time", span);
  }

  Line all_;
  std::size_t walked_ = 0;
};

TEST_F(DriftWatchTest, AddsOnePointPerCommitAndSpan) {
  for (int i = 0; i < 3; ++i) next_commit();
  ASSERT_EQ(points("month").size(), 2u) << "the first is the anchor itself";
  ASSERT_EQ(points("week").size(), 2u);
  EXPECT_EQ(points("month").back().anchor, "c0");
  EXPECT_EQ(points("month").back().commit, "c2");
  EXPECT_NEAR(points("month").back().value, 2 * std::log(1.003), 0.0015);
  EXPECT_NEAR(points("month").back().deviation, 0.001 / std::sqrt(12.0), 0.0004);
  EXPECT_EQ(points("week").back().value, points("month").back().value) << "measured once";
  for (int i = 0; i < 3; ++i) next_commit();
  EXPECT_EQ(points("week").back().commit, "c5");
  EXPECT_EQ(points("week").back().anchor, "c4") << "of the second week";
  EXPECT_EQ(points("month").back().anchor, "c0");
}

TEST_F(DriftWatchTest, FindsWhatEachCommitHidesAndRecordsItOnce) {
  walk_.builder.layouts = true;
  while (walked_ < 11) next_commit();
  const auto records = walk_.store->records({});
  std::size_t accumulated = 0;
  for (const Record& record : records) accumulated += record.kind == RecordKind::accumulated ? 1 : 0;
  EXPECT_EQ(accumulated, 1u);
  ASSERT_FALSE(records.empty());
  const Record& record = records.front();
  EXPECT_EQ(record.kind, RecordKind::accumulated);
  EXPECT_EQ(record.state, RecordState::open);
  EXPECT_EQ(record.control.id, "c0");
  EXPECT_GT(record.ratio.estimate, 1.015);
  EXPECT_EQ(record.treatment.id, record.culprit.id) << "of the range only the end has a name";
  for (const auto& commit : walk_.line.commits) {
    for (const auto& verdict : walk_.store->verdicts(walk_.settings.key, commit.id)) {
      EXPECT_NE(verdict.outcome, analysis::Outcome::slower) << commit.id << " alone shows nothing";
    }
  }
}

TEST_F(DriftWatchTest, TellsHowFarItIs) {
  for (int i = 0; i < 3; ++i) next_commit();
  ASSERT_EQ(walk_.status.drift.size(), 2u);
  EXPECT_EQ(walk_.status.drift.front().benchmark, "work");
  EXPECT_EQ(walk_.status.drift.front().span, "month");
  EXPECT_EQ(walk_.status.drift.front().anchor, "c0");
  EXPECT_NEAR(walk_.status.drift.front().cost_ratio, 1.006, 0.0015);
}

TEST_F(DriftWatchTest, MeasuresNoPointWhileNothingCouldComeOfIt) {
  for (int i = 0; i < 2; ++i) next_commit();
  ASSERT_EQ(points("month").size(), 1u);
  walk_.store->set_environment("quarantine", std::to_string(now_) + "\tgranite\tlinux\tother\n");
  steps_->clear();
  next_commit();
  EXPECT_EQ(points("month").size(), 1u);
  walk_.store->set_environment("quarantine", "");
  steps_->clear();
  spend_all();
  EXPECT_EQ(points("month").size(), 2u) << "it is made up for";
}

TEST_F(DriftWatchTest, BreaksTheSeriesWhereTheEnvironmentChanges) {
  note_environment(*walk_.store, "pebble", "kernel=6.1\n", now_);
  for (int i = 0; i < 3; ++i) next_commit();
  note_environment(*walk_.store, "pebble", "kernel=6.2\n", now_);
  const auto steps = spend_all();
  EXPECT_EQ(std::count(steps.begin(), steps.end(), Spent::compared_with_anchor), 2) << "the tip once more";
  ASSERT_EQ(points("month").size(), 3u);
  EXPECT_NE(points("month").back().environment, points("month").front().environment);
  EXPECT_EQ(points("month").back().commit, "c2");
}

class SteadyTest : public DriftWatchTest {
 protected:
  SteadyTest() : DriftWatchTest(0) {}
};

TEST_F(SteadyTest, RecordsNothingWhereNothingMoves) {
  while (walked_ < 11) next_commit();
  EXPECT_TRUE(walk_.records().empty());
  EXPECT_EQ(points("month").size(), 10u);
}

}  // namespace
}  // namespace tandem::daemon
