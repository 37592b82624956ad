// `tandem run` itself, on specs and real little executables.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runners/process/process.hpp"
#include "support/paths.hpp"
#include "support/programs.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::daemon {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Words = std::vector<std::string>;

class RunCommand : public testing::Test {
 protected:
  runners::Finished run(const Words& words) const {
    runners::Command command;
    command.argv = {tests::paths::tandem, "run", "--state_dir", (directory_.path() / "state").string()};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    command.environment = runners::current_environment();
    // Other tests measure as well; each holds a lock of its own.
    command.environment.push_back("TANDEM_LOCK_FILE=" + (directory_.path() / "lock").string());
    command.working_directory = directory_.path();
    return run_command(command, {std::chrono::minutes{2}, std::size_t{4} << 20});
  }

  /// The records that --json prints, one a line.
  std::vector<json> records(const runners::Finished& finished) const {
    std::vector<json> all;
    std::istringstream lines(finished.output);
    for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
    return all;
  }

  std::string write(const std::string& name, const std::string& text) const {
    const fs::path file = directory_.path() / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }

  static std::string program(const std::string& name) { return tests::program(name).string(); }

  static void expect(const runners::Finished& finished, int code) {
    EXPECT_EQ(finished.how, runners::Finished::How::exited) << describe(finished);
    EXPECT_EQ(finished.code, code) << finished.output << finished.errors;
  }

  tests::TemporaryDirectory directory_;
};

TEST_F(RunCommand, ShowsAnExecutableWithoutASpec) {
  const auto finished = run({program("observed")});
  expect(finished, 0);
  EXPECT_NE(finished.output.find("NET latency"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("MatMul latency"), std::string::npos) << finished.output;
}

TEST_F(RunCommand, ComparesTwoExecutables) {
  const auto finished = run({program("observed"), program("observed_slower"), "--json"});
  expect(finished, 1);
  const auto all = records(finished);
  ASSERT_EQ(all.size(), 1u) << finished.errors;
  const json& net = all[0].at("data").at("NET latency");
  EXPECT_EQ(net.at("verdict").at("outcome"), "slower");
  EXPECT_EQ(net.at("values").size(), net.at("control_values").size());
  EXPECT_GT(net.at("diff_summary").at("p50"), 0);
}

TEST_F(RunCommand, KeepsAllValuesOfTenIterations) {
  const std::string spec = write("spec.json", R"({
    "model": {"name": "net", "format": "none"},
    "tests": [{"metric": "delay", "identifier": "ten", "iter": 10,
               "commands": ["{program} {iter}"], "protocol": "observer"}]})");
  const auto finished = run({program("net_and_operators"), "--benchmark_file", spec, "--json"});
  expect(finished, 0);
  const auto all = records(finished);
  ASSERT_EQ(all.size(), 1u) << finished.errors;
  std::size_t values = 0;
  for (const auto& [key, series] : all[0].at("data").items()) values += series.at("values").size();
  EXPECT_EQ(values, 40u) << all[0].dump(1);
  EXPECT_EQ(all[0].at("meta").at("identifier"), "ten");
}

TEST_F(RunCommand, WritesFaiPepsTreeACsvAndLines) {
  const auto finished = run({program("observed"), "--local_reporter", "results", "--csv_reporter", "all.csv",
                             "--json_lines_reporter", "all.jsonl", "--simple_local_reporter", "simple"});
  expect(finished, 0);
  EXPECT_EQ(finished.output, "") << "the screen was not asked for";
  std::size_t metas = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory_.path() / "results"))
    metas += entry.path().filename() == "meta.txt" ? 1 : 0;
  EXPECT_EQ(metas, 1u);
  EXPECT_TRUE(fs::exists(directory_.path() / "all.csv"));
  EXPECT_TRUE(fs::exists(directory_.path() / "all.jsonl"));
  EXPECT_TRUE(fs::exists(directory_.path() / "simple" / "program" / "data.txt"));
}

TEST_F(RunCommand, TakesBuildsFromInfo) {
  const auto build = [&](const std::string& commit, const std::string& name) {
    return json{{"commit", commit},
                {"commit_time", 1700000000},
                {"programs", {{"program", {{"location", program(name)}}}}}};
  };
  const json info = {{"treatment", build("new", "observed_slower")}, {"control", build("old", "observed")}};
  const auto finished = run({"--info", info.dump(), "--json"});
  expect(finished, 1);
  const auto all = records(finished);
  ASSERT_EQ(all.size(), 1u) << finished.errors;
  EXPECT_EQ(all[0].at("meta").at("commit"), "new");
  EXPECT_EQ(all[0].at("meta").at("control_commit"), "old");
}

TEST_F(RunCommand, FailsWithACodeOfItsOwnWhereAProgramFails) {
  const auto finished = run({program("crashes")});
  expect(finished, 4);
  EXPECT_NE(finished.errors.find("killed by signal"), std::string::npos) << finished.errors;
}

TEST_F(RunCommand, GoesOnWithTheSuiteAfterATestThatFails) {
  const std::string spec = write("spec.json", R"({
    "model": {"name": "net", "format": "none"},
    "tests": [{"metric": "delay", "identifier": "bad", "commands": ["{program} --no-such"], "timeout": 20,
               "protocol": "benchdnn"},
              {"metric": "delay", "identifier": "good", "commands": ["{program}"]}]})");
  const auto finished = run({program("observed"), "--benchmark_file", spec, "--json"});
  expect(finished, 4);
  const auto all = records(finished);
  ASSERT_EQ(all.size(), 2u) << finished.errors;
  EXPECT_NE(all[0].at("meta").at("failure"), "") << all[0].dump(1);
  EXPECT_EQ(all[1].at("data").at("NET latency").at("values").size() % 40, 0u);
}

TEST_F(RunCommand, TheTestsTimeOutGoesBeforeThatOfTheCommandLine) {
  const std::string spec = write("spec.json", R"({
    "model": {"name": "net", "format": "none", "timeout": 600},
    "tests": [{"metric": "delay", "identifier": "slow", "commands": ["{program}"], "timeout": 0.3}]})");
  const auto finished = run({program("hangs"), "--benchmark_file", spec, "--timeout", "600"});
  expect(finished, 4);
  EXPECT_NE(finished.errors.find("slow: the program did not answer before the deadline"), std::string::npos)
      << finished.errors;
}

TEST_F(RunCommand, TakesDefaultsFromTheSpecUnlessFlagsSayOtherwise) {
  const std::string spec = write("spec.json", R"({
    "default_args": {"csv_reporter": "from_spec.csv", "user_identifier": "spec"},
    "model": {"name": "net", "format": "none"},
    "tests": [{"metric": "delay", "identifier": "net", "iter": 1, "commands": ["{program}"]}]})");
  const auto finished =
      run({program("observed"), "--benchmark_file", spec, "--user_identifier", "flag", "--json"});
  expect(finished, 0);
  EXPECT_TRUE(fs::exists(directory_.path() / "from_spec.csv"));
  EXPECT_EQ(records(finished).at(0).at("meta").at("user_identifier"), "flag");
}

TEST_F(RunCommand, MeasuresOnANamedSetOfProcessors) {
  const auto finished = run({program("observed"), "--devices", "cpu0", "--json"});
  expect(finished, 0);
  const std::string platform = records(finished).at(0).at("meta").at("platform");
  EXPECT_TRUE(platform.ends_with("-cpu0")) << platform;
  const auto phone = run({program("observed"), "--devices", "android"});
  expect(phone, 2);
}

TEST_F(RunCommand, SetsModelsAgainstPlatforms) {
  for (const char* platform : {"eigen", "mkl"}) {
    fs::create_directories(directory_.path() / platform);
    fs::copy_file(program("observed"), directory_.path() / platform / "bench");
  }
  const auto finished = run({"./{platform}/bench", "--platforms", "eigen,mkl", "--screen_reporter"});
  expect(finished, 0);
  const auto last_rows = finished.output.substr(finished.output.rfind("eigen"));
  EXPECT_NE(last_rows.find("mkl"), std::string::npos) << finished.output;
}

TEST_F(RunCommand, GivesModelFilesToTheProgram) {
  write("model/weights.txt", "7\n");
  const std::string spec = write("spec.json", R"({
    "model": {"name": "net", "format": "none",
              "files": {"weights": {"filename": "weights.txt", "location": "model/weights.txt",
                                    "md5": "84bc3da1b3e33a18e8d5e1bdd7a18d7a"}}},
    "tests": [{"metric": "delay", "identifier": "files", "iter": 1,
               "preprocess": {"commands": ["cat {files.weights}"]}, "commands": ["{program}"]}]})");
  const auto finished = run({program("observed"), "--benchmark_file", spec, "--json"});
  expect(finished, 0);
  write("model/weights.txt", "8\n");
  const auto damaged = run({program("observed"), "--benchmark_file", spec});
  expect(damaged, 2);
  EXPECT_NE(damaged.errors.find("84bc3da1b3e33a18e8d5e1bdd7a18d7a"), std::string::npos) << damaged.errors;
}

TEST_F(RunCommand, GivesArgumentsAndVariablesToAProgramWithoutASpec) {
  const auto finished = run({"--env", "A=1 B=2", program("net_and_operators"), "--json", "--", "3"});
  expect(finished, 0);
  const auto values = records(finished).at(0).at("data").at("NET latency").at("values").size();
  EXPECT_EQ(values % 3, 0u);
  const auto added = run({program("net_and_operators"), "--command_args", "7", "--json"});
  expect(added, 0);
  EXPECT_EQ(records(added).at(0).at("data").at("NET latency").at("values").size() % 7, 0u);
}

TEST_F(RunCommand, KeepsWhatItBuildsAndFetchesWithinBounds) {
  const fs::path repo = directory_.path() / "repo";
  fs::create_directories(repo);
  const auto shell = [&](const std::string& script) {
    runners::Command command;
    command.argv = {"/bin/sh", "-e", "-c", script};
    command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin",  "HOME=/nonexistent",
                           "GIT_CONFIG_GLOBAL=/dev/null",        "GIT_AUTHOR_NAME=Ada",
                           "GIT_AUTHOR_EMAIL=ada@example.org",   "GIT_COMMITTER_NAME=Ada",
                           "GIT_COMMITTER_EMAIL=ada@example.org"};
    command.working_directory = repo;
    const auto finished = run_command(command, {});
    EXPECT_TRUE(finished.succeeded()) << script << "\n" << finished.errors;
    return finished.output;
  };
  shell("git init -q -b main; git commit -q --allow-empty -m one; git commit -q --allow-empty -m two");
  write("frameworks/net/build.sh", "cp '" + program("observed") + "' \"$2\"\n");
  const auto run_commit = [&](const std::string& commit) {
    const std::string id = shell("git rev-parse " + commit);
    expect(run({id.substr(0, 40), "--repo_dir", repo.string(), "--branch", "main", "--framework", "net",
                "--frameworks_dir", (directory_.path() / "frameworks").string(), "--platforms", "linux",
                "--sandbox", "none", "--layouts", "1", "--cache_budget", "1"}),
           0);
  };
  const auto count = [&](const fs::path& folder, const std::string& ending) {
    const fs::recursive_directory_iterator all(folder);
    return std::count_if(begin(all), end(all),
                         [&](const auto& entry) { return entry.path().string().ends_with(ending); });
  };
  const fs::path state = directory_.path() / "state";
  run_commit("HEAD^");
  EXPECT_EQ(count(state / "cache", "manifest.json"), 1) << "what is in use stays";
  ASSERT_EQ(std::distance(fs::directory_iterator(state / "mirrors"), fs::directory_iterator()), 2)
      << "the mirror and its lock";
  const fs::path lock = *std::find_if(fs::directory_iterator(state / "mirrors"), fs::directory_iterator(),
                                      [](const auto& entry) { return entry.path().extension() == ".lock"; });
  const std::string mirror = fs::path(lock).replace_extension("").string();
  shell("cd " + mirror +
        "; for i in $(seq 60); do echo $i | git hash-object -w --stdin | git pack-objects -q "
        "objects/pack/pack >/dev/null; done; rm -r objects/??");
  EXPECT_GT(count(mirror, ".pack"), 60);
  run_commit("HEAD");
  EXPECT_EQ(count(state / "cache", "manifest.json"), 1) << "the one before made room";
  EXPECT_EQ(count(mirror, ".pack"), 1);
}

TEST_F(RunCommand, BadInputIsRefusedBeforeAnythingRuns) {
  expect(run({}), 2);
  expect(run({program("observed"), program("observed"), program("observed")}), 2);
  expect(run({"/no/such/program"}), 2);
  expect(run({program("observed"), "--run_type", "other"}), 2);
  expect(run({program("observed"), "--remote_reporter", "no category"}), 2);
  expect(run({program("observed"), "--string_map", "[1]"}), 2);
  expect(run({program("observed"), "--env", "novalue"}), 2);
  expect(run({program("observed"), "--benchmark_file", write("bad.json", "{\"model\": 1}")}), 2);
}

}  // namespace
}  // namespace tandem::daemon
