#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/settings.hpp"
#include "support/temporary_directory.hpp"
#include "tests/specs/messages.hpp"

namespace tandem::config {
namespace {

class StateDir : public testing::Test {
 protected:
  tests::TemporaryDirectory temporary_;
  Path system_ = temporary_.path();
};

TEST_F(StateDir, IsTheFirstOfFlagEnvironmentConfigSystemXdgHome) {
  StateDirPlaces places{"/environment", "/xdg", "/home/me", system_};
  EXPECT_EQ(choose_state_dir("/flag", "/config", places), "/flag");
  EXPECT_EQ(choose_state_dir({}, "/config", places), "/environment");
  places.tandem_state_dir.clear();
  EXPECT_EQ(choose_state_dir({}, "/config", places), "/config");
  EXPECT_EQ(choose_state_dir({}, {}, places), system_);
  places.system_dir = system_ / "missing";
  EXPECT_EQ(choose_state_dir({}, {}, places), "/xdg/tandem");
  places.xdg_state_home.clear();
  EXPECT_EQ(choose_state_dir({}, {}, places), "/home/me/.local/state/tandem");
}

TEST_F(StateDir, IgnoresARelativeXdgDirectory) {
  EXPECT_EQ(choose_state_dir({}, {}, {"", "xdg", "/home/me", system_ / "missing"}),
            "/home/me/.local/state/tandem");
}

TEST_F(StateDir, IsNotASystemDirectoryThatIsAFileOrReadOnly) {
  const Path read_only = system_ / "read_only";
  std::filesystem::create_directory(read_only);
  std::filesystem::permissions(read_only, std::filesystem::perms::owner_read);
  if (::access(read_only.c_str(), W_OK) != 0) {  // the superuser may write anywhere
    EXPECT_EQ(choose_state_dir({}, {}, {"", "/xdg", "", read_only}), "/xdg/tandem");
  }
  EXPECT_EQ(choose_state_dir({}, {}, {"", "/xdg", "", "/dev/null"}), "/xdg/tandem");
}

TEST_F(StateDir, IsMadeAbsolute) {
  EXPECT_EQ(choose_state_dir("a/../b", {}, {}), std::filesystem::current_path() / "b");
}

TEST_F(StateDir, IsAnErrorWithoutAnyPlace) {
  EXPECT_EQ(tests::message_of([&] {
              (void)choose_state_dir({}, {}, {"", "", "", system_ / "missing"});
            }),
            "there is no state directory: HOME is not set; give --state_dir DIR or set TANDEM_STATE_DIR");
}

TEST_F(StateDir, ReadsTheEnvironmentOfTheProcess) {
  ASSERT_EQ(setenv("TANDEM_STATE_DIR", "/from/environment", 1), 0);
  const StateDirPlaces places = StateDirPlaces::of_this_process();
  unsetenv("TANDEM_STATE_DIR");
  EXPECT_EQ(places.tandem_state_dir, "/from/environment");
  EXPECT_EQ(places.system_dir, "/var/lib/tandem");
}

}  // namespace
}  // namespace tandem::config
