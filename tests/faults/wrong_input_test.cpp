#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "end_to_end/world.hpp"

namespace tandem::tests {
namespace {

class WrongInput : public World {
 protected:
  WrongInput() { tip_ = commit({}, "Add the net"); }

  /// The program refuses with one sentence that holds `part`, and leaves nothing that is not whole.
  void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& part) const {
    const auto finished = tandem(arguments);
    EXPECT_EQ(describe(finished), "exited with status " + std::to_string(code)) << finished.errors;
    EXPECT_EQ(finished.output, "");
    EXPECT_TRUE(finished.errors.starts_with("tandem: ")) << finished.errors;
    EXPECT_EQ(std::count(finished.errors.begin(), finished.errors.end(), '\n'), 1) << finished.errors;
    EXPECT_NE(finished.errors.find(part), std::string::npos) << finished.errors;
    expect_nothing_half_written();
  }

  void expect_nothing_half_written() const {
    for (const std::string& file : files_below(state_dir_)) {
      EXPECT_FALSE(file.ends_with(".new")) << file;
      EXPECT_FALSE(file.starts_with("reports/")) << file;
      EXPECT_FALSE(file.starts_with("work/") && !file.ends_with(".lock")) << file;
    }
    if (fs::exists(state_dir_ / "tandem.db")) {
      EXPECT_EQ(ask(state_dir_ / "tandem.db", "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
      EXPECT_EQ(ask(state_dir_ / "tandem.db",
                    "SELECT (SELECT count(*) FROM verdict) + (SELECT count(*) FROM done) + "
                    "(SELECT count(*) FROM record)"),
                std::vector<std::string>{"0"});
    }
    if (fs::exists(state_dir_ / "status.json")) {
      EXPECT_EQ(read_status(read_file(state_dir_ / "status.json")).phase, "stopped");
    }
    EXPECT_TRUE(files_below(scratch_).empty());
    EXPECT_TRUE(processes_of(root_).empty());
  }

  std::string tip_;
};

TEST_F(WrongInput, AFlagThatDoesNotExistIsBadUsage) {
  expect_refused(once_flags({"--brunch", "main"}), 2, "--brunch");
  expect_refused({"daemon", "--once"}, 2, "--repo_dir");
  expect_refused(once_flags({"--step", "0"}), 2, "--step");
  expect_refused(once_flags({"--step", "many"}), 2, "--step");
  expect_refused(once_flags({"--platforms", ""}), 2, "--platforms");
  expect_refused({"daemno"}, 2, "daemno");
  EXPECT_FALSE(fs::exists(state_dir_));
}

TEST_F(WrongInput, AMissingBranchIsNamedWithTheOnesThatExist) {
  expect_refused(once_flags({"--branch", "mian"}), 2, "main");
  expect_refused(once_flags({"--branch", "mian", "--repo_dir", "file://" + repo_.string()}), 4, "mian");
}

TEST_F(WrongInput, AMissingBuildScriptIsSaidWithThePlacesWhereItWasSought) {
  fs::remove(frameworks_dir_ / "foreign" / "linux" / "build.sh");
  expect_refused(once_flags(), 2, "build.sh");
  expect_refused(once_flags({"--framework", "nobody"}), 2, "nobody");
  expect_refused(once_flags({"--frameworks_dir", root_ / "nowhere"}), 2, "nowhere");
}

TEST_F(WrongInput, ABrokenSpecIsSaidWithItsLine) {
  write_file(spec_, "{\n  \"model\": {\"name\": \"net\"},\n  \"tests\": [,]\n}\n");
  expect_refused(once_flags(), 2, "net.json:3:");
  write_file(spec_,
             "{\n  \"model\": {\"name\": \"net\"},\n  \"tests\": [\n    {\"metric\": \"delay\", "
             "\"identifier\": \"net\",\n     \"comands\": [\"{program}\"]}\n  ]\n}\n");
  const auto finished = tandem(once_flags());
  EXPECT_EQ(describe(finished), "exited with status 2");
  EXPECT_NE(finished.errors.find("net.json:5:"), std::string::npos) << finished.errors;
  EXPECT_NE(finished.errors.find("\"commands\""), std::string::npos) << finished.errors;
  expect_nothing_half_written();
  expect_refused(once_flags({"--benchmark_file", root_ / "none.json"}), 2, "none.json");
}

TEST_F(WrongInput, AnUnreachableUrlIsSomethingOutsideThatFailed) {
  expect_refused(once_flags({"--repo_dir", "http://127.0.0.1:1/net.git"}), 4, "http://127.0.0.1:1/net.git");
  EXPECT_NE(status().last_error, "");
  expect_refused(once_flags({"--repo_dir", "http://ada:secret@127.0.0.1:1/net.git"}), 4, "127.0.0.1:1");
  for (const std::string& file : files_below(state_dir_)) {
    EXPECT_EQ(read_file(state_dir_ / file).find("secret"), std::string::npos) << file;
  }
}

TEST_F(WrongInput, ARepositoryOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a repository away";
  for (const auto& entry : fs::recursive_directory_iterator(repo_)) {
    ASSERT_EQ(::lchown(entry.path().c_str(), 54321, 54321), 0);
  }
  ASSERT_EQ(::lchown(repo_.c_str(), 54321, 54321), 0);
  expect_refused(once_flags(), 2, "safe.directory");
}

TEST_F(WrongInput, AStartThatIsNotOnTheBranchIsRefused) {
  git({"checkout", "--quiet", "-b", "aside"});
  Net net;
  net.conv_rounds += 1;
  const std::string aside = commit(net, "Only aside");
  git({"checkout", "--quiet", "main"});
  commit_file("README.md", "A net.\n", "Say what it is");
  expect_refused(once_flags({"--commit", aside}), 2, aside);
  expect_refused(once_flags({"--commit", "0123456789"}), 2, "0123456789");
  expect_refused(once_flags({"--base_commit", "0123456789"}), 2, "0123456789");
}

TEST_F(WrongInput, AStateDirectoryThatCannotBeWrittenIsSomethingOutsideThatFailed) {
  write_file(root_ / "file", "not a directory");
  expect_refused(once_flags({"--state_dir", root_ / "file" / "state"}), 4, "file/state");
  write_file(state_dir_ / "tandem.db", std::string(8192, 'x'));
  const auto finished = tandem(once_flags());
  EXPECT_EQ(describe(finished), "exited with status 2") << "it is somebody else's: " << finished.errors;
  EXPECT_EQ(std::count(finished.errors.begin(), finished.errors.end(), '\n'), 1) << finished.errors;
  EXPECT_EQ(read_file(state_dir_ / "tandem.db"), std::string(8192, 'x'));
  if (::geteuid() == 0) return;
  fs::create_directories(root_ / "closed");
  fs::permissions(root_ / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  expect_refused(once_flags({"--state_dir", root_ / "closed"}), 4, "closed");
}

TEST_F(WrongInput, ADirectoryThatIsNoRepositoryIsRefused) {
  fs::create_directories(root_ / "plain");
  expect_refused(once_flags({"--repo_dir", root_ / "plain"}), 2, "not a git repository");
  expect_refused(once_flags({"--repo_dir", root_ / "nowhere"}), 2, "nowhere");
}

TEST_F(WrongInput, AnEmptyRepositoryIsSaidInOneSentence) {
  fs::create_directories(root_ / "empty");
  git({"init", "--quiet", "--initial-branch=main"}, root_ / "empty");
  expect_refused(once_flags({"--repo_dir", root_ / "empty"}), 2, "main");
}

TEST_F(WrongInput, ADamagedMirrorIsSaidInOneSentenceOrMended) {
  ASSERT_EQ(describe(tandem(once_flags())), "exited with status 0");
  const fs::path mirror = state_dir_ / "mirrors" / "foreign-main";
  write_file(mirror / "HEAD", "nonsense");
  fs::remove_all(mirror / "objects");
  commit_file("README.md", "A net.\n", "Say what it is");
  const auto finished = tandem(once_flags());
  if (is_quiet(finished)) return;
  EXPECT_EQ(describe(finished), "exited with status 4") << finished.errors;
  EXPECT_EQ(std::count(finished.errors.begin(), finished.errors.end(), '\n'), 1) << finished.errors;
  EXPECT_EQ(status().phase, "stopped");
  EXPECT_NE(status().last_error, "");
}

TEST_F(WrongInput, AReportOrStatusOfNothingIsRefused) {
  expect_refused({"report", "--state_dir", state_dir_}, 2, "tandem.db");
  expect_refused({"status", "--state_dir", state_dir_}, 2, "status.json");
  EXPECT_FALSE(fs::exists(state_dir_));
}

}  // namespace
}  // namespace tandem::tests
