// Whose a state directory is, and what a start does with one that lost something.
#include <signal.h>

#include <algorithm>
#include <fstream>

#include "end_to_end/service.hpp"
#include "end_to_end/world.hpp"

namespace tandem::tests {
namespace {

class StateDirectory : public World {
 protected:
  /// A walk that finds one regression; the id of its report.
  std::string found_regression() {
    Net net;
    commit(net, "Add the net");
    net.conv_rounds *= 2;
    commit(net, "Make conv more exact");
    EXPECT_EQ(describe(tandem(once_flags())), "exited with status 1");
    const auto found = reports();
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? "" : found[0].id;
  }
  void lose_database() const {
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove((state_dir_ / "tandem.db").string() + ending);
  }
  /// Nothing builds and nothing is built: whatever is there afterwards was not measured again.
  void lose_builds() const {
    write_build_script("exit 9\n");
    fs::remove_all(exec_dir_);
  }
  /// The report is in the store again, and open, without a new measurement.
  void expect_back(const std::string& id, const std::string& json) const {
    EXPECT_TRUE(read_file(state_dir_ / "reports" / id / "report.json") == json);
    EXPECT_TRUE(tandem({"report", id, "--json", "--state_dir", state_dir_}).output == json);
    EXPECT_EQ(status().open_regressions, 1U);
  }
};

TEST_F(StateDirectory, OfSomebodyElseIsRefusedAndStaysAsItIs) {
  commit({}, "Add the net");
  for (const char* file : {"reports/2023/balance.txt", "scratch/draft", "letter.123.new", "work/00/plan"}) {
    write_file(state_dir_ / file, "mine");
  }
  const auto before = files_below(state_dir_);
  const auto finished = tandem(once_flags());
  EXPECT_EQ(describe(finished), "exited with status 2") << finished.errors;
  EXPECT_NE(finished.errors.find(state_dir_.string()), std::string::npos) << finished.errors;
  EXPECT_NE(finished.errors.find("empty directory"), std::string::npos) << finished.errors;
  EXPECT_EQ(files_below(state_dir_), before);
  for (const std::string& file : before) EXPECT_EQ(read_file(state_dir_ / file), "mine") << file;
}

TEST_F(StateDirectory, WithADatabaseOfSomethingElseIsRefused) {
  commit({}, "Add the net");
  write_file(state_dir_ / "tandem.db", "a list of tandems for sale");
  const auto finished = tandem(once_flags());
  EXPECT_EQ(describe(finished), "exited with status 2") << finished.errors;
  EXPECT_EQ(files_below(state_dir_), std::vector<std::string>{"tandem.db"});
}

TEST_F(StateDirectory, OfANewerVersionIsRefused) {
  commit({}, "Add the net");
  const std::string marker = "{\"schema\": \"tandem.state\", \"version\": 9, \"id\": \"0a\"}";
  write_file(state_dir_ / "tandem.state", marker);
  const auto finished = tandem(once_flags());
  EXPECT_EQ(describe(finished), "exited with status 2") << finished.errors;
  EXPECT_NE(finished.errors.find("version 9"), std::string::npos) << finished.errors;
  EXPECT_EQ(read_file(state_dir_ / "tandem.state"), marker);
  EXPECT_EQ(files_below(state_dir_).size(), 1U);
}

TEST_F(StateDirectory, IsNotMadeWhenASettingIsWrong) {
  commit({}, "Add the net");
  write_file(spec_, "{\"model\": {}, \"tests\": [}");
  EXPECT_EQ(describe(tandem(once_flags())), "exited with status 2");
  EXPECT_FALSE(fs::exists(state_dir_));
}

TEST_F(StateDirectory, IsMarkedAndOneWithoutAMarkerIsTakenOver) {
  commit({}, "Add the net");
  ASSERT_TRUE(is_quiet(tandem(once_flags())));
  const std::string marker = read_file(state_dir_ / "tandem.state");
  EXPECT_NE(marker.find("\"version\": 1"), std::string::npos) << marker;
  ASSERT_TRUE(is_quiet(tandem(once_flags())));
  EXPECT_EQ(read_file(state_dir_ / "tandem.state"), marker);
  fs::remove(state_dir_ / "tandem.state");
  fs::remove(state_dir_ / "status.json");
  ASSERT_TRUE(is_quiet(tandem(once_flags())));
  EXPECT_NE(read_file(state_dir_ / "tandem.state").find("\"version\": 1"), std::string::npos);
}

TEST_F(StateDirectory, ThatLostItsDatabaseHasItsReportsReadBack) {
  const std::string id = found_regression();
  ASSERT_FALSE(id.empty());
  const std::string json = read_file(state_dir_ / "reports" / id / "report.json");
  write_file(state_dir_ / "reports" / "0123456789abcdef" / "report.json", "half");
  write_file(state_dir_ / "reports" / "notes" / "mine.txt", "mine");
  lose_database();
  lose_builds();
  EXPECT_EQ(describe(tandem(once_flags())), "exited with status 1") << "it is open again";
  expect_back(id, json);
  EXPECT_EQ(read_file(state_dir_ / "reports" / "0123456789abcdef" / "report.json"), "half");
  EXPECT_EQ(read_file(state_dir_ / "reports" / "notes" / "mine.txt"), "mine");
  const std::string shown = tandem({"status", "--state_dir", state_dir_}).output;
  EXPECT_NE(shown.find("0123456789abcdef"), std::string::npos) << shown;
  EXPECT_NE(shown.find("read back"), std::string::npos) << shown;
  EXPECT_FALSE(ask(state_dir_ / "tandem.db", "SELECT 1 FROM event WHERE kind = 'report'").empty());

  // A walk that begins anew neither loses nor doubles it.
  write_build_script("exec cc -O2 -o \"$2\" \"$1/net.c\"\n");
  lose_database();
  EXPECT_EQ(describe(tandem(once_flags())), "exited with status 1");
  const auto found = reports();
  ASSERT_EQ(confirmed(found).size(), 1U);
  EXPECT_EQ(found[0].id, id);
}

TEST_F(StateDirectory, WithADamagedDatabaseSetsItAside) {
  const std::string id = found_regression();
  ASSERT_FALSE(id.empty());
  const std::string json = read_file(state_dir_ / "reports" / id / "report.json");
  for (const char* ending : {"-wal", "-shm"}) fs::remove((state_dir_ / "tandem.db").string() + ending);
  const fs::path database = state_dir_ / "tandem.db";
  {
    std::fstream file(database, std::ios::in | std::ios::out | std::ios::binary);
    const auto size = static_cast<std::streamoff>(fs::file_size(database));
    for (std::streamoff at = 1024; at < size; at += 512) {
      file.seekp(at);
      file.write("damage damage damage damage damage damage damage damage", 56);
    }
  }
  const std::string damaged = read_file(database);
  lose_builds();
  EXPECT_EQ(describe(tandem(once_flags())), "exited with status 1") << "it is open again";
  expect_back(id, json);
  std::vector<std::string> aside;
  for (const std::string& file : files_below(state_dir_)) {
    if (file.starts_with("tandem.db.damaged-") && !file.ends_with("-wal") && !file.ends_with("-shm")) {
      aside.push_back(file);
    }
  }
  ASSERT_EQ(aside.size(), 1U);
  EXPECT_EQ(read_file(state_dir_ / aside[0]), damaged);
  const std::string shown = tandem({"status", "--state_dir", state_dir_}).output;
  EXPECT_NE(shown.find(aside[0]), std::string::npos) << shown;
  EXPECT_FALSE(ask(database, "SELECT 1 FROM event WHERE kind = 'store'").empty());
}

TEST_F(StateDirectory, OfAKilledDaemonSaysThatItIsDead) {
  commit({}, "Add the net");
  Service service(tandem_command(daemon_flags({"--interval", "600", "--no_calibrate"})));
  const std::vector<std::string> ask_status = {"status", "--state_dir", state_dir_};
  ASSERT_TRUE(service.until([&] {
    const std::string text = read_file(state_dir_ / "status.json");
    return !text.empty() && read_status(text).phase == "waiting";
  }));
  const auto json = [&] { return tandem({"status", "--json", "--state_dir", state_dir_}).output; };
  EXPECT_NE(json().find("\"daemon\": \"running\""), std::string::npos);
  EXPECT_EQ(tandem(ask_status).output.find("DEAD"), std::string::npos);
  service.kill();
  EXPECT_NE(json().find("\"daemon\": \"dead\""), std::string::npos);
  EXPECT_NE(tandem(ask_status).output.find("THE DAEMON IS DEAD"), std::string::npos);
  ASSERT_TRUE(is_quiet(tandem(once_flags())));
  EXPECT_NE(json().find("\"daemon\": \"stopped\""), std::string::npos);
}

}  // namespace
}  // namespace tandem::tests
