// Where commits come from and what builds bring along: Mercurial, a branch that cannot be fetched, layouts,
// programs brought by hand.
#include "end_to_end/world.hpp"

namespace tandem::tests {
namespace {

class Sources : public World {
 protected:
  static std::string quoted(const std::string& name, const std::string& value) {
    return "\"" + name + "\": \"" + value;
  }

  std::string report_of_a_slower_commit() {
    Net net;
    commit(net, "Add the net");
    net.conv_rounds *= 2;
    commit(net, "Make conv more exact");
    const auto finished = tandem(once_flags());
    EXPECT_EQ(describe(finished), "exited with status 1") << finished.errors;
    return tandem({"report", "--json", "--state_dir", state_dir_}).output;
  }
};

TEST_F(Sources, OfMercurialHaveTheirSlowerCommitNamed) {
  if (!fs::exists("/usr/bin/hg")) GTEST_SKIP() << "mercurial is not installed";
  const fs::path upstream = root_ / "hg";
  const auto hg = [&](std::vector<std::string> arguments) {
    runners::Command command;
    command.argv = {"/usr/bin/hg", "--cwd", root_};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    command.environment = {"PATH=/usr/bin:/bin", "HGPLAIN=1", "HGRCPATH=", "HGUSER=Ada <ada@example.org>"};
    const auto finished = run_command(command, {});
    EXPECT_TRUE(finished.succeeded()) << finished.errors;
    return finished.output;
  };
  hg({"init", upstream});
  Net net;
  std::string culprit;
  for (int i = 0; i < 3; ++i) {
    if (i == 2) net.conv_rounds *= 2;
    net.unused += "int spare" + std::to_string(i) + "(void) { return 1; }\n";
    write_file(upstream / "net.c", net.source());
    hg({"-R", upstream, "commit", "--addremove", "-d", std::to_string(1'700'550'000 + 600 * i) + " 0", "-m",
        "Commit " + std::to_string(i)});
    culprit = hg({"-R", upstream, "log", "-r", ".", "-T", "{node}"});
  }
  const auto finished = tandem(once_flags({"--repo", "hg", "--repo_dir", upstream, "--branch", "default"}));
  EXPECT_EQ(describe(finished), "exited with status 1") << finished.errors;
  const auto found = read_reports(tandem({"report", "--json", "--state_dir", state_dir_}).output);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].culprit, culprit);
}

TEST_F(Sources, ThatCannotBeFetchedAreWalkedAsFarAsTheyAreKnown) {
  Net net;
  const std::string tip = commit(net, "Add the net");
  EXPECT_TRUE(is_quiet(tandem(once_flags({"--repo_dir", "file://" + repo_.string()}))));
  fs::rename(repo_, root_ / "gone");
  const auto finished = tandem(once_flags({"--repo_dir", "file://" + repo_.string()}));
  EXPECT_EQ(describe(finished), "exited with status 4") << finished.errors;
  const std::string status = read_file(state_dir_ / "status.json");
  EXPECT_NE(status.find("\"failures\": 1"), std::string::npos) << status;
  EXPECT_NE(status.find(quoted("next_at", "2")), std::string::npos) << "when it is tried again\n" << status;
  EXPECT_EQ(ask(state_dir_ / "tandem.db", "SELECT kind FROM event"), std::vector<std::string>{"fetch"});

  fs::rename(root_ / "gone", repo_);
  EXPECT_TRUE(is_quiet(tandem(once_flags({"--repo_dir", "file://" + repo_.string()}))));
  EXPECT_NE(read_file(state_dir_ / "status.json").find("\"failures\": 0"), std::string::npos);
}

TEST_F(Sources, BuiltWithASectionPerFunctionAreMeasuredInManyLayouts) {
  if (!fs::exists("/usr/bin/ld.lld")) GTEST_SKIP() << "lld is not installed";
  write_build_script("exec cc $CFLAGS -o \"$2\" \"$1/net.c\"\n");
  const std::string report = report_of_a_slower_commit();
  EXPECT_NE(report.find(quoted("layout", "8 per side in the screen")), std::string::npos) << report;
}

TEST_F(Sources, LinkedInAWayThatCannotBeRepeatedAreMarkedAsUnresolved) {
  write_build_script("exec cc -O2 -flto -o \"$2\" \"$1/net.c\"\n");
  const std::string report = report_of_a_slower_commit();
  EXPECT_NE(report.find(quoted("layout", "unresolved: ")), std::string::npos) << report;
}

TEST_F(Sources, MayBeBroughtAsProgramsByHand) {
  Net net;
  const std::string first = commit(net, "Add the net");
  write_build_script("exit 1\n");
  const fs::path program = root_ / "mine";
  write_file(root_ / "net.c", net.source());
  runners::Command compile;
  compile.argv = {"/usr/bin/cc", "-O2", "-o", program, root_ / "net.c"};
  compile.environment = {"PATH=/usr/bin:/bin"};
  ASSERT_TRUE(run_command(compile, {}).succeeded());
  const auto added = tandem({"cache", "add", "--framework", "foreign", "--platform", "linux", "--commit",
                             first, "--exec_dir", exec_dir_, "--state_dir", state_dir_, program});
  ASSERT_TRUE(added.succeeded()) << added.errors;
  EXPECT_TRUE(is_quiet(tandem(once_flags())));
  EXPECT_EQ(status().verdicts.size(), 2U) << "both operators of the program that was added";
}

}  // namespace
}  // namespace tandem::tests
