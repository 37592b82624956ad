// A walk that is stopped, or that loses its ground, at any of its calls ends in the same place when repeated.
#include <gtest/gtest.h>

#include "daemon/fake_history.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

using tests::at_call;
using tests::at_cost;
using tests::FakeWalk;
using Texts = std::vector<std::string>;

std::vector<tests::FakeCommit> history() {
  return {at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1)};
}

const Texts expected_verdicts = {"c0 work new", "c1 work slower against c0", "c2 work faster against c1"};
const Texts expected_records = {"regression fixed work c1 (c0..c1) 1.100 fixed by c2",
                                "improvement noted work c2 (c1..c2) 0.909"};

std::size_t calls_of_a_whole_walk() {
  FakeWalk walk(history());
  walk.examine();
  EXPECT_EQ(walk.verdicts(), expected_verdicts);
  EXPECT_EQ(walk.records(), expected_records);
  return walk.builder.calls.size() + walk.runner.calls.size();
}

void expect_the_same_end(const FakeWalk& walk) {
  EXPECT_EQ(walk.verdicts(), expected_verdicts);
  EXPECT_EQ(walk.records(), expected_records);
  EXPECT_EQ(walk.level(), "c2");
  EXPECT_EQ(walk.done(), (Texts{"c0", "c1", "c2"}));
}

/// Examines from the first commit that is not done.
void go_on(FakeWalk& walk) {
  for (std::size_t at = walk.done().size(); at < 3; ++at) EXPECT_TRUE(walk.examine_one(at));
}

TEST(Interruption, LosesNoSuspectWhoseOtherMetricsAreStored) {
  specs::Metric memory{"peak_memory", "B"};
  memory.tolerance = 0.05;
  const auto prepared = [&](FakeWalk& walk) { walk.runner.further = {{memory, 0.0}}; };
  FakeWalk whole(history());
  prepared(whole);
  whole.examine();
  EXPECT_EQ(whole.records(), expected_records);
  const std::size_t calls = whole.builder.calls.size() + whole.runner.calls.size();
  for (std::size_t number = 1; number <= calls; ++number) {
    SCOPED_TRACE(number);
    FakeWalk walk(history());
    prepared(walk);
    std::stop_source stop;
    at_call(walk, number, [&] { stop.request_stop(); });
    for (std::size_t at = 0; at < 3 && walk.examine_one(at, stop.get_token()); ++at) {
    }
    at_call(walk, 0, [] {});
    go_on(walk);
    EXPECT_EQ(walk.records(), expected_records);
  }
}

TEST(Interruption, StoppedAtAnyCallAndRestartedItEndsTheSame) {
  const std::size_t calls = calls_of_a_whole_walk();
  ASSERT_GT(calls, 80u);
  for (std::size_t number = 1; number <= calls; ++number) {
    SCOPED_TRACE(number);
    FakeWalk walk(history());
    std::stop_source stop;
    at_call(walk, number, [&] { stop.request_stop(); });
    for (std::size_t at = 0; at < 3 && walk.examine_one(at, stop.get_token()); ++at) {
    }
    EXPECT_TRUE(stop.stop_requested());
    EXPECT_LT(walk.done().size(), 3u);
    walk.restart();
    go_on(walk);
    expect_the_same_end(walk);
    if (HasFailure()) break;
  }
}

TEST(Interruption, StoppedAndGoingOnInTheSameProcessItEndsTheSame) {
  const std::size_t calls = calls_of_a_whole_walk();
  for (std::size_t number = 1; number <= calls; number += 3) {
    SCOPED_TRACE(number);
    FakeWalk walk(history());
    std::stop_source stop;
    at_call(walk, number, [&] { stop.request_stop(); });
    for (std::size_t at = 0; at < 3 && walk.examine_one(at, stop.get_token()); ++at) {
    }
    go_on(walk);
    expect_the_same_end(walk);
    if (HasFailure()) break;
  }
}

TEST(Interruption, BrokenGroundAtAnyCallCostsOneRepeatedStep) {
  const std::size_t calls = calls_of_a_whole_walk();
  for (std::size_t number = 1; number <= calls; number += 2) {
    SCOPED_TRACE(number);
    FakeWalk walk(history());
    at_call(walk, number, [] { throw Error("no descriptors left"); });
    EXPECT_THROW(walk.examine(), Error);
    EXPECT_LT(walk.done().size(), 3u);
    go_on(walk);
    expect_the_same_end(walk);
    if (HasFailure()) break;
  }
}

TEST(Interruption, AReportThatCannotBeWrittenStoresNothing) {
  FakeWalk walk(history());
  walk.examine({0});
  const auto reports = walk.directory.path() / "reports";
  std::filesystem::remove_all(reports);
  walk.publisher.publish_status("{}");
  std::filesystem::create_symlink("/dev/null", reports);
  EXPECT_THROW(walk.examine({1}), Error);
  EXPECT_TRUE(walk.records().empty());
  EXPECT_EQ(walk.level(), "");
  EXPECT_EQ(walk.done(), (Texts{"c0"}));
  std::filesystem::remove(reports);
  go_on(walk);
  expect_the_same_end(walk);
}

TEST(Interruption, WhatIsStoredIsNotMeasuredAgain) {
  FakeWalk walk({{"c0", {{"a", 1}, {"b", 1}}}, {"c1", {{"a", 1}, {"b", 1}}}});
  walk.examine({0});
  std::stop_source stop;
  // The first benchmark is decided; the stop comes in the second.
  walk.runner.before_call = [&] {
    if (walk.runner.calls.back().benchmark == "b") stop.request_stop();
  };
  EXPECT_FALSE(walk.examine_one(1, stop.get_token()));
  EXPECT_EQ(walk.verdicts(), (Texts{"c0 a new", "c0 b new", "c1 a unchanged against c0"}));
  walk.runner.before_call = nullptr;
  walk.runner.calls.clear();
  walk.restart();
  EXPECT_TRUE(walk.examine_one(1));
  for (const auto& call : walk.runner.launches()) EXPECT_EQ(call.benchmark, "b");
  EXPECT_EQ(walk.verdicts().size(), 4u);
}

}  // namespace
}  // namespace tandem::daemon
