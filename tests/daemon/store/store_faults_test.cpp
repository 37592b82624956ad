#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>

#include "daemon/store/store_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::store {
namespace {

namespace fs = std::filesystem;
using tests::Child;
using tests::sample_key;
using tests::sample_step;
using tests::thrown_message;

using StoreFaults = tests::StoreTest;

void require(bool truth, const std::string& what) {
  if (!truth) throw std::runtime_error(what);
}

/// Saves steps until one is refused, then checks that the refusal names the file and that all others are
/// there.
void fill_up(const fs::path& file) {
  Store store(file, Store::Mode::write);
  int saved = 0;
  std::string message = "nothing";
  while (message == "nothing" && saved < 10'000) {
    message = thrown_message([&] { store.save_step(sample_key, sample_step(saved + 1)); });
    if (message == "nothing") ++saved;
  }
  require(saved > 0, "not even one step was saved: " + message);
  require(message.find(file.string()) != std::string::npos, "the file is not named: " + message);
  require(store.records({}).size() == static_cast<std::size_t>(saved), "a record was lost or is too many");
  require(store.newest_verdicts(sample_key, 10'000).size() == static_cast<std::size_t>(saved),
          "a verdict was lost or is too many");
}

TEST_F(StoreFaults, AFileThatMayNotGrowIsAnErrorAndKeepsWhatItHas) {
  Child child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit most = {600'000, 600'000};
    require(::setrlimit(RLIMIT_FSIZE, &most) == 0, "no limit can be set");
    fill_up(file());
  });
  EXPECT_TRUE(child.succeeds());
  EXPECT_EQ(tests::ask_sqlite(file(), "PRAGMA integrity_check"), "ok");
  const std::size_t before = reader().records({}).size();
  EXPECT_GT(before, 0u);
  // With room again it goes on.
  Store store = writer();
  store.save_step(sample_key, sample_step(1'000'000));
  EXPECT_EQ(store.records({}).size(), before + 1);
}

TEST_F(StoreFaults, AFullDiskIsAnErrorAndKeepsWhatItHas) {
  const fs::path mount = directory_.path() / "small";
  fs::create_directory(mount);
  const fs::path skipped = directory_.path() / "skipped";
  Child child([&] {
    // A file system of the child's own; where that is not allowed there is no small disk to be had.
    if ((::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", mount.c_str(), "tmpfs", 0, "size=1m") != 0) {
      std::ofstream(skipped) << "no";
      return;
    }
    const fs::path full = mount / "tandem.db";
    fill_up(full);
    require(tests::ask_sqlite(full, "PRAGMA integrity_check") == "ok", "the file is damaged");
    const Store store(full, Store::Mode::read);
    require(!store.records({}).empty(), "what was saved is gone");
  });
  EXPECT_TRUE(child.succeeds());
  if (fs::exists(skipped)) GTEST_SKIP() << "no file system can be mounted here";
}

TEST_F(StoreFaults, WhatDoesNotFitIntoARowIsNoTroubleOfTheHost) {
  Store store = writer();
  store::StoredEvent event{"pebble", "step", "it failed", 1};
  store.add_event(event);
  tests::tell_sqlite(file(),
                     "CREATE TRIGGER refuse BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'no'); END");
  try {
    store.add_event(event);
    ADD_FAILURE() << "it was taken";
  } catch (const HostError& error) {
    ADD_FAILURE() << error.what();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(file().string()), std::string::npos);
  }
}

TEST_F(StoreFaults, GarbageInsteadOfAFileIsAnErrorThatNamesIt) {
  std::mt19937 random(5);
  std::string garbage;
  for (int i = 0; i < 100'000; ++i) garbage += static_cast<char>(random());
  std::ofstream(file(), std::ios::binary) << garbage;
  for (const auto mode : {Store::Mode::read, Store::Mode::write}) {
    EXPECT_THROW(Store(file(), mode), Error);
    const std::string message = thrown_message([&] { Store(file(), mode); });
    EXPECT_NE(message.find(file().string()), std::string::npos) << message;
    EXPECT_NE(message.find("not a database"), std::string::npos) << message;
  }
  std::ifstream stream(file(), std::ios::binary);
  EXPECT_TRUE(std::equal(garbage.begin(), garbage.end(), std::istreambuf_iterator<char>(stream)))
      << "the file was changed";
}

TEST_F(StoreFaults, DamagedPagesAreAnErrorOrTheTruthAndNeverACrash) {
  {
    Store store = writer();
    for (int i = 1; i <= 20; ++i) store.save_step(sample_key, sample_step(i));
  }
  const auto size = fs::file_size(file());
  std::mt19937 random(9);
  int refused = 0;
  for (int round = 0; round < 40; ++round) {
    const fs::path copy = directory_.path() / ("damaged" + std::to_string(round));
    fs::copy_file(file(), copy);
    {
      std::fstream stream(copy, std::ios::binary | std::ios::in | std::ios::out);
      stream.seekp(static_cast<std::streamoff>(100 + random() % (size - 2000)));
      for (int i = 0; i < 1500; ++i) stream.put(static_cast<char>(random()));
    }
    try {
      const Store store(copy, Store::Mode::read);
      EXPECT_LE(store.records({}).size(), 20u);
      static_cast<void>(store.newest_verdicts(sample_key, 100));
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(copy.string()), std::string::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
}

TEST_F(StoreFaults, ARecordThatCannotBeReadIsAnErrorThatNamesTheFile) {
  Store store = writer();
  store.save_step(sample_key, sample_step(1));
  tests::tell_sqlite(file(), "UPDATE record SET report = '{}'");
  EXPECT_THROW(static_cast<void>(store.records({})), Error);
  const std::string message = thrown_message([&] { static_cast<void>(store.record(tests::step_id(1))); });
  EXPECT_NE(message.find(file().string()), std::string::npos) << message;
  EXPECT_NE(message.find("\"schema\" is missing"), std::string::npos) << message;
  EXPECT_EQ(store.newest_verdicts(sample_key, 10).size(), 1u);
}

TEST_F(StoreFaults, ANewerFileIsRefusedWithASentenceAndLeftAlone) {
  static_cast<void>(writer());
  tests::tell_sqlite(file(), "PRAGMA user_version = 6");
  for (const auto mode : {Store::Mode::read, Store::Mode::write}) {
    EXPECT_THROW(Store(file(), mode), Error);
    EXPECT_EQ(
        thrown_message([&] { Store(file(), mode); }),
        file().string() +
            ": its format is version 6, and this program knows versions up to 5; use the newer program");
  }
  EXPECT_EQ(tests::ask_sqlite(file(), "PRAGMA user_version"), "6");
}

TEST_F(StoreFaults, AFileOfTheFirstVersionIsBroughtUpToDateWithAllItHolds) {
  writer().save_build(sample_key, {"a", true, {}, {}, {}, 7});
  tests::tell_sqlite(file(),
                     "DROP INDEX build_by_identity; ALTER TABLE build DROP COLUMN identity; "
                     "ALTER TABLE build DROP COLUMN last_lines; DROP TABLE calibration; " +
                         std::string(tests::without_fourth_step) + "PRAGMA user_version = 1");
  writer().save_build(sample_key, {"b", true, {}, {}, {}, 8, {}, "alike"});
  const Store store = reader();
  EXPECT_EQ(store.build(sample_key, "a")->at, 7);
  EXPECT_EQ(store.build(sample_key, "a")->identity, "");
  EXPECT_EQ(store.built_alike(sample_key, "alike"), std::vector<std::string>{"b"});
  EXPECT_TRUE(store.built_alike(sample_key, "").empty());
}

TEST_F(StoreFaults, AFileOfTheThirdVersionIsBroughtUpToDateWithAllItHolds) {
  writer().save_step(sample_key, sample_step(1));
  tests::tell_sqlite(file(), std::string(tests::without_fourth_step) + "PRAGMA user_version = 3");
  EXPECT_THROW(static_cast<void>(reader()), Error) << "a reader does not change the file";
  Store store = writer();
  EXPECT_EQ(tests::ask_sqlite(file(), "PRAGMA user_version"), "5");
  ASSERT_EQ(store.verdicts(sample_key, tests::step_commit(1)).size(), 1u);
  EXPECT_EQ(store.verdicts(sample_key, tests::step_commit(1)).front().definition.spec, "");
  EXPECT_EQ(store.records({}).size(), 1u);
  EXPECT_EQ(tests::ask_sqlite(file(), "SELECT count(*) FROM sqlite_master WHERE name = 'level'"), "0")
      << "it follows from the records";
  EXPECT_EQ(store.environment("kernel"), std::nullopt);
  EXPECT_TRUE(store.newest_requests(1).empty());
  EXPECT_TRUE(store.points(sample_key, "softmax/1000", "time", "week").empty());
  EXPECT_EQ(store.screen_counts(0).null_screens, 0u);
  store.save_step(sample_key, sample_step(2));
  EXPECT_NE(store.verdicts(sample_key, tests::step_commit(2)).front().definition.spec, "");
}

TEST_F(StoreFaults, ARecordOfAnEarlierVersionIsReadAndListedByItsState) {
  Store store = writer();
  store.save_step(sample_key, sample_step(1));
  tests::tell_sqlite(
      file(),
      "UPDATE record SET report = json_remove(report, '$.margin_why', '$.search', '$.remaining', "
      "'$.q_value', '$.retests', '$.sightings', '$.culprit.patch')");
  ASSERT_EQ(store.living().size(), 1u);
  EXPECT_EQ(store.living().front().q_value, 1);
  EXPECT_EQ(store.records({{}, {}, {}, RecordState::open}).size(), 1u);
}

TEST_F(StoreFaults, AnSqliteFileOfSomethingElseIsRefusedAndLeftAlone) {
  tests::tell_sqlite(file(), "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (7)");
  for (const auto mode : {Store::Mode::read, Store::Mode::write}) {
    EXPECT_THROW(Store(file(), mode), Error);
  }
  tests::tell_sqlite(file(), "PRAGMA user_version = 1");
  for (const auto mode : {Store::Mode::read, Store::Mode::write}) {
    EXPECT_THROW(Store(file(), mode), Error);
  }
  EXPECT_EQ(tests::ask_sqlite(file(), "SELECT a FROM theirs"), "7");
  EXPECT_EQ(tests::ask_sqlite(file(), "SELECT count(*) FROM sqlite_master"), "1");
}

TEST_F(StoreFaults, AnEmptyFileIsFilledByAWriterAndRefusedToAReader) {
  std::ofstream(file()).close();
  EXPECT_THROW(static_cast<void>(reader()), Error);
  writer().set_done(sample_key, "a", 1);
  EXPECT_EQ(reader().last_done(sample_key), "a");
}

TEST_F(StoreFaults, AMissingDirectoryIsAnErrorThatNamesTheFile) {
  const fs::path lost = directory_.path() / "nowhere" / "tandem.db";
  const std::string message = thrown_message([&] { Store(lost, Store::Mode::write); });
  EXPECT_NE(message.find(lost.string()), std::string::npos) << message;
}

}  // namespace
}  // namespace tandem::daemon::store
