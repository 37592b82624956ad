#include "daemon/state_directory.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "specs/error.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::daemon {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST(StateDirectory, IsMadeAndKeepsItsId) {
  const tests::TemporaryDirectory temporary;
  const fs::path state = temporary.path() / "a" / "b";
  check_state_directory(state);
  EXPECT_FALSE(fs::exists(state)) << "looking makes nothing";
  const auto marker = claim_state_directory(state);
  EXPECT_EQ(marker.id.size(), 32U);
  EXPECT_EQ(claim_state_directory(state).id, marker.id);
}

TEST(StateDirectory, MayBeANewFileSystem) {
  const tests::TemporaryDirectory temporary;
  fs::create_directories(temporary.path() / "lost+found");
  EXPECT_EQ(claim_state_directory(temporary.path()).version, state_version);
}

TEST(StateDirectory, MayBeWhatEarlierRunsLeftAndNotMore) {
  const tests::TemporaryDirectory temporary;
  write(temporary.path() / "mirrors" / "run-net" / "HEAD", "ref");
  write(temporary.path() / "logs" / "build-1.log", "");
  check_state_directory(temporary.path());
  write(temporary.path() / "letters" / "one", "mine");
  EXPECT_THROW(check_state_directory(temporary.path()), InputError);
}

TEST(StateDirectory, IsNotAnyFolderWithCommonNames) {
  const tests::TemporaryDirectory temporary;
  write(temporary.path() / "logs" / "web.log", "mine");
  write(temporary.path() / "status.json", "{\"schema\": \"other\"}");
  EXPECT_THROW(claim_state_directory(temporary.path()), InputError);
  EXPECT_FALSE(fs::exists(temporary.path() / "tandem.state"));
}

TEST(Scratch, IsRemovedAtTheEndAndOnlyWhatItsOwnersLeftBefore) {
  const tests::TemporaryDirectory temporary;
  const fs::path scratch = temporary.path() / "scratch";
  const std::string owner = "{\"schema\": \"tandem.owned/1\", \"owner\": \"me\"}";
  write(scratch / "run-0000000000000001" / "tandem.owner", owner);
  write(scratch / "run-0000000000000001" / "copy", "x");
  write(scratch / "run-0000000000000002" / "copy", "not ours");
  write(scratch / "notes" / "tandem.owner", owner);
  {
    const OwnScratch own(temporary.path(), "me");
    EXPECT_TRUE(fs::is_directory(own.path()));
    EXPECT_EQ(own.foreign().size(), 2U);
  }
  EXPECT_FALSE(fs::exists(scratch / "run-0000000000000001"));
  EXPECT_TRUE(fs::exists(scratch / "run-0000000000000002" / "copy"));
  EXPECT_TRUE(fs::exists(scratch / "notes"));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch), {}), 2);
}

}  // namespace
}  // namespace tandem::daemon
