#include <gtest/gtest.h>

#include <fstream>

#include "daemon/store/schema.hpp"
#include "store_fixture.hpp"

namespace tandem::daemon::store {
namespace {

using Upkeep = tests::StoreTest;
const WatchKey& key = tests::sample_key;

/// A store with so many examined commits "c0", "c1", …, each with a build and a verdict.
void fill(Store& store, int commits) {
  for (int i = 0; i < commits; ++i) {
    const std::string commit = "c" + std::to_string(i);
    store.save_build(key, {commit, true, "", "", "", i, "", "same"});
    store.save_step(key, {tests::sample_verdict(commit, "softmax"), {}});
    store.set_done(key, commit, i);
  }
}

Keeping keeping(int commits) {
  Keeping kept;
  for (int i = 0; i < commits; ++i) kept.line.push_back("c" + std::to_string(i));
  return kept;
}

TEST_F(Upkeep, DropsVerdictsAndBuildsOfOldCommitsAndKeepsWhatIsNeeded) {
  Store store = writer();
  fill(store, 20);
  Keeping kept = keeping(20);
  kept.commits = 5;
  kept.samples = 2;
  kept.logs = 3;
  kept.needed = {"c1", "c7"};
  const auto logs = store.forget_old(key, kept);
  EXPECT_EQ(logs.size(), 17U);
  EXPECT_FALSE(logs.contains("c19"));
  for (const int i : {1, 7, 15, 19}) {
    const std::string commit = "c" + std::to_string(i);
    EXPECT_TRUE(store.build(key, commit)) << commit;
    EXPECT_EQ(store.verdicts(key, commit).size(), 1U) << commit;
  }
  for (const int i : {0, 2, 14}) {
    const std::string commit = "c" + std::to_string(i);
    EXPECT_FALSE(store.build(key, commit)) << commit;
    EXPECT_TRUE(store.verdicts(key, commit).empty()) << commit;
  }
  EXPECT_FALSE(store.verdicts(key, "c1")[0].history.launches.empty());
  EXPECT_FALSE(store.verdicts(key, "c18")[0].history.launches.empty());
  const auto old = store.verdicts(key, "c17")[0];
  EXPECT_TRUE(old.history.launches.empty());
  EXPECT_EQ(old.history.settings.max_launches,
            tests::sample_verdict("c17", "softmax").history.settings.max_launches);
  EXPECT_EQ(store.done(key).size(), 20U) << "a walk must not begin anew";
  EXPECT_EQ(store.size().verdicts, 7U);
}

TEST_F(Upkeep, LeavesOtherWatchesAlone) {
  Store store = writer();
  fill(store, 5);
  store.save_step({"other", "linux"}, {tests::sample_verdict("d", "softmax"), {}});
  Keeping kept = keeping(5);
  kept.commits = 1;
  static_cast<void>(store.forget_old(key, kept));
  EXPECT_EQ(store.verdicts({"other", "linux"}, "d").size(), 1U);
  EXPECT_EQ(store.verdicts(key, "c4").size(), 1U);
}

TEST_F(Upkeep, GivesRoomBackWhenItPays) {
  Store store = writer();
  EXPECT_FALSE(store.compact()) << "there is nothing to give back";
  for (int i = 0; i < 40; ++i) {
    store.save_build(key,
                     {"c" + std::to_string(i), false, "source", "", "", i, std::string(500'000, 'x'), ""});
  }
  Keeping kept = keeping(40);
  kept.commits = 1;
  static_cast<void>(store.forget_old(key, kept));
  const auto before = store.size();
  EXPECT_GT(before.free_bytes, std::uint64_t{10} << 20U);
  EXPECT_TRUE(store.compact());
  EXPECT_LT(store.size().bytes, before.bytes / 2);
  EXPECT_TRUE(store.build(key, "c39"));
}

TEST_F(Upkeep, RemembersWhenACommitFromTheFutureWasFirstSeen) {
  Store store = writer();
  store.note_future_commits({"a", "b"}, 100);
  store.note_future_commits({"b", "c"}, 200);
  EXPECT_EQ(store.future_commits(),
            (std::map<std::string, std::int64_t>{{"a", 100}, {"b", 100}, {"c", 200}}));
}

TEST_F(Upkeep, HasAnIdThatStaysAndIsNoOthers) {
  const std::string id = writer().id();
  EXPECT_EQ(id.size(), 32U);
  EXPECT_EQ(writer().id(), id);
  const Store other(directory_.path() / "other.db", Store::Mode::write);
  EXPECT_NE(other.id(), id);
}

TEST_F(Upkeep, TellsADamagedFileFromASoundOne) {
  {
    Store store = writer();
    fill(store, 200);
    EXPECT_EQ(store.check(std::chrono::minutes{1}), Store::Soundness::sound);
  }
  EXPECT_EQ(tests::ask_sqlite(file(), "PRAGMA wal_checkpoint(TRUNCATE)"), "0");
  {
    std::fstream damaged(file(), std::ios::in | std::ios::out | std::ios::binary);
    for (int page = 8; page < 40; ++page) {
      damaged.seekp(page * 4096L);
      damaged << std::string(64, 'x');
    }
  }
  EXPECT_THROW(static_cast<void>(writer().check(std::chrono::minutes{1})), DamagedStore);
  std::ofstream(file(), std::ios::binary) << "this is a letter, and a rather long one at that";
  EXPECT_THROW(static_cast<void>(writer()), DamagedStore);
}

TEST_F(Upkeep, KnowsAStoreByItsMarkAlsoWhileThatIsInTheLogOnly) {
  EXPECT_FALSE(is_store_file(file())) << "there is none";
  const Store open = writer();
  EXPECT_TRUE(is_store_file(file()));
  const auto foreign = directory_.path() / "foreign.db";
  tests::tell_sqlite(foreign, "CREATE TABLE letter (text TEXT)");
  EXPECT_FALSE(is_store_file(foreign));
  std::ofstream(directory_.path() / "empty.db");
  EXPECT_FALSE(is_store_file(directory_.path() / "empty.db"));
}

}  // namespace
}  // namespace tandem::daemon::store
