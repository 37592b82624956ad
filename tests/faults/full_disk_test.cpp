// A disk that is full for a while and has room again, and one that is small. Needs root and a mount
// namespace.
#include <unistd.h>

#include <algorithm>

#include "end_to_end/world.hpp"

namespace tandem::tests {
namespace {

class FullDisk : public World {
 protected:
  static std::string quoted(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) line += "'" + word + "' ";
    return line;
  }
  [[nodiscard]] std::string tandem_line(const std::vector<std::string>& arguments) const {
    return quoted(tandem_command(arguments).argv);
  }
  [[nodiscard]] std::vector<std::string> stored(const std::string& what) const {
    return ask(root_ / "after" / "tandem.db", what);
  }
};

TEST_F(FullDisk, ForAWhileLeavesNothingWrongBehind) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount a small file system";
  Net net;
  const std::string first = commit(net, "Add the net");
  net.conv_rounds *= 2;
  const std::string slower = commit(net, "Make conv more exact");
  net.unused = "int spare(void) { return 1; }\n";
  const std::string last = commit(net, "Add a function");
  git({"update-ref", "refs/heads/main", first});
  fs::create_directories(state_dir_);
  const std::string state = "'" + state_dir_.string() + "'";
  const std::string waits = "grep -q '\"phase\": \"waiting\"' " + state + "/status.json";
  // The service meets the full disk with two new commits and a request before it; only then there is room.
  const std::string script =
      "mount -t tmpfs -o size=64m small " + state + " || exit 77\n" +
      tandem_line(daemon_flags({"--interval", "1", "--no_calibrate"})) + " 2>'" +
      (root_ / "errors").string() + "' &\n" + "service=$!\n" + "for i in $(seq 100); do " + waits +
      " && break; sleep 0.2; done\n" + "kill -STOP $service || exit 71\n" + "git -C '" + repo_.string() +
      "' update-ref refs/heads/main " + last + "\n" +
      tandem_line({"queue", first, "--state_dir", state_dir_}) + " || exit 72\n" +
      "head -c 200000000 /dev/zero > " + state + "/ballast 2>/dev/null\n" + "kill -CONT $service\n" +
      "sleep 10\n" + "kill -0 $service || exit 73\n" + "rm " + state + "/ballast\n" +
      "for i in $(seq 300); do\n  " + tandem_line({"report", "--json", "--all", "--state_dir", state_dir_}) +
      " | grep -q " + slower + " && " + tandem_line({"queue", "--list", "--state_dir", state_dir_}) +
      " | grep -q done && " + waits + " && break\n  sleep 0.5\ndone\n" + "kill -TERM $service\n" +
      "wait $service\n" + "cp -a " + state + " '" + (root_ / "after").string() + "'\n";
  runners::Command command = tandem_command({});
  command.argv = {"/usr/bin/unshare", "--mount", "/bin/sh", "-c", script};
  runners::Limits limits;
  limits.deadline = std::chrono::minutes{4};
  const auto finished = run_command(command, limits);
  if (finished.how == runners::Finished::How::exited && (finished.code == 77 || finished.code == 1)) {
    GTEST_SKIP() << "no small file system can be mounted: " << finished.errors;
  }
  ASSERT_EQ(describe(finished), "exited with status 0")
      << finished.errors << finished.output << read_file(root_ / "errors");
  EXPECT_EQ(stored("PRAGMA integrity_check"), std::vector<std::string>{"ok"});
  EXPECT_EQ(stored("SELECT count(*) FROM done"), std::vector<std::string>{"3"});
  EXPECT_TRUE(
      stored("SELECT outcome FROM verdict WHERE outcome = 'failed' OR outcome LIKE '%_fails'").empty());
  EXPECT_TRUE(stored("SELECT kind, sentence FROM build WHERE succeeded = 0").empty());
  EXPECT_EQ(stored("SELECT state FROM request"), std::vector<std::string>{"done"});
  state_dir_ = root_ / "after";
  const auto found = reports();
  ASSERT_EQ(confirmed(found).size(), 1U);
  EXPECT_EQ(found[0].culprit, slower);
}

enum class As { root, user };

class SmallDisk : public FullDisk, public testing::WithParamInterface<As> {};

/// Were the linkings of a confirmation kept, they would not fit beside those of the screen.
TEST_P(SmallDisk, HoldsAConfirmedRegressionWithManyLayouts) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount a small file system";
  write_build_script("exec cc $CFLAGS -o \"$2\" \"$1/net.c\"\n");
  Net net;
  net.unused = "const char weights[4000000] = {1};\n";
  commit(net, "Add the net");
  net.conv_rounds *= 2;
  const std::string slower = commit(net, "Make conv more exact");
  const fs::path disk = root_ / "disk";
  fs::create_directories(disk);
  exec_dir_ = disk / "executables";
  state_dir_ = disk / "state";
  std::string before;
  if (GetParam() == As::user) {
    const std::string nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
    fs::permissions(temporary_.path(), fs::perms::others_exec, fs::perm_options::add);
    before = nobody + "test -x " + quoted({tandem_command({}).argv[0]}) + " || exit 78\nexec " + nobody;
  }
  const std::string script =
      "mount -t tmpfs -o size=120m small '" + disk.string() + "' || exit 77\n" +
      (GetParam() == As::user ? "chown -R 65534:65534 '" + root_.string() + "'\n" : "") + "( " + before +
      tandem_line(once_flags({"--cache_budget", "40M", "--no_calibrate"})) + ")\n" + "code=$?\ncp -a '" +
      disk.string() + "/state' '" + (root_ / "after").string() + "'\ndu -sm '" + exec_dir_.string() +
      "'\nexit $code\n";
  runners::Command command = tandem_command({});
  command.argv = {"/usr/bin/unshare", "--mount", "/bin/sh", "-c", script};
  runners::Limits limits;
  limits.deadline = std::chrono::minutes{4};
  const auto finished = run_command(command, limits);
  if (finished.how == runners::Finished::How::exited && (finished.code == 77 || finished.code == 78)) {
    GTEST_SKIP() << (finished.code == 77 ? "no small file system can be mounted: "
                                         : "another user does not reach the program under test: ")
                 << finished.errors;
  }
  ASSERT_EQ(describe(finished), "exited with status 1") << finished.errors << finished.output;
  // The budget and one entry: an executable with its eight linkings.
  EXPECT_LE(std::stoi(finished.output), 40 + 40) << finished.output;
  EXPECT_TRUE(stored("SELECT sentence FROM build WHERE succeeded = 0").empty());
  state_dir_ = root_ / "after";
  const auto found = reports();
  ASSERT_EQ(confirmed(found).size(), 1U);
  EXPECT_EQ(found[0].culprit, slower);
}

INSTANTIATE_TEST_SUITE_P(Of, SmallDisk, testing::Values(As::root, As::user),
                         [](const auto& chosen) { return chosen.param == As::root ? "Root" : "AUser"; });

}  // namespace
}  // namespace tandem::tests
