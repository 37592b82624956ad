#include "builders/build_script.hpp"

#include "git_fixture.hpp"
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

}  // namespace
}  // namespace tandem::builders
