#include "runners/program_copies.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/programs.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::runners {
namespace {

using tests::program;
namespace fs = std::filesystem;

TEST(ProgramCopies, HavePathsOfOneLengthWhateverTheNames) {
  const tests::TemporaryDirectory scratch;
  const ProgramCopies copies(scratch.path(), program("steady"), program("slower_2"), {});
  EXPECT_EQ(copies.in_slot(0).native().size(), copies.in_slot(1).native().size());
  EXPECT_NE(copies.in_slot(0).parent_path(), copies.in_slot(1).parent_path());
}

TEST(ProgramCopies, GoWithEverythingTheProgramsLeftInThem) {
  const tests::TemporaryDirectory scratch;
  {
    const ProgramCopies copies(scratch.path(), program("steady"), program("steady"), {});
    const fs::path folder = copies.scratch_in_slot(0, 0);
    EXPECT_EQ(copies.scratch_in_slot(0, 0), folder) << "the same for every command of the slot";
    fs::create_directories(folder / "closed/deep");
    fs::permissions(folder / "closed", fs::perms::none);
  }
  EXPECT_EQ(tests::entries(scratch.path()), 0u);
}

TEST(ProgramCopies, OfAKilledProcessAreClearedAndOthersStay) {
  const tests::TemporaryDirectory scratch;
  const ProgramCopies mine(scratch.path(), program("steady"), program("steady"), {});
  const pid_t child = ::fork();
  if (child == 0) {
    const ProgramCopies lost(scratch.path(), program("steady"), program("steady"), {});
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
