#include "builders/build_script.hpp"

#include "builders/cache/manifest.hpp"
#include "builders/toolchain.hpp"
#include "repository_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

TEST(BuildScript, PrefersThePlatformAndFallsBackToTheFramework) {
  const TemporaryDirectory frameworks;
  write(frameworks.path() / "f/build.sh", "");
  write(frameworks.path() / "f/linux/build.sh", "");
  EXPECT_EQ(find_build_script(frameworks.path(), "f", "linux").script,
            frameworks.path() / "f/linux/build.sh");
  EXPECT_EQ(find_build_script(frameworks.path(), "f", "avx2").script, frameworks.path() / "f/build.sh");
  EXPECT_EQ(find_build_script(frameworks.path(), "f", "avx2").framework_folder, frameworks.path() / "f");
}

TEST(BuildScript, NamesBothPlacesWhenThereIsNone) {
  const TemporaryDirectory frameworks;
  try {
    static_cast<void>(find_build_script(frameworks.path(), "f", "host/incremental"));
    FAIL();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find((frameworks.path() / "f/host/incremental/build.sh").string()), std::string::npos);
    EXPECT_NE(message.find((frameworks.path() / "f/build.sh").string()), std::string::npos);
  }
}

TEST(BuildScript, RefusesNamesThatLeadOutOfTheFolder) {
  const TemporaryDirectory frameworks;
  write(frameworks.path() / "f/build.sh", "");
  for (const char* name : {"..", "../f", "/etc", "", "a/../b", "."}) {
    EXPECT_THROW(static_cast<void>(find_build_script(frameworks.path(), name, "linux")), InputError) << name;
    EXPECT_THROW(static_cast<void>(find_build_script(frameworks.path(), "f", name)), InputError) << name;
  }
}

TEST(BuildScript, StartsByItsFirstLineOnlyIfItIsExecutable) {
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "build.sh";
  write(file, "#!/bin/sh\n");
  EXPECT_EQ(start_of({file, {}}), (std::vector<std::string>{"/bin/sh", file}));
  fs::permissions(file, fs::perms::owner_all);
  EXPECT_EQ(start_of({file, {}}), (std::vector<std::string>{file}));
  write(file, "exit 0\n");
  EXPECT_EQ(start_of({file, {}}), (std::vector<std::string>{"/bin/sh", file}));
}

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
  all[13].isolation = changed;
  std::vector<std::string> keys;
  for (const CacheKeyParts& parts : all) keys.push_back(cache_key(parts));
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
}

}  // namespace
}  // namespace tandem::builders
