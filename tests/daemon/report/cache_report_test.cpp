#include "daemon/report/cache_report.hpp"

#include <nlohmann/json.hpp>

#include "golden.hpp"

namespace tandem::daemon::report {
namespace {

using builders::Dropped;
using builders::Pruned;
using builders::Pruning;
using builders::StoredEntry;

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t some_day = 1'704'705'120;

CacheContents sample() {
  CacheContents contents;
  contents.exec_dir = "/var/lib/tandem/cache";
  StoredEntry built;
  built.entry = {"example", "linux", "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d", std::string(64, 'b')};
  built.directory =
      "/var/lib/tandem/cache/example/linux/1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d/bbbbbbbbbbbbbbbb";
  built.bytes = 5 * 1024 * 1024 + 1024 * 512;
  built.layouts = {
      {"0000000000000001", built.directory / "layouts/0000000000000001", 4096, some_day * second},
      {"0000000000000002", built.directory / "layouts/0000000000000002", 4096, some_day * second}};
  built.last_used = (some_day + 3600) * second;
  built.built = some_day;
  StoredEntry unresolved = built;
  unresolved.entry.platform = "linux-arm64";
  unresolved.bytes = 900;
  unresolved.layouts.clear();
  unresolved.layout_unresolved = "it was linked with gold";
  StoredEntry brought = unresolved;
  brought.added_by_hand = true;
  brought.layout_unresolved = "it was added by hand, without what it was linked from";
  StoredEntry damaged = unresolved;
  damaged.built = 0;
  damaged.damage = "it has no\nmanifest\x1b[2J";
  contents.entries = {built, unresolved, brought, damaged};
  contents.damaged = {{"/var/lib/tandem/cache/damaged/x", 2048, some_day * second}};
  return contents;
}

Pruned sample_pruned() {
  Pruned pruned;
  pruned.bytes_before = std::uint64_t{3} << 30;
  pruned.bytes_after = std::uint64_t{2} << 30;
  pruned.in_use = 2;
  pruned.kept = 1;
  const StoredEntry entry = sample().entries.front();
  pruned.dropped = {
      {Dropped::What::damaged, {}, {}, {}, "/var/lib/tandem/cache/damaged/x", 2048, some_day * second},
      {Dropped::What::layout, "example", "linux", entry.entry.commit, entry.layouts[0].directory, 4096,
       some_day * second},
      {Dropped::What::entry, "example", "linux", entry.entry.commit, entry.directory, 8192, 0}};
  return pruned;
}

TEST(CacheReport, ListsTheContents) {
  tests::expect_golden(contents_table(sample()), "cache.txt");
  tests::expect_golden(contents_json(sample()), "cache.json");
}

TEST(CacheReport, SaysThatACacheIsEmpty) {
  EXPECT_EQ(contents_table({"/cache", {}, {}}), "0 entries, 0 layouts, 0 B in /cache\n");
  EXPECT_EQ(nlohmann::json::parse(contents_json({"/cache", {}, {}})).at("entries").size(), 0U);
}

TEST(CacheReport, SaysWhatWasVerified) {
  EXPECT_EQ(verified_text({1, 2, {}}), "1 entry and 2 layouts read, 0 damaged\n");
  EXPECT_EQ(verified_text({2, 1, {"the cached one\nwas damaged"}}).find("\nwas"), std::string::npos);
  const auto document = nlohmann::json::parse(verified_json({2, 1, {"a"}}));
  EXPECT_EQ(document.at("entries"), 2);
  EXPECT_EQ(document.at("damage").size(), 1U);
}

TEST(CacheReport, SaysWhatWasDropped) {
  tests::expect_golden(pruned_text(sample_pruned(), Pruning::real), "cache_pruned.txt");
  EXPECT_TRUE(pruned_text(sample_pruned(), Pruning::rehearsal).starts_with("would drop damaged "));
  const auto document = nlohmann::json::parse(pruned_json(sample_pruned(), Pruning::rehearsal));
  EXPECT_EQ(document.at("dry_run"), true);
  EXPECT_EQ(document.at("dropped").size(), 3U);
  EXPECT_EQ(document.at("dropped")[1].at("what"), "layout");
}

TEST(CacheReport, WritesSizesAsAPersonReadsThem) {
  EXPECT_EQ(readable_size(0), "0 B");
  EXPECT_EQ(readable_size(1023), "1023 B");
  EXPECT_EQ(readable_size(1024), "1.0 KiB");
  EXPECT_EQ(readable_size(1536 * 1024), "1.5 MiB");
  EXPECT_EQ(readable_size((std::uint64_t{1} << 30) - 1), "1.0 GiB");
  EXPECT_EQ(readable_size(std::uint64_t{20} << 30), "20.0 GiB");
  EXPECT_EQ(readable_size(~std::uint64_t{0}), "16384.0 PiB");
}

}  // namespace
}  // namespace tandem::daemon::report
