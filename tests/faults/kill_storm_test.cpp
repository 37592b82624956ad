#include <signal.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>

#include "end_to_end/service.hpp"
#include "end_to_end/world.hpp"

namespace tandem::tests {
namespace {

/// What was recorded, apart from whether a regression is fixed already: on a busy host the measurement of
/// what a fix left may need another try.
std::multiset<std::string> recorded(std::vector<ReportReading> reports) {
  for (ReportReading& one : reports) {
    EXPECT_TRUE(one.state == "open" || one.state == "fixed" || one.state == "noted") << one.state;
    if (one.state == "fixed") one.state = "open";
  }
  return confirmed(reports);
}

class KilledDaemon : public World {
 protected:
  /// A slowdown that is mended later, and another one that stays.
  void history() {
    Net net;
    commit(net, "Add the net");
    net.unused = "int spare(void) { return 1; }\n";
    commit(net, "Add a function");
    net.conv_rounds *= 2;
    commit(net, "Make conv more exact");
    net.unused = "int spare(void) { return 2; }\n";
    commit(net, "Change the function");
    net.conv_rounds /= 2;
    commit(net, "Make conv fast again");
    net.softmax_rounds *= 2;
    commit(net, "Make softmax more exact");
  }

  void use_new_directories(const std::string& name) {
    state_dir_ = root_ / name / "state";
    exec_dir_ = root_ / name / "executables";
  }

  /// What must hold after a run that came to its end, whatever happened before.
  void expect_sound(const std::multiset<std::string>& expected) const {
    const auto found = reports();
    EXPECT_EQ(recorded(found), expected);
    EXPECT_EQ(ask(state_dir_ / "tandem.db", "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
    EXPECT_EQ(ask(state_dir_ / "tandem.db", "SELECT count(*) FROM done"), std::vector<std::string>{"6"});
    std::vector<std::string> files;
    for (const ReportReading& report : found) {
      EXPECT_EQ(read_file(state_dir_ / "reports" / report.id / "report.json"),
                tandem({"report", report.id, "--json", "--state_dir", state_dir_}).output);
      files.push_back(report.id + "/report.json");
      files.push_back(report.id + "/report.md");
    }
    std::sort(files.begin(), files.end());
    EXPECT_EQ(files_below(state_dir_ / "reports"), files);
    EXPECT_EQ(status().phase, "stopped");
    EXPECT_FALSE(fs::exists(state_dir_ / "work" / "00"));
    EXPECT_TRUE(files_below(state_dir_ / "scratch").empty());
    EXPECT_TRUE(files_below(scratch_).empty());
  }
};

TEST_F(KilledDaemon, GivesTheSameReportsInTheEndWhateverTheMoment) {
  history();
  use_new_directories("undisturbed");
  const auto begin = std::chrono::steady_clock::now();
  const auto undisturbed = tandem(once_flags());
  const auto duration = std::chrono::steady_clock::now() - begin;
  ASSERT_EQ(describe(undisturbed), "exited with status 1") << undisturbed.errors;
  const auto expected = recorded(reports());
  ASSERT_EQ(expected.size(), 3U) << "two regressions and an improvement were planted\n" << undisturbed.errors;
  expect_sound(expected);

  // Lives of a sixth of a run on average: together the kills pass over the whole run, and over its longest
  // steps several times. A run that ends before its kill is examined, and the next one begins anew.
  std::mt19937 random(20231121);
  std::uniform_real_distribution<double> share(0.0, 1.0 / 3);
  const int wanted = long_form() ? 50 : 5;
  int runs = 1;
  // The killed are not reaped before the end, so that nothing but the next daemon looks after their children.
  std::vector<std::unique_ptr<Service>> killed;
  use_new_directories("storm-1");
  while (static_cast<int>(killed.size()) < wanted) {
    auto service = std::make_unique<Service>(tandem_command(once_flags()));
    const auto life = std::chrono::duration_cast<std::chrono::milliseconds>(duration * share(random));
    if (const auto ended = service->end_within(life)) {
      ASSERT_EQ(describe(*ended), "exited with status 1") << ended->errors;
      expect_sound(expected);
      use_new_directories("storm-" + std::to_string(++runs));
      continue;
    }
    service->kill();
    killed.push_back(std::move(service));
  }
  const auto last = tandem(once_flags());
  EXPECT_EQ(describe(last), "exited with status 1") << last.errors;
  expect_sound(expected);
  EXPECT_TRUE(processes_of(root_).empty());
}

TEST_F(KilledDaemon, TakesASandboxedBuildWithIt) {
  write_build_script("sleep 601\n");
  commit({}, "Add the net");
  Service first(tandem_command(daemon_flags()));
  ASSERT_TRUE(first.until([&] { return processes_of(root_).size() >= 3; })) << "daemon, bwrap, its init";
  if (read_file(state_dir_ / "status.json").find("\"sandbox: ") == std::string::npos) {
    GTEST_SKIP() << "this host makes no sandbox";
  }
  first.kill();
  EXPECT_TRUE(first.until([&] { return processes_of(root_).empty(); }));
}

TEST_F(KilledDaemon, HasTheProcessesOfItsBuildEndedByTheNextOne) {
  const fs::path slow = root_ / "slow";
  write_file(slow, "");
  write_build_script("test ! -e '" + slow.string() + "' || sleep 601\ncc -O2 -o \"$2\" \"$1/net.c\"\n");
  commit({}, "Add the net");
  auto flags = daemon_flags();
  flags.insert(flags.end(), {"--sandbox", "none"});
  Service first(tandem_command(flags));
  ASSERT_TRUE(first.until([&] { return processes_of(root_).size() >= 3; })) << "daemon, script, sleep";
  first.kill();
  fs::remove(slow);

  Service second(tandem_command(flags));
  EXPECT_TRUE(second.until([&] {
    const std::string text = read_file(state_dir_ / "status.json");
    return !text.empty() && read_status(text).phase == "waiting" && processes_of(root_).size() == 1;
  })) << processes_of(root_).size()
      << " processes are alive";
  second.signal(SIGTERM);
  ASSERT_TRUE(second.end_within(std::chrono::seconds{30}));
}

TEST_F(KilledDaemon, HasReportsThatAreNotAsStoredRestoredByTheNextOne) {
  Net net;
  commit(net, "Add the net");
  net.conv_rounds *= 2;
  commit(net, "Make conv more exact");
  ASSERT_EQ(describe(tandem(once_flags())), "exited with status 1");
  const auto found = reports();
  ASSERT_EQ(found.size(), 1U);
  const fs::path folder = state_dir_ / "reports" / found[0].id;
  const std::string markdown = read_file(folder / "report.md");
  const std::string json = read_file(folder / "report.json");
  fs::remove(folder / "report.md");
  write_file(folder / "report.json", "{\"state\": \"fixed\"}");
  EXPECT_EQ(describe(tandem(once_flags())), "exited with status 1");
  EXPECT_EQ(read_file(folder / "report.md"), markdown);
  EXPECT_EQ(read_file(folder / "report.json"), json);
}

TEST_F(KilledDaemon, HasItsHalfWrittenFilesRemovedByTheNextOne) {
  commit({}, "Add the net");
  ASSERT_EQ(describe(tandem(once_flags())), "exited with status 0");
  const auto files = files_below(state_dir_);
  const std::string marker = read_file(state_dir_ / "tandem.state");
  const std::size_t id_at = marker.find("\"id\": \"") + 7;
  const std::string id = marker.substr(id_at, marker.find('"', id_at) - id_at);
  const std::string half = std::to_string(4'194'304 + 7);  // no process has this number
  for (const std::string& leftover : {"status.json." + half + ".new", std::string("work/00/tree/net.c"),
                                      std::string("scratch/run-0123456789abcdef/tandem-abcdef/0/net")}) {
    write_file(state_dir_ / leftover, "half");
  }
  write_file(state_dir_ / "scratch/run-0123456789abcdef/tandem.owner",
             "{\"schema\": \"tandem.owned/1\", \"owner\": \"" + id + "\"}\n");
  EXPECT_EQ(describe(tandem(once_flags())), "exited with status 0");
  EXPECT_EQ(files_below(state_dir_), files);

  // What it did not make stays.
  for (const char* foreign : {"letter.4242.new", "status.json.new", "scratch/tandem-abcdef/0/net",
                              "scratch/run-0123456789abcdef/tandem-abcdef/0/net"}) {
    write_file(state_dir_ / foreign, "mine");
  }
  EXPECT_EQ(describe(tandem(once_flags())), "exited with status 0");
  EXPECT_EQ(files_below(state_dir_).size(), files.size() + 4);
}

}  // namespace
}  // namespace tandem::tests
