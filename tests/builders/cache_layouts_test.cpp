#include "builders/cache/listing.hpp"
#include "cache_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

class CacheLayouts : public CacheTest {
 protected:
  CacheLayouts() {
    const fs::path links = temporary_.path() / "links";
    write(links / "object.o", "object");
    parent_ = std::get<Executable>(cache_.publish(entry_, built_, "main", {links, {}}));
    write_script(relinked_ / "main", "exit 0 # in another order\n");
    write(relinked_ / "lib/data.txt", "data");
  }

  Executable publish_layout(std::uint64_t seed) {
    return std::get<Executable>(cache_.publish_layout(parent_, seed, relinked_));
  }

  Executable parent_;
  fs::path relinked_ = temporary_.path() / "relinked";
  fs::path layout_ = place_ / "layouts/00000000000000ff";
};

TEST_F(CacheLayouts, AreFoundAfterPublishing) {
  EXPECT_FALSE(cache_.find_layout(parent_, 255).executable);
  const Executable published = publish_layout(255);
  const auto found = cache_.find_layout(parent_, 255).executable;
  ASSERT_TRUE(found);
  for (const Executable& layout : {published, *found}) {
    EXPECT_EQ(layout.directory, layout_ / "programs");
    EXPECT_EQ(layout.program, layout_ / "programs/main");
    EXPECT_EQ(layout.commit, parent_.commit);
    EXPECT_EQ(layout.platform, parent_.platform);
    EXPECT_EQ(layout.key, parent_.key + "-00000000000000ff");
    EXPECT_EQ(layout.layout, "00000000000000ff");
    EXPECT_EQ(layout.links, parent_.links);
    EXPECT_EQ(layout.layout_unresolved, "");
    EXPECT_EQ(layout.manifest.size(), 2U);
  }
  EXPECT_FALSE(published.from_cache);
  EXPECT_TRUE(found->from_cache);
  EXPECT_FALSE(cache_.find_layout(parent_, 254).executable);
  EXPECT_EQ(publish_layout(255).from_cache, true) << "the first one stays";
  EXPECT_TRUE(cache_.find(entry_).executable) << "layouts do not disturb their entry";
  EXPECT_TRUE(cache_.find_layout(*found, 255).executable) << "a layout leads to its executable's layouts";
}

TEST_F(CacheLayouts, AreMovedAwayIfDamagedAndTheirEntryStays) {
  publish_layout(255);
  fs::permissions(layout_ / "programs/main", fs::perms::owner_all);
  write(layout_ / "programs/main", "damaged");
  const auto found = cache_.find_layout(parent_, 255);
  EXPECT_FALSE(found.executable);
  EXPECT_NE(found.damage.find("the cached layout"), std::string::npos) << found.damage;
  EXPECT_FALSE(fs::exists(layout_));
  EXPECT_TRUE(cache_.find(entry_).executable);
  EXPECT_EQ(list_damaged(exec_dir_).size(), 1U);
  publish_layout(255);
  EXPECT_TRUE(cache_.find_layout(parent_, 255).executable);
}

TEST_F(CacheLayouts, AreNotTakenFromAnotherSeedOrEntry) {
  publish_layout(255);
  fs::rename(layout_, place_ / "layouts/00000000000000fe");
  EXPECT_FALSE(cache_.find_layout(parent_, 254).executable);
}

TEST_F(CacheLayouts, AreRefusedWhenTheirEntryIsGone) {
  fs::remove_all(place_);
  EXPECT_THROW(static_cast<void>(cache_.publish_layout(parent_, 1, relinked_)), Error);
  EXPECT_FALSE(cache_.find_layout(parent_, 1).executable);
  EXPECT_FALSE(fs::exists(place_));
}

TEST_F(CacheLayouts, AreListedWithTheirEntry) {
  publish_layout(1);
  publish_layout(2);
  const auto entries = list_entries(exec_dir_);
  ASSERT_EQ(entries.size(), 1U);
  const StoredEntry& stored = entries.front();
  EXPECT_EQ(stored.entry.framework, "framework");
  EXPECT_EQ(stored.entry.platform, "linux");
  EXPECT_EQ(stored.entry.commit, entry_.commit);
  EXPECT_EQ(stored.entry.key, entry_.key);
  EXPECT_EQ(stored.damage, "");
  EXPECT_EQ(stored.layout_unresolved, "");
  ASSERT_EQ(stored.layouts.size(), 2U);
  EXPECT_EQ(stored.layouts[1].seed, "0000000000000002");
  EXPECT_GT(stored.bytes, stored.layouts[0].bytes + stored.layouts[1].bytes);
}

TEST_F(CacheLayouts, AreVerifiedWithEverythingElse) {
  publish_layout(1);
  publish_layout(255);
  auto verified = verify_entries(exec_dir_);
  EXPECT_EQ(verified.entries, 1U);
  EXPECT_EQ(verified.layouts, 2U);
  EXPECT_TRUE(verified.damage.empty());
  fs::remove(layout_ / "programs/main");
  fs::remove(place_ / "manifest.json");
  verified = verify_entries(exec_dir_);
  EXPECT_EQ(verified.damage.size(), 3U) << "without its manifest an entry has no sound layouts either";
  EXPECT_TRUE(list_entries(exec_dir_).empty());
  EXPECT_TRUE(verify_entries(exec_dir_).damage.empty());
}

}  // namespace
}  // namespace tandem::builders
