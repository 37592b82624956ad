#include "builders/cache/executable_cache.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "builders/cache/budget.hpp"
#include "builders/cache/files.hpp"
#include "builders/cache/manifest.hpp"
#include "cache_fixture.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/hashes.hpp"

namespace tandem::builders {
namespace {

TEST(Hashes, AgreeWithTheStandard) {
  const TemporaryDirectory folder;
  write(folder.path() / "abc", "abc");
  const std::string expected =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";  // FIPS 180-2, B.1
  EXPECT_EQ(sha256_of_file(folder.path() / "abc"), expected);
  EXPECT_EQ(sha256_of("abc"), expected);
  EXPECT_THROW(static_cast<void>(sha256_of_file(folder.path() / "nothing")), std::system_error);
}

TEST(Hashes, OfAFolderSeeNamesModesLinksAndContents) {
  const TemporaryDirectory folder;
  write(folder.path() / "f/a", "1");
  std::vector<std::string> hashes{sha256_of_folder(folder.path() / "f")};
  const auto changed = [&] {
    hashes.push_back(sha256_of_folder(folder.path() / "f"));
    return hashes.back() != hashes[hashes.size() - 2];
  };
  EXPECT_FALSE(changed());
  write(folder.path() / "f/a", "2");
  EXPECT_TRUE(changed());
  fs::permissions(folder.path() / "f/a", fs::perms::owner_all);
  EXPECT_TRUE(changed());
  fs::rename(folder.path() / "f/a", folder.path() / "f/b");
  EXPECT_TRUE(changed());
  fs::create_symlink("b", folder.path() / "f/c");
  EXPECT_TRUE(changed());
  write(folder.path() / "f/platform/build.sh", "");
  EXPECT_TRUE(changed());
}

TEST(StagingDirectory, GivesUpWhereItCannotBeLocked) {
  const TemporaryDirectory cache;
  static_cast<void>(StagingDirectory(cache.path()));
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const int next = ::dup(STDIN_FILENO);
  ::close(next);
  const rlimit none{static_cast<rlim_t>(next), before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  EXPECT_THROW(StagingDirectory(cache.path()), std::system_error);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(fs::is_empty(cache.path() / "incoming")) << "each attempt takes its directory away";
}

TEST_F(CacheTest, FindsNothingBeforeAndEverythingAfterPublishing) {
  EXPECT_FALSE(cache_.find(entry_).executable);
  EXPECT_EQ(cache_.find(entry_).damage, "");
  const Executable published = publish();
  EXPECT_FALSE(published.from_cache);
  fs::remove_all(built_);

  const auto found = cache_.find(entry_);
  ASSERT_TRUE(found.executable) << found.damage;
  EXPECT_TRUE(found.executable->from_cache);
  EXPECT_EQ(found.executable->program, place_ / "programs/main");
  EXPECT_EQ(found.executable->commit, entry_.commit);
  EXPECT_EQ(found.executable->key, entry_.key);
  EXPECT_EQ(found.executable->manifest, published.manifest);
  EXPECT_EQ(found.executable->manifest.size(), 4U);
  EXPECT_EQ(found.executable->further_programs, published.further_programs);
  EXPECT_EQ(found.executable->further_programs.at("helper"), place_ / "programs/helper");
  EXPECT_EQ(read(place_ / "programs/alias"), "data");
  struct stat status {};
  ASSERT_EQ(::stat(found.executable->program.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0555U);
}

TEST_F(CacheTest, MovesADamagedEntryAwayAndSaysWhy) {
  const auto damage = [&](const auto& how) {
    publish();
    how();
    const auto found = cache_.find(entry_);
    EXPECT_FALSE(found.executable);
    EXPECT_FALSE(fs::exists(place_));
    EXPECT_FALSE(cache_.find(entry_).executable);
    return found.damage;
  };
  const auto tells = [](const std::string& sentence, const char* what) {
    return sentence.find(what) != std::string::npos;
  };
  const fs::path main = place_ / "programs/main";
  EXPECT_TRUE(tells(damage([&] {
                      fs::permissions(main, fs::perms::owner_all);
                      write(main, "#!/bin/sh\nexit 1\n");
                    }),
                    "'programs/main' is missing or changed"));
  EXPECT_TRUE(tells(damage([&] { fs::remove(place_ / "programs/helper"); }), "'programs/helper' is missing"));
  EXPECT_TRUE(tells(damage([&] { write(place_ / "programs/extra", ""); }), "does not name"));
  EXPECT_TRUE(tells(damage([&] { fs::remove(place_ / "manifest.json"); }), "no manifest"));
  EXPECT_TRUE(tells(damage([&] { write(place_ / "manifest.json", "{\"schema\": 1, \"files\": 3}"); }),
                    "not readable"));
  EXPECT_TRUE(tells(damage([&] { write(place_ / "manifest.json", ""); }), "not readable"));
  EXPECT_TRUE(tells(damage([&] { fs::remove_all(place_ / "programs"); }), "damaged"));
  EXPECT_TRUE(tells(damage([&] { fs::permissions(main, fs::perms::owner_read); }),
                    "'programs/main' is missing or changed"));
}

TEST_F(CacheTest, TakesNoEntryOfAnotherKeyWithTheSamePrefix) {
  publish();
  CacheEntry other = entry_;
  other.key.back() = 'c';
  EXPECT_FALSE(cache_.find(other).executable);
}

TEST_F(CacheTest, UsesTheEntryOfAFasterPublisher) {
  const Executable first = publish();
  const Executable second = publish();
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.manifest, second.manifest);
  EXPECT_TRUE(fs::is_empty(exec_dir_ / "incoming"));
}

TEST_F(CacheTest, SurvivesManyPublishersAtOnce) {
  std::vector<std::thread> publishers;
  for (int i = 0; i < 8; ++i) {
    publishers.emplace_back([&] { EXPECT_EQ(publish().manifest.size(), 4U); });
  }
  for (std::thread& publisher : publishers) publisher.join();
  EXPECT_TRUE(cache_.find(entry_).executable);
  EXPECT_FALSE(fs::exists(exec_dir_ / "damaged"));
}

TEST_F(CacheTest, IgnoresAndCleansWhatAKilledPublisherLeft) {
  write(exec_dir_ / "incoming/tandem-a1b2c3/entry/manifest.json", "{");
  EXPECT_FALSE(cache_.find(entry_).executable);
  cache_.clean();
  EXPECT_TRUE(fs::is_empty(exec_dir_ / "incoming"));
}

TEST_F(CacheTest, LeavesWhatSomebodyElseHasInTheDirectory) {
  write(exec_dir_ / "incoming/letters/one", "x");
  write(exec_dir_ / "damaged/photographs/one", "x");
  publish();
  const std::string before = fingerprint(exec_dir_ / "incoming") + fingerprint(exec_dir_ / "damaged");
  cache_.clean();
  prune(exec_dir_, 0, {}, Pruning::real);
  EXPECT_EQ(fingerprint(exec_dir_ / "incoming") + fingerprint(exec_dir_ / "damaged"), before);
}

TEST_F(CacheTest, RefusesLinksOutOfTheDirectory) {
  fs::create_symlink("../../secret", built_ / "lib/out");
  const auto refused = cache_.publish(entry_, built_, "main");
  ASSERT_TRUE(std::holds_alternative<std::string>(refused));
  EXPECT_NE(std::get<std::string>(refused).find("lib/out"), std::string::npos);
  EXPECT_FALSE(fs::exists(place_));
}

TEST_F(CacheTest, KeepsWhatTheProgramsWereLinkedFrom) {
  const fs::path links = temporary_.path() / "links";
  write(links / "main/object.o", "object");
  const Executable published = std::get<Executable>(cache_.publish(entry_, built_, "main", {links, {}}));
  fs::remove_all(links);
  EXPECT_EQ(published.links, place_ / "links");
  EXPECT_EQ(published.layout_unresolved, "");
  const auto found = cache_.find(entry_).executable;
  ASSERT_TRUE(found);
  EXPECT_EQ(found->links, place_ / "links");
  EXPECT_EQ(read(found->links / "main/object.o"), "object");
  EXPECT_EQ(found->manifest.size(), 4U) << "they are no programs";

  fs::permissions(place_ / "links/main/object.o", fs::perms::owner_all);
  write(place_ / "links/main/object.o", "another");
  const auto damaged = cache_.find(entry_);
  EXPECT_FALSE(damaged.executable);
  EXPECT_NE(damaged.damage.find("'links/main/object.o' is missing or changed"), std::string::npos)
      << damaged.damage;
}

TEST_F(CacheTest, SaysWhyProgramsCannotBeRelinked) {
  EXPECT_NE(publish().layout_unresolved, "");
  entry_.key = std::string(64, 'c');
  const auto other = std::get<Executable>(cache_.publish(entry_, built_, "main", {{}, "gold linked it"}));
  EXPECT_EQ(other.layout_unresolved, "gold linked it");
  EXPECT_TRUE(other.links.empty());
  EXPECT_EQ(cache_.find(entry_).executable->layout_unresolved, "gold linked it");

  const fs::path links = temporary_.path() / "links";
  fs::create_directories(links);
  fs::create_symlink("/etc/passwd", links / "out");
  entry_.key = std::string(64, 'd');
  const auto refused = std::get<Executable>(cache_.publish(entry_, built_, "main", {links, {}}));
  EXPECT_NE(refused.layout_unresolved.find("'out' is a symbolic link"), std::string::npos);
  EXPECT_TRUE(refused.links.empty());
}

TEST_F(CacheTest, FallsBackToWhatWasAddedByHand) {
  const Executable added = std::get<Executable>(cache_.add_by_hand(entry_, built_, "main"));
  EXPECT_TRUE(added.added_by_hand);
  const auto found = cache_.find(entry_).executable;
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->added_by_hand);
  EXPECT_EQ(found->program, added.program);
  EXPECT_NE(found->layout_unresolved, "");

  publish();
  EXPECT_FALSE(cache_.find(entry_).executable->added_by_hand) << "a build comes first";
  EXPECT_TRUE(cache_.find({"framework", "linux", entry_.commit, {}}).executable->added_by_hand);
  EXPECT_FALSE(cache_.find({"framework", "other", entry_.commit, {}}).executable);
  EXPECT_FALSE(cache_.find({"framework", "linux", std::string(40, 'e'), {}}).executable);
}

TEST_F(CacheTest, KeepsTheFingerprintAndTheTime) {
  const Executable published = publish();
  EXPECT_EQ(published.fingerprint.size(), 64U);
  EXPECT_EQ(cache_.find(entry_).executable->fingerprint, published.fingerprint);
  const Manifest manifest = manifest_from_json(read(place_ / "manifest.json"));
  EXPECT_GT(manifest.built, 1'700'000'000);
}

TEST_F(CacheTest, ReadsManifestsOfBeforeThereWereLinks) {
  publish();
  std::string text = read(place_ / "manifest.json");
  for (const char* name : {"links", "layout_unresolved", "layout", "fingerprint", "built", "added_by_hand"}) {
    const std::size_t at = text.find("  \"" + std::string(name) + "\":");
    ASSERT_NE(at, std::string::npos) << name;
    text.erase(at, text.find('\n', at) + 1 - at);
  }
  write(place_ / "manifest.json", text);
  const auto found = cache_.find(entry_);
  ASSERT_TRUE(found.executable) << found.damage;
  EXPECT_EQ(found.executable->fingerprint, "");
}

TEST_F(CacheTest, BelievesNoManifestThatLeadsOut) {
  publish();
  const std::string text = read(place_ / "manifest.json");
  for (const char* path : {"../main", "/bin/sh", "a/../../main", ""}) {
    std::string changed = text;
    changed.replace(changed.find("\"lib/data.txt\""), 14, fmt::format("\"{}\"", path));
    EXPECT_THROW(static_cast<void>(manifest_from_json(changed)), Error) << path;
  }
  std::string program = text;
  program.replace(program.find("\"program\": \"main\""), 17, "\"program\": \"/bin/sh\"");
  EXPECT_THROW(static_cast<void>(manifest_from_json(program)), Error);
}

}  // namespace
}  // namespace tandem::builders
