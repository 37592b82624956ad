#include "builders/toolchain.hpp"

#include "builders/cache/entry.hpp"
#include "git_fixture.hpp"

namespace tandem::builders {
namespace {

TEST(Toolchain, NamesCompilersLinkersAndLibraries) {
  const std::string text = describe_toolchain("/usr/local/bin:/usr/bin:/bin");
  for (const char* part : {"c++: /usr", "cc: /usr", "ld: /usr", "cmake: ", "libraries: "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(describe_toolchain("/usr/local/bin:/usr/bin:/bin"), text);
}

TEST(Toolchain, SaysWhatIsMissing) {
  const TemporaryDirectory empty;
  EXPECT_NE(describe_toolchain(empty.path()).find("c++: none"), std::string::npos);
}

TEST(Toolchain, NoticesANewCompilerWhileItRuns) {
  const TemporaryDirectory folder;
  write_script(folder.path() / "c++", "echo compiler one\n");
  const std::string first = describe_toolchain(folder.path());
  EXPECT_NE(first.find("compiler one"), std::string::npos) << first;
  write_script(folder.path() / "c++", "echo compiler two, a later one\n");
  EXPECT_NE(describe_toolchain(folder.path()), first);
}

TEST(CacheKey, ChangesWithEveryPart) {
  const std::string changed = "another value than before";
  std::vector<CacheKeyParts> all(14);
  all[1].commit = changed;
  all[2].submodules = {{"lib", changed}};
  all[3].platform = changed;
  all[4].framework_hash = changed;
  all[5].sdk_hash = changed;
  all[6].toolchain = changed;
  all[7].cxxflags = changed;
  all[8].ldflags = changed;
  all[9].seed = 1;
  all[10].variables = {changed};
  all[11].sources_hash = changed;
  all[12].linker = changed;
  all[13].ground = changed;
  std::vector<std::string> keys;
  for (const CacheKeyParts& parts : all) keys.push_back(cache_key(parts));
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
}

}  // namespace
}  // namespace tandem::builders
