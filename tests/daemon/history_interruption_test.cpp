// A rich history that is stopped at any of its calls and taken up again tells the same.
#include <gtest/gtest.h>

#include "daemon/fake_history.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

using tests::at_call;
using tests::FakeCommit;
using tests::FakeWalk;
using Texts = std::vector<std::string>;

constexpr std::size_t commits = 6;

FakeCommit commit_of(std::string id, double a, double b, double size) {
  FakeCommit commit;
  commit.id = std::move(id);
  commit.costs = {{"a", a}, {"b", b}};
  commit.beside = {{"size", size}};
  return commit;
}

/// Two benchmarks and a size, a commit that does not build, a partial fix, and news at the tip.
std::vector<FakeCommit> history() {
  std::vector<FakeCommit> all = {commit_of("c0", 1, 1, 1000),     commit_of("c1", 1.2, 1.1, 1000),
                                 commit_of("c2", 1.2, 1.1, 1000), commit_of("c3", 1.08, 1.1, 1000),
                                 commit_of("c4", 1.08, 1, 1000),  commit_of("c5", 1, 1, 1500)};
  all[2].fate = FakeCommit::Fate::does_not_build;
  return all;
}

void prepare(FakeWalk& walk) {
  specs::Metric size{"size", "B"};
  size.tolerance = 0.01;
  walk.rules = {{"size", size}};
}

const Texts expected = {"improvement noted a c3 (c1..c3) 0.900 or c2",
                        "improvement noted a c5 (c4..c5) 0.926",
                        "improvement noted b c4 (c3..c4) 0.909",
                        "regression fixed a c1 (c0..c1) 1.200 fixed by c5",
                        "regression fixed b c1 (c0..c1) 1.100 fixed by c4",
                        "regression open a size c5 (c4..c5) 1.500",
                        "regression open b size c5 (c4..c5) 1.500"};

Texts sorted(Texts texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::size_t calls_of_a_whole_walk() {
  FakeWalk walk(history());
  prepare(walk);
  walk.examine();
  EXPECT_EQ(sorted(walk.records()), expected);
  return walk.builder.calls.size() + walk.runner.calls.size();
}

void go_on(FakeWalk& walk) {
  for (std::size_t at = walk.done().size(); at < commits; ++at) EXPECT_TRUE(walk.examine_one(at));
}

TEST(InterruptedHistory, StoppedAtAnyCallItTellsTheSame) {
  const std::size_t calls = calls_of_a_whole_walk();
  for (std::size_t number = 1; number <= calls; number += 3) {
    SCOPED_TRACE(number);
    FakeWalk walk(history());
    prepare(walk);
    std::stop_source stop;
    at_call(walk, number, [&] { stop.request_stop(); });
    for (std::size_t at = 0; at < commits && walk.examine_one(at, stop.get_token()); ++at) {
    }
    walk.restart();
    go_on(walk);
    EXPECT_EQ(sorted(walk.records()), expected);
    if (HasFailure()) break;
  }
}

TEST(InterruptedHistory, WithoutGroundAtAnyCallItTellsTheSame) {
  const std::size_t calls = calls_of_a_whole_walk();
  for (std::size_t number = 2; number <= calls; number += 3) {
    SCOPED_TRACE(number);
    FakeWalk walk(history());
    prepare(walk);
    at_call(walk, number, [] { throw Error("no descriptors left"); });
    EXPECT_THROW(walk.examine(), Error);
    walk.restart();
    go_on(walk);
    EXPECT_EQ(sorted(walk.records()), expected);
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace tandem::daemon
