#include "builders/executable_cache.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "builders/cache_key.hpp"
#include "builders/hashes.hpp"
#include "git_fixture.hpp"

namespace tandem::builders {
namespace {

class ExecutableCacheTest : public testing::Test {
 protected:
  ExecutableCacheTest() {
    write_script(built_ / "main", "exit 0\n");
    write_script(built_ / "helper", "exit 1\n");
    write(built_ / "lib/data.txt", "data");
    fs::create_symlink("lib/data.txt", built_ / "alias");
  }

  Executable publish() { return std::get<Executable>(cache_.publish(entry_, built_, "main")); }

  TemporaryDirectory temporary_;
  fs::path built_ = temporary_.path() / "built";
  fs::path exec_dir_ = temporary_.path() / "cache";
  CacheEntry entry_{"framework", "linux", std::string(40, 'a'), std::string(64, 'b')};
  ExecutableCache cache_{exec_dir_};
  fs::path place_ = exec_dir_ / "framework" / "linux" / entry_.commit / std::string(16, 'b');
};

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

TEST(CacheKey, DependsOnEveryPart) {
  const CacheKeyParts original{"commit", "platform", "framework", "sdk", "toolchain", "cxx", "ld", 0};
  std::vector<std::string> keys{cache_key(original)};
  for (std::string CacheKeyParts::*part :
       {&CacheKeyParts::commit, &CacheKeyParts::platform, &CacheKeyParts::framework_hash,
        &CacheKeyParts::sdk_hash, &CacheKeyParts::toolchain, &CacheKeyParts::cxxflags,
        &CacheKeyParts::ldflags}) {
    CacheKeyParts changed = original;
    changed.*part += "x";
    keys.push_back(cache_key(changed));
  }
  CacheKeyParts seeded = original;
  seeded.seed = 1;
  keys.push_back(cache_key(seeded));
  CacheKeyParts shifted = original;
  shifted.cxxflags = "cxxl";
  shifted.ldflags = "d";
  keys.push_back(cache_key(shifted));
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
  EXPECT_EQ(cache_key(original), cache_key(original));
}

TEST(CacheKey, NamesTheCompilerOfTheSearchPath) {
  const TemporaryDirectory folder;
  EXPECT_EQ(describe_toolchain(folder.path()), "none");
  write_script(folder.path() / "c++", "echo 'compiler 9'; echo more\n");
  EXPECT_EQ(describe_toolchain("/nonexistent:" + folder.path().string() + ":/bin"),
            (folder.path() / "c++").string() + " compiler 9");
}

TEST_F(ExecutableCacheTest, FindsNothingBeforeAndEverythingAfterPublishing) {
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

TEST_F(ExecutableCacheTest, MovesADamagedEntryAwayAndSaysWhy) {
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
                    "'main' is missing or changed"));
  EXPECT_TRUE(tells(damage([&] { fs::remove(place_ / "programs/helper"); }), "'helper' is missing"));
  EXPECT_TRUE(tells(damage([&] { write(place_ / "programs/extra", ""); }), "does not name"));
  EXPECT_TRUE(tells(damage([&] { fs::remove(place_ / "manifest.json"); }), "no manifest"));
  EXPECT_TRUE(tells(damage([&] { write(place_ / "manifest.json", "{\"schema\": 1, \"files\": 3}"); }),
                    "not readable"));
  EXPECT_TRUE(tells(damage([&] { write(place_ / "manifest.json", ""); }), "not readable"));
  EXPECT_TRUE(tells(damage([&] { fs::remove_all(place_ / "programs"); }), "damaged"));
  EXPECT_TRUE(
      tells(damage([&] { fs::permissions(main, fs::perms::owner_read); }), "'main' is missing or changed"));
}

TEST_F(ExecutableCacheTest, TakesNoEntryOfAnotherKeyWithTheSamePrefix) {
  publish();
  CacheEntry other = entry_;
  other.key.back() = 'c';
  EXPECT_FALSE(cache_.find(other).executable);
}

TEST_F(ExecutableCacheTest, UsesTheEntryOfAFasterPublisher) {
  const Executable first = publish();
  const Executable second = publish();
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.manifest, second.manifest);
  EXPECT_TRUE(fs::is_empty(exec_dir_ / "incoming"));
}

TEST_F(ExecutableCacheTest, SurvivesManyPublishersAtOnce) {
  std::vector<std::thread> publishers;
  for (int i = 0; i < 8; ++i) {
    publishers.emplace_back([&] { EXPECT_EQ(publish().manifest.size(), 4U); });
  }
  for (std::thread& publisher : publishers) publisher.join();
  EXPECT_TRUE(cache_.find(entry_).executable);
  EXPECT_FALSE(fs::exists(exec_dir_ / "damaged"));
}

TEST_F(ExecutableCacheTest, IgnoresAndCleansWhatAKilledPublisherLeft) {
  write(exec_dir_ / "incoming/dead/entry/manifest.json", "{");
  EXPECT_FALSE(cache_.find(entry_).executable);
  cache_.clean();
  EXPECT_TRUE(fs::is_empty(exec_dir_ / "incoming"));
}

TEST_F(ExecutableCacheTest, RefusesLinksOutOfTheDirectory) {
  fs::create_symlink("../../secret", built_ / "lib/out");
  const auto refused = cache_.publish(entry_, built_, "main");
  ASSERT_TRUE(std::holds_alternative<std::string>(refused));
  EXPECT_NE(std::get<std::string>(refused).find("lib/out"), std::string::npos);
  EXPECT_FALSE(fs::exists(place_));
}

}  // namespace
}  // namespace tandem::builders
