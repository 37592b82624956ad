#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "specs/benchmark/spec.hpp"
#include "support/paths.hpp"
#include "tests/specs/example/example_history.hpp"
#include "tests/specs/example/instruction_count.hpp"
#include "tests/specs/example/two_at_a_time.hpp"

namespace tandem::specs::example {

namespace {

namespace fs = std::filesystem;

const std::string broken = "net: Let the caller choose the activation";
const std::string speed_up = "conv2d: Find the taps inside the image once per pixel";
const std::string slowdown = "softmax: Refuse input that has overflowed";
const std::string fix = "softmax: Leave the look for overflows to the caller";
/// Commits that change nothing that is built.
const std::vector<std::string> no_code = {"tensor: Say how the elements lie in memory",
                                          "tests: Check the convolution",
                                          "README: Say what is checked and what is not"};

const std::vector<std::string> benchmarks = {"matmul/48", "conv2d/3x3", "softmax/1000", "net/two_layers"};

std::chrono::sys_days monday_of(const Commit& commit) {
  const auto day = std::chrono::floor<std::chrono::days>(commit.committed);
  return day - (std::chrono::weekday{day} - std::chrono::Monday);
}

/// The last commit before this place that builds.
std::size_t building_before(std::size_t place) {
  const auto& commits = History::shared().commits();
  do --place;
  while (commits.at(place).bytes.empty());
  return place;
}

/// Instructions of every commit that builds, by its place; equal executables are counted once.
const std::map<std::size_t, InstructionCounts>& instructions() {
  static const auto counted = [] {
    const auto& commits = History::shared().commits();
    std::map<std::string, InstructionCounts> by_bytes;
    std::vector<const Commit*> different;
    for (const auto& commit : commits) {
      if (!commit.bytes.empty() && by_bytes.try_emplace(commit.bytes).second) different.push_back(&commit);
    }
    two_at_a_time(different.size(), [&](std::size_t i) {
      by_bytes.at(different[i]->bytes) = count_instructions(different[i]->executable, benchmarks);
    });
    std::map<std::size_t, InstructionCounts> by_place;
    for (std::size_t i = 0; i < commits.size(); ++i) {
      if (!commits[i].bytes.empty()) by_place[i] = by_bytes.at(commits[i].bytes);
    }
    return by_place;
  }();
  return counted;
}

/// Instructions of this commit, divided by those of the commit at `control`.
double ratio(std::size_t control, std::size_t treatment, const std::string& benchmark) {
  return instructions().at(treatment).at(benchmark) / instructions().at(control).at(benchmark);
}

double ratio_to_parent(const std::string& subject, const std::string& benchmark) {
  const auto place = History::shared().place(subject);
  return ratio(building_before(place), place, benchmark);
}

TEST(ExampleHistory, IsOneLineOfAtLeastTwelveCommits) {
  const auto& commits = History::shared().commits();
  ASSERT_GE(commits.size(), 12U);
  EXPECT_EQ(commits.front().parents, "");
  for (std::size_t i = 1; i < commits.size(); ++i) {
    EXPECT_EQ(commits[i].parents, commits[i - 1].id) << commits[i].subject;
    EXPECT_GT(commits[i].committed, commits[i - 1].committed) << commits[i].subject;
  }
}

TEST(ExampleHistory, SpansTwoWeeksAndTheSecondBeginsWithTheSlowdown) {
  const auto& history = History::shared();
  const auto& commits = history.commits();
  const auto first_week = monday_of(commits.front());
  const auto slow = history.place(slowdown);
  for (std::size_t i = 0; i < commits.size(); ++i) {
    EXPECT_EQ(monday_of(commits[i]), first_week + (i < slow ? 0 : 7) * std::chrono::days{1})
        << commits[i].subject;
  }
}

TEST(ExampleHistory, HasTheSameCommitsWhateverTheCallersSettings) {
  const auto& history = History::shared();
  const auto again = history.directory() / "again";
  const auto made = make_history(
      again, {"TZ=Asia/Tokyo", "GIT_AUTHOR_NAME=Somebody", "GIT_DEFAULT_HASH=sha256", "GIT_CONFIG_COUNT=1",
              "GIT_CONFIG_KEY_0=core.autocrlf", "GIT_CONFIG_VALUE_0=true", "GIT_DIR=/nonexistent"});
  ASSERT_TRUE(made.succeeded()) << made.errors;
  EXPECT_EQ(run({"git", "-C", again.string(), "rev-parse", "main"}).output,
            history.commits().back().id + "\n");
  EXPECT_EQ(run({"git", "-C", again.string(), "status", "--porcelain"}).output, "");
}

TEST(ExampleHistory, IsNotWrittenOverOtherFiles) {
  const auto& history = History::shared();
  const auto made = make_history(history.tree(history.commits().front()));
  EXPECT_EQ(made.how, runners::Finished::How::exited);
  EXPECT_EQ(made.code, 2);
}

TEST(ExampleBuild, FailsForTheCommitWithoutItsHeaderOnly) {
  for (const auto& commit : History::shared().commits()) {
    EXPECT_EQ(commit.build.how, runners::Finished::How::exited) << commit.subject;
    if (commit.subject == broken) {
      EXPECT_NE(commit.build.code, 0);
      EXPECT_NE(commit.build.errors.find("activation.hpp"), std::string::npos) << commit.build.errors;
      EXPECT_FALSE(fs::exists(commit.executable));
    } else {
      EXPECT_EQ(commit.build.code, 0) << commit.subject << "\n" << commit.build.errors;
      EXPECT_FALSE(commit.bytes.empty()) << commit.subject;
    }
  }
}

TEST(ExampleBuild, GivesTheParentsBytesWhereNoCodeChanges) {
  const auto& history = History::shared();
  for (std::size_t i = 1; i < history.commits().size(); ++i) {
    const auto& commit = history.commits()[i];
    if (commit.bytes.empty()) continue;
    const bool expected = std::find(no_code.begin(), no_code.end(), commit.subject) != no_code.end();
    EXPECT_EQ(commit.bytes == history.commits()[building_before(i)].bytes, expected) << commit.subject;
  }
}

TEST(ExampleBuild, DoesNotDependOnWhereTheSourcesLie) {
  const auto& history = History::shared();
  const auto& commit = history.commits().back();
  const auto elsewhere = history.directory() / "a longer path" / "with the same sources";
  fs::create_directories(elsewhere.parent_path());
  fs::copy(history.tree(commit), elsewhere, fs::copy_options::recursive);
  const auto executable = history.directory() / "built elsewhere";
  const auto built = build(elsewhere, executable);
  ASSERT_TRUE(built.succeeded()) << built.errors;
  EXPECT_TRUE(read(executable) == commit.bytes);
}

TEST(ExampleLibrary, AgreesWithItsDefinitions) {
  const auto& history = History::shared();
  const auto check = (history.directory() / "check").string();
  const auto tree = history.tree(history.commits().back()).string();
  const auto built =
      run({"sh", "-c",
           "cd \"$0\" && c++ -std=c++17 -O1 -Wall -Wextra -Werror -Iinclude tests/check.cpp src/*.cpp "
           "-o \"$1\"",
           tree, check});
  ASSERT_TRUE(built.succeeded()) << built.errors;
  const auto checked = run({check});
  EXPECT_TRUE(checked.succeeded()) << checked.output;
}

TEST(ExampleLibrary, ListsTheBenchmarksThatItsSpecLeavesToIt) {
  const auto loaded = load_benchmarks(fs::path(tests::paths::source) / "specs/benchmarks/example.json");
  ASSERT_EQ(loaded.benchmarks.size(), 1U);
  EXPECT_TRUE(loaded.ignored.empty());
  EXPECT_EQ(loaded.benchmarks.front().protocol, Protocol::sdk);
  EXPECT_EQ(loaded.benchmarks.front().commands, std::vector<std::string>{"{program}"});
  std::string expected;
  for (const auto& benchmark : benchmarks) expected += benchmark + "\n";
  EXPECT_EQ(run({History::shared().commits().back().executable.string(), "--list"}).output, expected);
}

TEST(ExampleInstructions, GrowByAboutEightPercentInTheSlowedOperator) {
  EXPECT_GE(ratio_to_parent(slowdown, "softmax/1000"), 1.06);
  EXPECT_LE(ratio_to_parent(slowdown, "softmax/1000"), 1.12);
}

TEST(ExampleInstructions, AreUntouchedByTheSlowdownInTheOtherBenchmarks) {
  for (const auto& benchmark : benchmarks) {
    if (benchmark == "softmax/1000") continue;
    EXPECT_NEAR(ratio_to_parent(slowdown, benchmark), 1, 0.005) << benchmark;
  }
}

TEST(ExampleInstructions, AreBackAfterTheFix) {
  const auto& history = History::shared();
  const auto before = building_before(history.place(slowdown));
  EXPECT_NEAR(ratio(before, history.place(fix), "softmax/1000"), 1, 0.01);
}

TEST(ExampleInstructions, FallByTheSpeedUp) {
  EXPECT_LE(ratio_to_parent(speed_up, "conv2d/3x3"), 0.9);
}

TEST(ExampleInstructions, StayWithinOnePercentEverywhereElse) {
  const auto& commits = History::shared().commits();
  for (std::size_t i = 1; i < commits.size(); ++i) {
    if (commits[i].bytes.empty()) continue;
    for (const auto& benchmark : benchmarks) {
      const bool planted = benchmark == "softmax/1000"
                               ? commits[i].subject == slowdown || commits[i].subject == fix
                               : benchmark == "conv2d/3x3" && commits[i].subject == speed_up;
      if (planted) continue;
      EXPECT_NEAR(ratio(building_before(i), i, benchmark), 1, 0.01)
          << commits[i].subject << ", " << benchmark;
    }
  }
}

}  // namespace

}  // namespace tandem::specs::example
