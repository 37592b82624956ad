#include "builders/work_slot.hpp"

#include <optional>

#include "git_fixture.hpp"

namespace tandem::builders {
namespace {

TEST(WorkSlot, IsTheSamePathEachTimeAndEmpty) {
  const TemporaryDirectory state;
  fs::path first;
  {
    const WorkSlot slot(state.path());
    first = slot.path();
    write(slot.path() / "left", "over");
  }
  EXPECT_FALSE(fs::exists(first));
  write(first / "of a killed build", "x");
  const WorkSlot slot(state.path());
  EXPECT_EQ(slot.path(), first);
  EXPECT_TRUE(fs::is_empty(slot.path()));
}

TEST(WorkSlot, GivesASecondUserAnotherPathOfTheSameLength) {
  const TemporaryDirectory state;
  const WorkSlot one(state.path());
  const WorkSlot other(state.path());
  EXPECT_NE(one.path(), other.path());
  EXPECT_EQ(one.path().string().size(), other.path().string().size());
}

TEST(WorkSlot, CleaningSparesWhatIsInUse) {
  const TemporaryDirectory state;
  const WorkSlot slot(state.path());
  write(slot.path() / "alive", "x");
  write(state.path() / "work/01/dead", "x");
  clean_work(state.path());
  EXPECT_TRUE(fs::exists(slot.path() / "alive"));
  EXPECT_FALSE(fs::exists(state.path() / "work/01"));
}

TEST(WorkSlot, RemovesTreesWithReadOnlyDirectories) {
  const TemporaryDirectory folder;
  write(folder.path() / "a/b/c", "x");
  fs::permissions(folder.path() / "a/b", fs::perms::owner_read | fs::perms::owner_exec);
  fs::permissions(folder.path() / "a", fs::perms::owner_read | fs::perms::owner_exec);
  remove_tree(folder.path() / "a");
  EXPECT_FALSE(fs::exists(folder.path() / "a"));
}

}  // namespace
}  // namespace tandem::builders
