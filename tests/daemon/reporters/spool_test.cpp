#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "daemon/harness/remote.hpp"
#include "specs/foundation/error.hpp"
#include "tests/daemon/reporters/sample_run.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tandem::daemon::harness {
namespace {

using Names = std::vector<std::string>;
using Time = std::chrono::system_clock::time_point;

Time at(std::int64_t microseconds) {
  return Time(std::chrono::microseconds(microseconds));
}

TEST(Spool, KeepsTextsOldestFirst) {
  const tests::TemporaryDirectory home;
  const Spool spool(home.path() / "deep/spool", 10);
  EXPECT_TRUE(spool.waiting().empty());
  spool.add(at(1'700'000'000'000'002), "b", "second");
  spool.add(at(1'700'000'000'000'001), "z", "first");
  spool.add(at(1'700'000'001'000'000), "../a", "third");
  const auto waiting = spool.waiting();
  ASSERT_EQ(waiting.size(), 3u);
  EXPECT_EQ(waiting[0].filename(), "20231114T221320Z-000001-z.json");
  EXPECT_EQ(Spool::read(waiting[0]), "first");
  EXPECT_EQ(Spool::read(waiting[1]), "second");
  EXPECT_EQ(Spool::read(waiting[2]), "third");
  spool.remove(waiting[0]);
  EXPECT_EQ(spool.waiting().front(), waiting[1]);
}

TEST(Spool, KeepsOneRunOnce) {
  const tests::TemporaryDirectory home;
  const Spool spool(home.path(), 1);
  spool.add(at(5), "a", "one");
  spool.add(at(5), "a", "one again");
  ASSERT_EQ(spool.waiting().size(), 1u);
  EXPECT_EQ(Spool::read(spool.waiting()[0]), "one again");
}

TEST(Spool, RefusesTheNewestWhenItIsFull) {
  const tests::TemporaryDirectory home;
  const Spool spool(home.path(), 2);
  spool.add(at(1), "a", "");
  spool.add(at(2), "b", "");
  try {
    spool.add(at(0), "c", "");
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("2 results wait in ")) << error.what();
  }
  EXPECT_EQ(spool.waiting().size(), 2u);
}

TEST(Spool, PutsAsideWhatIsNotToWait) {
  const tests::TemporaryDirectory home;
  const Spool spool(home.path(), 2);
  spool.add(at(1), "a", "text");
  spool.put_aside(spool.waiting()[0], ".bad");
  EXPECT_TRUE(spool.waiting().empty());
  EXPECT_EQ(names_in(home.path()), Names{"19700101T000000Z-000001-a.json.bad"});
}

TEST(Spool, KeepsNoMoreThanAThousandAside) {
  const tests::TemporaryDirectory home;
  const Spool spool(home.path(), 2);
  for (int i = 0; i < 1002; ++i)
    std::ofstream(home.path() /
                  fmt::format("19700101T000000Z-{:06}-a.json.{}", i, i % 2 == 0 ? "bad" : "refused"));
  spool.add(at(1002), "a", "");
  spool.put_aside(spool.waiting()[0], ".bad");
  const Names names = names_in(home.path());
  EXPECT_EQ(names.size(), 1000u);
  EXPECT_EQ(names.front(), "19700101T000000Z-000003-a.json.refused");
}

TEST(Spool, IgnoresWhatIsBeingWritten) {
  const tests::TemporaryDirectory home;
  const Spool spool(home.path(), 2);
  spool.add(at(1), "a", "text");
  std::filesystem::copy(spool.waiting()[0], home.path() / ".new-1-2-3.json");
  EXPECT_EQ(spool.waiting().size(), 1u);
}

}  // namespace
}  // namespace tandem::daemon::harness
