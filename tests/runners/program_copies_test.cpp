#include "runners/pairing/launch_command.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "support/programs.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::runners {
namespace {

using tests::program;
namespace fs = std::filesystem;

ProgramPair pair_of(const std::filesystem::path& control, const std::filesystem::path& treatment) {
  ProgramPair pair;
  pair.control = control;
  pair.treatment = treatment;
  return pair;
}

TEST(ProgramCopies, HoldEverythingThatLiesInTheFolderOfTheExecutable) {
  const tests::TemporaryDirectory scratch;
  const tests::TemporaryDirectory built;
  std::filesystem::create_directories(built.path() / "lib");
  std::filesystem::copy_file(program("steady"), built.path() / "main");
  std::ofstream(built.path() / "lib" / "data") << "beside";
  std::filesystem::create_symlink("lib/data", built.path() / "link");
  ProgramPair pair = pair_of(built.path() / "main", built.path() / "main");
  pair.control_folder = pair.treatment_folder = built.path();
  const ProgramCopies copies(scratch.path(), pair, {});
  for (std::size_t slot = 0; slot < 2; ++slot) {
    const std::filesystem::path folder = copies.folder_of_slot(slot);
    EXPECT_EQ(copies.in_slot(slot), folder / "main");
    std::string text;
    std::ifstream(folder / "link") >> text;
    EXPECT_EQ(text, "beside");
    EXPECT_FALSE(std::filesystem::equivalent(folder / "lib" / "data", built.path() / "lib" / "data"));
  }
}

TEST(ProgramCopies, HavePathsOfOneLengthWhateverTheNames) {
  const tests::TemporaryDirectory scratch;
  const ProgramCopies copies(scratch.path(), pair_of(program("steady"), program("slower_2")), {});
  EXPECT_EQ(copies.in_slot(0).native().size(), copies.in_slot(1).native().size());
  EXPECT_NE(copies.in_slot(0).parent_path(), copies.in_slot(1).parent_path());
}

TEST(ProgramCopies, GoWithEverythingTheProgramsLeftInThem) {
  const tests::TemporaryDirectory scratch;
  {
    const ProgramCopies copies(scratch.path(), pair_of(program("steady"), program("steady")), {});
    const fs::path folder = copies.scratch_in_slot(0, 0);
    EXPECT_EQ(copies.scratch_in_slot(0, 0), folder) << "the same for every command of the slot";
    fs::create_directories(folder / "closed/deep");
    fs::permissions(folder / "closed", fs::perms::none);
  }
  EXPECT_EQ(tests::entries(scratch.path()), 0u);
}

TEST(ProgramCopies, OfAKilledProcessAreClearedAndOthersStay) {
  const tests::TemporaryDirectory scratch;
  const ProgramCopies mine(scratch.path(), pair_of(program("steady"), program("steady")), {});
  const pid_t child = ::fork();
  if (child == 0) {
    const ProgramCopies lost(scratch.path(), pair_of(program("steady"), program("steady")), {});
    ::_exit(0);  // without its destructor
  }
  ::waitpid(child, nullptr, 0);
  fs::create_directory(scratch.path() / "tandem-notes");
  fs::create_directory(scratch.path() / "other");
  EXPECT_EQ(tests::entries(scratch.path()), 4u);
  EXPECT_EQ(clear_leftover_copies(scratch.path()), 1u);
  EXPECT_EQ(tests::entries(scratch.path()), 3u);
  EXPECT_TRUE(fs::exists(mine.in_slot(0)));
}

}  // namespace
}  // namespace tandem::runners
