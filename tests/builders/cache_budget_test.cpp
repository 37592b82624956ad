#include <sys/stat.h>

#include <algorithm>

#include "builders/cache/budget.hpp"
#include "builders/cache/listing.hpp"
#include "cache_fixture.hpp"

namespace tandem::builders {
namespace {

class CacheBudget : public CacheTest {
 protected:
  CacheBudget() { write(built_ / "ballast", std::string(100'000, 'x')); }

  /// As if it was last used so many hours ago.
  static void used(const fs::path& place, int hours_ago) {
    fs::last_write_time(place / "last_used",
                        fs::file_time_type::clock::now() - std::chrono::hours(hours_ago));
  }

  static fs::path place_of(const Executable& executable) { return executable.directory.parent_path(); }

  Executable publish_used(char commit, int hours_ago) {
    Executable executable = publish(commit);
    used(place_of(executable), hours_ago);
    return executable;
  }

  Executable layout_used(const Executable& parent, std::uint64_t seed, int hours_ago) {
    Executable layout = std::get<Executable>(cache_.publish_layout(parent, seed, built_));
    used(place_of(layout), hours_ago);
    return layout;
  }

  std::uint64_t size() const {
    std::uint64_t bytes = 0;
    for (const StoredEntry& stored : list_entries(exec_dir_)) bytes += stored.bytes;
    for (const StoredDamage& damage : list_damaged(exec_dir_)) bytes += damage.bytes;
    return bytes;
  }

  static std::string commits(const Pruned& pruned) {
    std::string first_letters;
    for (const Dropped& one : pruned.dropped) {
      first_letters += one.what == Dropped::What::damaged  ? "!"
                       : one.what == Dropped::What::layout ? one.directory.filename().string().substr(15)
                                                           : one.commit.substr(0, 1);
    }
    return first_letters;
  }
};

TEST_F(CacheBudget, LeavesAloneWhatFits) {
  publish_used('a', 5);
  const Pruned pruned = prune(exec_dir_, size(), {});
  EXPECT_TRUE(pruned.dropped.empty());
  EXPECT_EQ(pruned.bytes_before, size());
  EXPECT_EQ(pruned.bytes_after, size());
  EXPECT_TRUE(cache_.find(entry_).executable);
}

TEST_F(CacheBudget, CountsBlocksOnDisk) {
  const Executable executable = publish('a');
  EXPECT_GE(size(), 100'000U);
  EXPECT_EQ(size() % 512, 0U);
  write(place_of(executable) / "sparse", "");
  fs::resize_file(place_of(executable) / "sparse", 1'000'000'000);
  EXPECT_LT(size(), 10'000'000U);
}

TEST_F(CacheBudget, DropsTheLeastRecentlyUsedFirst) {
  publish_used('a', 2);
  publish_used('b', 9);
  publish_used('c', 5);
  publish_used('d', 1);
  const std::uint64_t one = size() / 4;
  const Pruned pruned = prune(exec_dir_, size() - one - 1, {});
  EXPECT_EQ(commits(pruned), "bc");
  EXPECT_EQ(pruned.bytes_after, size());
  EXPECT_EQ(pruned.dropped.front().platform, "linux");
  EXPECT_FALSE(fs::exists(exec_dir_ / "framework/linux" / std::string(40, 'b'))) << "nor an empty directory";
  EXPECT_TRUE(fs::exists(exec_dir_ / "framework/linux" / std::string(40, 'a')));
  EXPECT_TRUE(fs::is_empty(exec_dir_ / "incoming"));
}

TEST_F(CacheBudget, CallsALookupAUse) {
  publish_used('a', 2);
  publish_used('b', 9);
  ASSERT_TRUE(cache_.find(entry_).executable);
  EXPECT_EQ(commits(prune(exec_dir_, size() - 1, {})), "a");
}

TEST_F(CacheBudget, DropsDamageThenLayoutsThenEntries) {
  const Executable a = publish_used('a', 9);
  const Executable b = publish_used('b', 1);
  layout_used(a, 1, 3);
  layout_used(b, 2, 8);
  layout_used(b, 3, 0);
  const Executable c = publish('c');
  fs::remove(place_of(c) / "manifest.json");
  EXPECT_FALSE(cache_.find(entry_).executable);
  EXPECT_EQ(commits(prune(exec_dir_, 0, {}, Pruning::rehearsal)), "!213ab");
  EXPECT_EQ(commits(prune(exec_dir_, size() - 1, {})), "!");
  EXPECT_EQ(commits(prune(exec_dir_, size() - 1, {})), "2");
  EXPECT_EQ(commits(prune(exec_dir_, 0, {})), "13ab");
  EXPECT_EQ(size(), 0U);
}

TEST_F(CacheBudget, NeverDropsEntriesOfCommitsThatAreNeeded) {
  const Executable a = publish_used('a', 9);
  layout_used(a, 1, 3);
  publish_used('b', 1);
  const Pruned pruned = prune(exec_dir_, 0, {std::string(40, 'a')});
  EXPECT_EQ(commits(pruned), "1b") << "a layout can be linked again";
  EXPECT_EQ(pruned.kept, 1U);
  EXPECT_GE(pruned.bytes_after, size()) << "the directory of the layouts is gone as well";
  EXPECT_TRUE(fs::exists(a.program));
}

TEST_F(CacheBudget, KeepsWhatIsNeededFromTheFirstEntryOn) {
  const Executable needed = publish_used('a', 9);
  const std::uint64_t one_entry = size();
  publish_used('b', 5);
  builders::CacheBudget budget(exec_dir_, 2 * one_entry, {needed.commit});
  budget.added(place_of(publish('c')));
  EXPECT_TRUE(fs::exists(needed.program)) << "though nobody has pruned yet";
  EXPECT_LE(size(), 2 * one_entry);
}

TEST_F(CacheBudget, SharedByTwoWatchesIsNotExceededByMoreThanOneEntry) {
  publish_used('a', 9);
  const std::uint64_t one_entry = size();
  builders::CacheBudget budget(exec_dir_, 3 * one_entry, {});
  std::uint64_t most = 0;
  for (const char commit : std::string("bcdef")) {
    for (const char* watch : {"one", "other"}) {
      entry_.framework = watch;
      const Executable added = publish(commit);
      most = std::max(most, size());
      budget.added(place_of(added));
      EXPECT_LE(size(), 3 * one_entry);
    }
  }
  EXPECT_LE(most, 4 * one_entry);
}

TEST_F(CacheBudget, NeverDropsWhatIsInUse) {
  const Executable a = publish_used('a', 9);
  const Executable first = layout_used(a, 1, 8);
  const Executable second = layout_used(a, 2, 7);
  {
    const auto held = cache_.pin(second);
    ASSERT_TRUE(held);
    const Pruned pruned = prune(exec_dir_, 0, {});
    EXPECT_EQ(commits(pruned), "1");
    EXPECT_EQ(pruned.in_use, 2U);
    EXPECT_TRUE(fs::exists(second.program));
    EXPECT_TRUE(fs::exists(a.program)) << "a layout holds its executable";
    EXPECT_FALSE(cache_.pin(first)) << "too late";
  }
  {
    const auto held = cache_.pin(a);
    EXPECT_EQ(commits(prune(exec_dir_, 0, {})), "2") << "an executable does not hold its layouts";
    EXPECT_TRUE(fs::exists(a.program));
  }
  EXPECT_EQ(commits(prune(exec_dir_, 0, {})), "a");
  EXPECT_FALSE(cache_.pin(a));
}

TEST_F(CacheBudget, TouchesNothingInARehearsal) {
  const Executable a = publish_used('a', 9);
  layout_used(a, 1, 8);
  const std::string before = fingerprint(exec_dir_);
  const Pruned pruned = prune(exec_dir_, 0, {}, Pruning::rehearsal);
  EXPECT_EQ(commits(pruned), "1a");
  EXPECT_EQ(pruned.bytes_after, 0U);
  EXPECT_EQ(commits(drop_commit(exec_dir_, "aaaaaaa", Pruning::rehearsal)), "a");
  EXPECT_EQ(fingerprint(exec_dir_), before);
}

TEST_F(CacheBudget, DropsOneCommitOnRequest) {
  const Executable a = publish_used('a', 1);
  layout_used(a, 1, 8);
  publish_used('b', 9);
  const Pruned pruned = drop_commit(exec_dir_, std::string(12, 'a'));
  EXPECT_EQ(commits(pruned), "a");
  EXPECT_EQ(pruned.bytes_after, size());
  EXPECT_EQ(list_entries(exec_dir_).size(), 1U);
  EXPECT_TRUE(drop_commit(exec_dir_, "ccccccc").dropped.empty());
}

TEST_F(CacheBudget, FindsEntriesWhoseNamesHaveASlash) {
  entry_.framework = "vendor/framework";
  entry_.platform = "linux/gcc-12";
  publish('a');
  const auto entries = list_entries(exec_dir_);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries.front().entry.framework, "vendor/framework");
  EXPECT_EQ(entries.front().entry.platform, "linux/gcc-12");
  EXPECT_EQ(commits(prune(exec_dir_, 0, {})), "a");
}

TEST_F(CacheBudget, FindsNothingWhereThereIsNoCache) {
  const fs::path nowhere = temporary_.path() / "nowhere";
  EXPECT_TRUE(prune(nowhere, 0, {}).dropped.empty());
  EXPECT_TRUE(list_entries(nowhere).empty());
  EXPECT_EQ(verify_entries(nowhere).entries, 0U);
  EXPECT_FALSE(fs::exists(nowhere));
}

}  // namespace
}  // namespace tandem::builders
