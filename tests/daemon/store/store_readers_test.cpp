#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/store_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::store {
namespace {

using tests::Child;
using tests::sample_key;
using tests::sample_step;

using StoreReaders = tests::StoreTest;

TEST_F(StoreReaders, SayThatThereIsNoFileAndMakeNone) {
  EXPECT_THROW(static_cast<void>(reader()), InputError);
  EXPECT_NE(tests::thrown_message([&] { static_cast<void>(reader()); }).find(file().string()),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(StoreReaders, MayNotWrite) {
  static_cast<void>(writer());
  Store store = reader();
  EXPECT_THROW(store.set_done(sample_key, "a", 1), Error);
  EXPECT_THROW(store.add_event({"w", "k", "s", 1}), Error);
  EXPECT_EQ(store.last_done(sample_key), std::nullopt);
}

TEST_F(StoreReaders, SeeWhatWasCommittedWhileAnotherWriteIsOpen) {
  Store writing = writer();
  writing.save_step(sample_key, sample_step(1));
  const Store open_before = reader();

  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &connection), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(connection, "BEGIN IMMEDIATE; UPDATE verdict SET note = 'unfinished'; DELETE FROM record;",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  const Store opened_during = reader();
  for (const Store* store : {&open_before, &opened_during}) {
    EXPECT_EQ(store->records({}).size(), 1u);
    EXPECT_NE(store->newest_verdicts(sample_key, 1).front().note, "unfinished");
  }
  ASSERT_EQ(sqlite3_exec(connection, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_TRUE(open_before.records({}).empty());
  EXPECT_EQ(opened_during.newest_verdicts(sample_key, 1).front().note, "unfinished");
  sqlite3_close(connection);
}

TEST_F(StoreReaders, ReadWholeStepsWhileAnotherProcessWrites) {
  constexpr int steps = 150;
  static_cast<void>(writer());
  Child child([&] {
    Store store = writer();
    for (int i = 1; i <= steps; ++i) store.save_step(sample_key, sample_step(i));
  });
  const Store kept = reader();
  std::size_t seen = 0;
  while (seen < steps) {
    const Store fresh = reader();
    const std::size_t verdicts = kept.newest_verdicts(sample_key, steps + 1).size();
    const auto records = fresh.records({});
    const auto newest = kept.newest_verdicts(sample_key, 1);
    // Asked one after the other while the writer goes on, each answer knows at least what the one before
    // knew.
    ASSERT_GE(verdicts, seen);
    ASSERT_GE(records.size(), verdicts);
    for (std::size_t i = 0; i < records.size(); ++i) {
      ASSERT_EQ(records[i].id, tests::step_id(static_cast<int>(i) + 1));
    }
    if (!records.empty()) {
      ASSERT_GE(newest.front().commit, tests::step_commit(static_cast<int>(records.size())));
    }
    seen = verdicts;
  }
  EXPECT_TRUE(child.succeeds());
}

TEST_F(StoreReaders, WithoutRightsInTheDirectoryReadWhatAWriterLeft) {
  writer().set_done(sample_key, "a", 1);
  // A reader that could clean up after the writer must not do so.
  EXPECT_EQ(reader().last_done(sample_key), "a");
  const auto rights = [&](mode_t directory) { ASSERT_EQ(::chmod(directory_.path().c_str(), directory), 0); };
  rights(0555);
  Child child([&] {
    // For root the rights of the directory would mean nothing.
    if (::getuid() == 0 && ::setuid(65534) != 0) throw std::runtime_error("cannot become another user");
    if (::access(directory_.path().c_str(), W_OK) == 0) throw std::runtime_error("the directory is writable");
    if (reader().last_done(sample_key) != "a") throw std::runtime_error("the store is not read");
  });
  EXPECT_TRUE(child.succeeds());
  rights(0755);
}

}  // namespace
}  // namespace tandem::daemon::store
