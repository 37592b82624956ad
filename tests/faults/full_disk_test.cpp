// A state directory whose disk is full for a while and has room again. Needs root and a mount namespace.
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

}  // namespace
}  // namespace tandem::tests
