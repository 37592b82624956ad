#include "config/config_file.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/paths.hpp"
#include "tests/config/parse_config.hpp"
#include "tests/specs/messages.hpp"

namespace tandem::config {
namespace {

using specs::Problem;
using specs::Problems;
using tests::message_of;
using Words = std::vector<std::string>;

const char* const folder = "/etc/tandem/";

ConfigFile parsed(std::string text) {
  Problems problems(Problems::Mode::stop_at_first);
  return tests::parse_config(std::move(text), "/etc/tandem/c.json", problems);
}

/// What is wrong with a config, without its file name.
std::string error_in(std::string text) {
  const std::string message = message_of([&] { (void)parsed(std::move(text)); });
  const std::string file = "/etc/tandem/c.json:";
  return message.starts_with(file) ? message.substr(file.size()) : message;
}

std::string watch_error(const std::string& field) {
  return error_in("{\"watch\": [{" + field + "}]}");
}

TEST(ConfigFile, ReadsEveryField) {
  const ConfigFile config = parsed(R"({
    "state_dir": "state", "exec_dir": "/exec", "status_file": "../run/stop", "interval": 1.5, "once": true,
    "max_launches": 10, "build_timeout": 20, "benchmark_timeout": 30, "fetch_timeout": 35, "confirmation_time": 40, "jobs": 4,
    "cxxflags": "-O2", "ldflags": "-s", "sandbox": "required", "sandbox_read": ["models", "/data"],
    "build_memory": "8G", "build_disk": 1000, "build_processes": 50, "cache_budget": "0", "layouts": 5, "calibrate": false, "keep_commits": 60, "keep_samples": 7, "keep_logs": 8,
    "watch": [{
      "name": "w", "repo": "git", "repo_dir": "clone", "remote_repository": "up", "branch": "a/b",
      "framework": "f",
      "frameworks_dir": "fw", "platforms": ["linux", "host/incremental"], "benchmark_file": "b.json",
      "base_commit": "v1", "commit": "abc", "commit_file": "last", "step": 2, "control": "fixed",
      "regression": true,
      "ab_testing": true, "same_host": true, "margin": 0.02, "walk": "all", "catch_up": "newest", "control_tag": "v*",
      "key_file": "id", "token_file": "/run/token", "needs_git": true
    }]
  })");
  EXPECT_EQ(config.top.state_dir, "/etc/tandem/state");
  EXPECT_EQ(config.top.exec_dir, "/exec");
  EXPECT_EQ(config.top.status_file, "/etc/run/stop");
  EXPECT_EQ(config.top.interval, Seconds{1.5});
  EXPECT_EQ(config.top.once, true);
  EXPECT_EQ(config.top.max_launches, 10);
  EXPECT_EQ(config.top.build_timeout, Seconds{20});
  EXPECT_EQ(config.top.benchmark_timeout, Seconds{30});
  EXPECT_EQ(config.top.fetch_timeout, Seconds{35});
  EXPECT_EQ(config.top.confirmation_time, Seconds{40});
  EXPECT_EQ(config.top.jobs, 4);
  EXPECT_EQ(config.top.cxxflags, "-O2");
  EXPECT_EQ(config.top.ldflags, "-s");
  EXPECT_EQ(config.top.sandbox, Isolation::required);
  EXPECT_EQ(config.top.sandbox_read, (std::vector<std::filesystem::path>{"/etc/tandem/models", "/data"}));
  EXPECT_EQ(config.top.build_memory, std::uint64_t{8} << 30);
  EXPECT_EQ(config.top.build_disk, 1000U);
  EXPECT_EQ(config.top.build_processes, 50);
  EXPECT_EQ(config.top.keep_commits, 60);
  EXPECT_EQ(config.top.keep_samples, 7);
  EXPECT_EQ(config.top.keep_logs, 8);
  EXPECT_EQ(config.top.cache_budget, 0U);
  EXPECT_EQ(config.top.layouts, 5);
  EXPECT_EQ(config.top.calibrate, false);
  ASSERT_EQ(config.watches.size(), 1U);
  const auto& watch = config.watches[0];
  EXPECT_EQ(watch.source, "/etc/tandem/c.json:6:15");
  EXPECT_EQ(watch.name, "w");
  EXPECT_EQ(watch.repo, "git");
  EXPECT_EQ(watch.repo_dir, std::string(folder) + "clone");
  EXPECT_EQ(watch.remote_repository, "up");
  EXPECT_EQ(watch.branch, "a/b");
  EXPECT_EQ(watch.framework, "f");
  EXPECT_EQ(watch.frameworks_dir, "/etc/tandem/fw");
  EXPECT_EQ(watch.platforms, (Words{"linux", "host/incremental"}));
  EXPECT_EQ(watch.benchmark_file, "/etc/tandem/b.json");
  EXPECT_EQ(watch.base_commit, "v1");
  EXPECT_EQ(watch.commit, "abc");
  EXPECT_EQ(watch.commit_file, "/etc/tandem/last");
  EXPECT_EQ(watch.step, 2);
  EXPECT_EQ(watch.walk, Walk::all);
  EXPECT_EQ(watch.catch_up, CatchUp::newest);
  EXPECT_EQ(watch.control_tag, "v*");
  EXPECT_EQ(watch.key_file, "/etc/tandem/id");
  EXPECT_EQ(watch.token_file, "/run/token");
  EXPECT_EQ(watch.needs_git, true);
  EXPECT_EQ(watch.control, ControlRule::fixed);
  EXPECT_EQ(watch.regression, true);
  EXPECT_EQ(watch.ab_testing, true);
  EXPECT_EQ(watch.same_host, true);
  EXPECT_EQ(watch.margin, 0.02);
}

TEST(ConfigFile, KeepsUrlsAsTheyAre) {
  for (const std::string url : {"https://host/x.git", "git@host:group/x.git", "file:///srv/x.git"}) {
    EXPECT_EQ(parsed(R"({"watch": [{"repo_dir": ")" + url + "\"}]}").watches[0].repo_dir, url);
  }
  EXPECT_EQ(parsed(R"({"watch": [{"repo_dir": "./a:b"}]})").watches[0].repo_dir, "/etc/tandem/a:b");
}

TEST(ConfigFile, TakesPlatformsAsOneStringToo) {
  EXPECT_EQ(parsed(R"({"watch": [{"platforms": "a,b"}]})").watches[0].platforms, (Words{"a", "b"}));
}

TEST(ConfigFile, RefusesUnknownKeys) {
  const std::string error = error_in("{\n  \"state-dir\": \"x\"}");
  const std::string begin =
      "2:3: /state-dir: unknown key \"state-dir\"; did you mean \"state_dir\"? allowed here: \"exec_dir\", "
      "\"state_dir\", \"status_file\", ";
  EXPECT_EQ(error.substr(0, begin.size()), begin);
  EXPECT_NE(error.find("\"once\", \"watch\", "), std::string::npos) << error;
  EXPECT_NE(error.find("\"local_reporter\""), std::string::npos) << error;
  EXPECT_EQ(watch_error(R"("brunch": "main")").substr(0, 75),
            "1:13: /watch/0/brunch: unknown key \"brunch\"; did you mean \"branch\"? allowed");
}

TEST(ConfigFile, SaysWhatTheHarnessIsTold) {
  Problems problems(Problems::Mode::stop_at_first);
  const auto harness =
      tests::parse_config(R"({"local_reporter": "results", "env": {"A": 1}, "run_type": "verify",
      "string_map": {"MODEL_DIR": "/models"}, "shared_libs": ["lib/libx.so"], "screen_reporter": true,
      "regressed_types": ["NET"], "devices": "cpu0"})",
                          "/etc/tandem/tandem.json", problems)
          .top.harness;
  EXPECT_EQ(harness.local_reporter, "/etc/tandem/results");
  EXPECT_EQ(harness.env->at("A"), "1");
  EXPECT_EQ(harness.string_map->at("MODEL_DIR"), "/models");
  EXPECT_EQ(harness.shared_libs->front(), "/etc/tandem/lib/libx.so");
  EXPECT_EQ(harness.run_type, "verify");
  EXPECT_EQ(harness.devices, "cpu0");
  EXPECT_TRUE(*harness.screen_reporter);
  EXPECT_NE(error_in(R"({"run_type": "other"})").find("/run_type"), std::string::npos);
  EXPECT_NE(error_in(R"({"env": {"A=": "1"}})").find("/env/A="), std::string::npos);
  EXPECT_NE(error_in(R"({"remote_access_token": "x"})").find("unknown key"), std::string::npos)
      << "no secrets here";
}

TEST(ConfigFile, RefusesWrongTypesAndValues) {
  EXPECT_EQ(error_in("[]"), "1:1: found an array; expected an object");
  EXPECT_EQ(error_in(R"({"watch": {}})"), "1:11: /watch: found an object; expected an array");
  EXPECT_EQ(error_in(R"({"watch": ["x"]})"), "1:12: /watch/0: found the string \"x\"; expected an object");
  EXPECT_EQ(error_in(R"({"interval": -1})"),
            "1:14: /interval: found -1; expected seconds from 0 to 31622400");
  EXPECT_EQ(error_in(R"({"interval": "1"})"), "1:14: /interval: found the string \"1\"; expected a number");
  EXPECT_EQ(error_in(R"({"build_timeout": 0})"),
            "1:19: /build_timeout: found 0; expected seconds from 0.001 to 31622400");
  EXPECT_EQ(error_in(R"({"max_launches": 0})"),
            "1:18: /max_launches: found 0; expected a whole number from 1 to 100000");
  EXPECT_EQ(error_in(R"({"jobs": 1.5})"), "1:10: /jobs: found 1.5; expected a whole number from 0 to 4096");
  EXPECT_EQ(error_in(R"({"cache_budget": "20 G"})"),
            "1:18: /cache_budget: found \"20 G\"; expected a number of bytes such as 512M, 20G or 0");
  EXPECT_EQ(error_in(R"({"sandbox": "off"})"),
            "1:13: /sandbox: found \"off\"; expected one of \"auto\", \"required\", \"none\"");
  EXPECT_EQ(error_in(R"({"once": 1})"), "1:10: /once: found 1; expected true or false");
  EXPECT_EQ(error_in(R"({"state_dir": ""})"), "1:15: /state_dir: is empty; write a path");
  EXPECT_EQ(error_in(R"({"state_dir": "~/t"})"),
            "1:15: /state_dir: found \"~/t\"; only a shell expands \"~\", write the whole path");
}

TEST(ConfigFile, RefusesWrongValuesOfAWatch) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("step": 0)", "/step: found 0; expected a whole number from 1 to 1000000"},
      {R"("margin": 5)", "/margin: found 5; expected a fraction from 0.0001 to 1, such as 0.01 for 1 %"},
      {R"("control": "month")",
       "/control: found \"month\"; expected one of \"week\", \"parent\", \"fixed\", \"tag\""},
      {R"("repo": "svn")", "/repo: found \"svn\"; expected \"git\" or \"hg\""},
      {R"("walk": "some")", "/walk: found \"some\"; expected one of \"first_parent\", \"all\""},
      {R"("catch_up": 1)", "/catch_up: found 1; expected a string"},
      {R"("name": "a/b")", "/name: found \"a/b\"; expected a name without \"/\" and control characters"},
      {R"("branch": "-x")", "/branch: found \"-x\"; expected the name of a branch, such as \"main\""},
      {R"("branch": "a..b")", "/branch: found \"a..b\"; expected the name of a branch, such as \"main\""},
      {R"("remote_repository": "")",
       "/remote_repository: found \"\"; expected the name of a remote, such as \"origin\""},
      {R"("framework": "../etc")",
       "/framework: found \"../etc\"; expected the name of a folder in frameworks_dir, of letters, digits, "
       "\".\", "
       "\"_\", \"+\" and \"-\""},
      {R"("platforms": [])", "/platforms: names no platform; write at least one, such as \"linux\""},
      {R"("platforms": ["a", "a"])", "/platforms: names \"a\" twice; keep one of them"},
      {R"("commit": "--all")", "/commit: found \"--all\"; expected a commit, a tag or a branch"},
      {R"("regression": "yes")", "/regression: found the string \"yes\"; expected true or false"},
      {R"("repo_dir": "~/src")",
       "/repo_dir: found \"~/src\"; only a shell expands \"~\", write the whole path"},
  };
  for (const auto& [field, message] : cases) {
    const std::string error = watch_error(field);
    EXPECT_EQ(error.substr(std::min(error.size(), error.find("/watch/0") + 8)), message);
  }
}

TEST(ConfigFile, RefusesPlatformsThatLeaveTheirFolder) {
  for (const std::string name :
       {"..", "../x", "a/../b", "/etc", "a//b", "a/", "", ".", "a/./b", "-x", "a b"}) {
    EXPECT_NE(
        watch_error("\"platforms\": [\"" + name + "\"]").find("that stay inside the framework's folder"),
        std::string::npos)
        << name;
  }
}

TEST(ConfigFile, ShowsAllProblemsAtOnce) {
  Problems problems(Problems::Mode::collect);
  (void)tests::parse_config(
      R"({"interval": -1, "x": 1, "watch": [{"step": 0, "y": 2}, 3, {"margin": "m", "once": true}]})",
      "c.json", problems);
  Words pointers;
  for (const Problem& problem : problems.found()) pointers.push_back(problem.pointer);
  EXPECT_EQ(pointers, (Words{"/x", "/interval", "/watch/0/y", "/watch/0/step", "/watch/1", "/watch/2/once",
                             "/watch/2/margin"}));
}

TEST(ConfigFile, SaysThatItDoesNotExist) {
  EXPECT_EQ(message_of([] { (void)load_config("no/such.json"); }),
            "no/such.json: does not exist; check the path");
}

TEST(ConfigFile, OfTheSampleLoadsAndMerges) {
  const ConfigFile sample =
      load_config(std::filesystem::path(tests::paths::source) / "config/tandem.sample.json");
  ASSERT_EQ(sample.watches.size(), 2U);
  const Settings settings = merge(sample, {}, {});
  EXPECT_EQ(settings.state_dir, "/var/lib/tandem");
  EXPECT_EQ(settings.exec_dir, "/var/lib/tandem/cache");
  EXPECT_EQ(settings.interval, Seconds{300});
  EXPECT_EQ(settings.watches[0].repo_dir, "https://git.example.org/tensor.git");
  EXPECT_TRUE(settings.watches[0].regression);
  EXPECT_EQ(settings.watches[1].control, ControlRule::parent);
  EXPECT_EQ(settings.watches[1].branch, "release/2.0");
}

TEST(ConfigFile, ParsesOrIsRefusedAfterFiveThousandMutations) {
  const std::string text = R"({"state_dir": "/s", "interval": 5, // c
    "watch": [{"name": "w", "repo_dir": "u", "framework": "f", "platforms": ["a", "b"], "step": 2,
               "control": "tag"}]})";
  std::mt19937_64 random(7);
  int good = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string changed = text;
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
      const std::size_t at = random() % changed.size();
      if (random() % 8 == 0) {
        changed.resize(at + 1);
      } else {
        changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8));
      }
    }
    Problems all(Problems::Mode::collect);
    const ConfigFile config = tests::parse_config(changed, "c.json", all);
    const std::string first = message_of([&] { (void)parsed(changed); });
    EXPECT_EQ(first == "no error", all.empty()) << changed;
    if (!all.empty()) continue;
    ++good;
    (void)message_of([&] { (void)merge(config, {}, {}); });
  }
  EXPECT_GT(good, 0) << "some mutations are harmless";
}

}  // namespace
}  // namespace tandem::config
