#include "end_to_end/service.hpp"

#include <signal.h>

#include <algorithm>

#include "end_to_end/world.hpp"

namespace tandem::tests {
namespace {

using std::chrono::seconds;

class ServiceTest : public World {
 protected:
  [[nodiscard]] runners::Command service_command(const std::string& interval = "1") const {
    return tandem_command(
        daemon_flags({"--interval", interval, "--status_file", stop_file_, "--no_calibrate"}));
  }
  /// What status.json says now; nothing yet: an empty one.
  [[nodiscard]] StatusReading now() const {
    const std::string text = read_file(state_dir_ / "status.json");
    return text.empty() ? StatusReading{} : read_status(text);
  }
  [[nodiscard]] bool is_done(const std::string& commit) const {
    return fs::exists(state_dir_ / "status.json") &&
           ask(state_dir_ / "tandem.db", "SELECT 1 FROM done WHERE commit_hash = '" + commit + "'").size() ==
               1;
  }
  bool in_phase(Service& service, const std::string& phase) const {
    return service.until([&] { return now().phase == phase; });
  }
  void expect_stopped(Service& service) const {
    const auto ended = service.end_within(seconds{5});
    ASSERT_TRUE(ended) << "it still runs after 5 s";
    EXPECT_EQ(describe(*ended), "exited with status 0") << ended->errors;
    EXPECT_EQ(ended->left_behind, 0U);
    EXPECT_EQ(now().phase, "stopped");
    EXPECT_EQ(ask(state_dir_ / "tandem.db", "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
    for (const std::string& file : files_below(state_dir_)) EXPECT_FALSE(file.ends_with(".new")) << file;
    EXPECT_TRUE(files_below(scratch_).empty());
    EXPECT_TRUE(processes_of(root_).empty());
  }

  fs::path stop_file_ = root_ / "stop";
};

enum class By { sigterm, sigint, stop_file };

class StoppedService : public ServiceTest, public testing::WithParamInterface<By> {
 protected:
  void stop(Service& service) const {
    if (GetParam() == By::stop_file) {
      write_file(stop_file_, "0\n");
    } else {
      service.signal(GetParam() == By::sigterm ? SIGTERM : SIGINT);
    }
  }
};

TEST_P(StoppedService, EndsWhileItWaits) {
  write_file(stop_file_, "1\n");
  const std::string tip = commit({}, "Add the net");
  Service service(service_command("600"));
  ASSERT_TRUE(in_phase(service, "waiting"));
  EXPECT_TRUE(is_done(tip));
  stop(service);
  expect_stopped(service);
}

TEST_P(StoppedService, EndsInTheMiddleOfABuildAndGoesOnLater) {
  const fs::path slow = frameworks_dir_ / "foreign" / "linux" / "slow";  // seen from inside the sandbox, too
  write_file(slow, "");
  write_build_script("test ! -e \"$(dirname \"$0\")/slow\" || sleep 603\ncc -O2 -o \"$2\" \"$1/net.c\"\n");
  const std::string tip = commit({}, "Add the net");
  Service service(service_command());
  ASSERT_TRUE(service.until([&] { return processes_of(root_).size() >= 3; })) << "daemon, script, sleep";
  EXPECT_EQ(now().phase, "building");
  stop(service);
  expect_stopped(service);
  EXPECT_FALSE(is_done(tip));
  EXPECT_TRUE(ask(state_dir_ / "tandem.db", "SELECT 1 FROM build").empty()) << "a stop is no failed build";

  fs::remove(slow);
  EXPECT_EQ(describe(tandem(once_flags())), "exited with status 0");
  EXPECT_TRUE(is_done(tip));
}

TEST_P(StoppedService, EndsInTheMiddleOfAMeasurement) {
  Net net;
  commit(net, "Add the net");
  net.at_start = "struct timespec long_time = {604, 0};\n  nanosleep(&long_time, 0);";
  const std::string tip = commit(net, "Think first");
  Service service(service_command());
  ASSERT_TRUE(service.until([&] {
    const auto status = now();
    return status.phase == "measuring" && status.commit == tip && processes_of(root_).size() >= 2;
  }));
  stop(service);
  expect_stopped(service);
  EXPECT_FALSE(is_done(tip));
  EXPECT_TRUE(
      ask(state_dir_ / "tandem.db", "SELECT 1 FROM verdict WHERE commit_hash = '" + tip + "'").empty());
}

INSTANTIATE_TEST_SUITE_P(By, StoppedService, testing::Values(By::sigterm, By::sigint, By::stop_file),
                         [](const auto& given) {
                           return given.param == By::sigterm  ? "Sigterm"
                                  : given.param == By::sigint ? "Sigint"
                                                              : "StopFile";
                         });

TEST_F(ServiceTest, MeasuresACommitThatArrivesWhileItWaits) {
  Net net;
  commit(net, "Add the net");
  Service service(service_command());
  ASSERT_TRUE(in_phase(service, "waiting"));
  net.unused = "int spare(void) { return 1; }\n";
  const std::string next = commit(net, "Add a function");
  EXPECT_TRUE(service.until([&] { return is_done(next); }));
  service.signal(SIGTERM);
  expect_stopped(service);
}

TEST_F(ServiceTest, ServesARequestThatArrivesWhileItWaits) {
  const std::string tip = commit({}, "Add the net");
  Service service(service_command("600"));
  ASSERT_TRUE(in_phase(service, "waiting"));
  const auto asked = tandem({"queue", tip, "--state_dir", state_dir_});
  ASSERT_TRUE(asked.succeeded()) << asked.errors;
  EXPECT_TRUE(service.until([&] {
    return ask(state_dir_ / "tandem.db", "SELECT state FROM request") == std::vector<std::string>{"done"};
  }));
  EXPECT_TRUE(in_phase(service, "waiting")) << "the round is not due yet";
  service.signal(SIGTERM);
  expect_stopped(service);
}

TEST_F(ServiceTest, IsNamedToASecondOneOnTheSameStateDirectory) {
  commit({}, "Add the net");
  Service service(service_command());
  ASSERT_TRUE(in_phase(service, "waiting"));
  const auto second = tandem(once_flags());
  EXPECT_EQ(describe(second), "exited with status 4");
  EXPECT_NE(second.errors.find("process " + std::to_string(service.pid()) + " "), std::string::npos)
      << second.errors;
  EXPECT_EQ(std::count(second.errors.begin(), second.errors.end(), '\n'), 1) << second.errors;
  EXPECT_NE(now().phase, "stopped") << "the second one wrote the status of the first";
  service.signal(SIGTERM);
  expect_stopped(service);
}

TEST_F(ServiceTest, RecordsAFailingFetchAndGoesOnWhenItWorksAgain) {
  Net net;
  commit(net, "Add the net");
  Service service(service_command());
  ASSERT_TRUE(in_phase(service, "waiting"));
  EXPECT_EQ(now().last_error, "");
  fs::rename(repo_, root_ / "away");
  ASSERT_TRUE(service.until([&] { return !now().last_error.empty(); }));
  EXPECT_NE(now().last_error.find(repo_.string()), std::string::npos) << now().last_error;
  EXPECT_FALSE(ask(state_dir_ / "tandem.db", "SELECT 1 FROM event WHERE kind = 'fetch'").empty());
  fs::rename(root_ / "away", repo_);
  net.unused = "int spare(void) { return 1; }\n";
  const std::string next = commit(net, "Add a function");
  EXPECT_TRUE(service.until([&] { return is_done(next); }));
  service.signal(SIGTERM);
  expect_stopped(service);
}

TEST_F(ServiceTest, GoesOnWhenItsStoreCanBeReadAgain) {
  Net net;
  commit(net, "Add the net");
  Service service(service_command());
  ASSERT_TRUE(in_phase(service, "waiting"));
  const auto rename = [&](const std::string& from, const std::string& to) {
    static_cast<void>(ask(state_dir_ / "tandem.db", "ALTER TABLE " + from + " RENAME TO " + to));
  };
  rename("waiting_commit", "mislaid");
  rename("request", "mislaid_too");
  net.unused = "int spare(void) { return 1; }\n";
  const std::string next = commit(net, "Add a function");
  ASSERT_TRUE(service.until([&] { return now().last_error.find("no such table") != std::string::npos; }));
  EXPECT_FALSE(is_done(next));
  rename("mislaid", "waiting_commit");
  rename("mislaid_too", "request");
  const auto goes_on = [&] { return service.until([&] { return is_done(next); }); };
  EXPECT_TRUE(goes_on() || goes_on()) << "it may rest for a minute after an error";
  service.signal(SIGTERM);
  expect_stopped(service);
}

TEST_F(ServiceTest, HasAStatusAndReportsThatAreWholeWheneverTheyAreRead) {
  Net net;
  commit(net, "Add the net");
  net.conv_rounds *= 2;
  const std::string tip = commit(net, "Make conv more exact");
  Service service(service_command());
  std::size_t readings = 0;
  EXPECT_TRUE(service.until([&] {
    for (int i = 0; i < 20; ++i) {
      const std::string text = read_file(state_dir_ / "status.json");
      if (text.empty()) continue;
      EXPECT_NO_THROW(static_cast<void>(read_status(text))) << text;
      ++readings;
    }
    for (const std::string& file : files_below(state_dir_ / "reports")) {
      if (!file.ends_with("/report.json")) continue;
      EXPECT_NO_THROW(static_cast<void>(read_reports("[" + read_file(state_dir_ / "reports" / file) + "]")));
    }
    return is_done(tip);
  }));
  EXPECT_GT(readings, 100U);
  EXPECT_EQ(confirmed(reports()).size(), 1U);
  service.signal(SIGTERM);
  expect_stopped(service);
}

}  // namespace
}  // namespace tandem::tests
