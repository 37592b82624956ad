#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

#include "daemon/harness/result_files.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "tests/daemon/reporters/sample_run.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tandem::daemon::harness {
namespace {

TEST(AppendedLines, ComeAfterOneHeading) {
  const tests::TemporaryDirectory home;
  const auto file = home.path() / "deep/er/results.csv";
  append_lines(file, "1\n", "number\n");
  append_lines(file, "2\n3\n", "number\n");
  EXPECT_EQ(content(file), "number\n1\n2\n3\n");
}

TEST(AppendedLines, EndALineThatACrashCutOff) {
  const tests::TemporaryDirectory home;
  const auto file = home.path() / "results.jsonl";
  std::ofstream(file) << "{}\n{\"id\":";
  append_lines(file, "{}\n", "");
  EXPECT_EQ(content(file), "{}\n{\"id\":\n{}\n");
}

TEST(AppendedLines, AreRefusedUnderOtherColumns) {
  const tests::TemporaryDirectory home;
  const auto file = home.path() / "results.csv";
  std::ofstream(file) << "some,one,else's\n";
  try {
    append_lines(file, "1\n", "number\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("results.csv begins with other columns"), std::string::npos);
  }
  EXPECT_EQ(content(file), "some,one,else's\n");
}

TEST(AppendedLines, OfSeveralProcessesDoNotMix) {
  const tests::TemporaryDirectory home;
  const auto file = home.path() / "results.csv";
  std::vector<pid_t> writers;
  for (const char letter : {'a', 'b', 'c', 'd'}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      // Longer than a page, so that a write without lock could be cut by another.
      for (int i = 0; i < 50; ++i) append_lines(file, std::string(20'000, letter) + "\n", "letters\n");
      ::_exit(0);
    }
    writers.push_back(child);
  }
  for (const pid_t writer : writers) {
    int status = -1;
    ASSERT_EQ(::waitpid(writer, &status, 0), writer);
    EXPECT_EQ(status, 0);
  }
  std::istringstream lines(content(file));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "letters");
  int count = 0;
  for (; std::getline(lines, line); ++count) {
    ASSERT_EQ(line.size(), 20'000u);
    ASSERT_EQ(std::count(line.begin(), line.end(), line.front()), 20'000);
  }
  EXPECT_EQ(count, 200);
}

TEST(AppendedLines, AreAllOrNoneWhenTheDiskIsFull) {
  const tests::TemporaryDirectory home;
  const auto file = home.path() / "results.csv";
  append_lines(file, "1\n", "number\n");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      append_lines(file, std::string(500, '2') + "\n", "number\n");
    } catch (const Error&) {
      ::_exit(42);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_EQ(content(file), "number\n1\n");
}

TEST(ReplacedFile, LeavesNothingBesideIt) {
  const tests::TemporaryDirectory home;
  write_by_rename(home.path() / "a", "one");
  write_by_rename(home.path() / "a", "two");
  EXPECT_EQ(content(home.path() / "a"), "two");
  EXPECT_EQ(names_in(home.path()), std::vector<std::string>{"a"});
}

TEST(ReplacedFile, ThatCannotBeReplacedLeavesNothingEither) {
  const tests::TemporaryDirectory home;
  std::filesystem::create_directories(home.path() / "a/in_the_way");
  EXPECT_THROW(write_by_rename(home.path() / "a", "one"), Error);
  EXPECT_EQ(names_in(home.path()), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace tandem::daemon::harness
