#include "daemon/commands/command_line.hpp"

#include <gtest/gtest.h>

#include "specs/foundation/error.hpp"

namespace tandem::daemon::commands {
namespace {

using Words = std::vector<std::string>;

Command read(const Words& words) {
  std::vector<const char*> argv = {"tandem"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return read_command_line(static_cast<int>(argv.size()), argv.data());
}

template <class Options>
Options read_as(const Words& words) {
  return std::get<Options>(read(words));
}

/// The sentence with which a command line is refused.
std::string refusal(const Words& words) {
  try {
    static_cast<void>(read(words));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

config::Overrides daemon(Words words) {
  words.insert(words.begin(), "daemon");
  return read_as<DaemonOptions>(words).overrides;
}

TEST(CommandLine, ReadsEveryFlagOfCompare) {
  const auto options = read_as<CompareOptions>(
      {"compare", "a", "b", "--margin", "0.02", "--max_launches", "20", "--seed", "7", "--timeout", "2.5",
       "--filter", "soft", "--measure_identical", "--json", "--", "--threads", "4", "-x"});
  EXPECT_EQ(options.control, "a");
  EXPECT_EQ(options.treatment, "b");
  EXPECT_EQ(options.margin, 0.02);
  EXPECT_EQ(options.max_launches, 20u);
  EXPECT_EQ(options.seed, std::optional<std::uint64_t>(7));
  EXPECT_EQ(options.timeout_seconds, 2.5);
  EXPECT_EQ(options.filter, "soft");
  EXPECT_TRUE(options.measure_identical);
  EXPECT_EQ(options.format, Format::json);
  EXPECT_EQ(options.arguments, (Words{"--threads", "4", "-x"}));
}

TEST(CommandLine, LeavesDefaultsOfCompareAlone) {
  const auto options = read_as<CompareOptions>({"compare", "a", "b"});
  EXPECT_EQ(options.margin, 0.01);
  EXPECT_EQ(options.max_launches, 66u);
  EXPECT_FALSE(options.seed);
  EXPECT_FALSE(options.measure_identical);
  EXPECT_EQ(options.format, Format::text);
  EXPECT_TRUE(options.arguments.empty());
}

TEST(CommandLine, GivesWordsAfterTwoDashesToThePrograms) {
  const auto options = read_as<CompareOptions>({"compare", "a", "b", "--", "--json", "--margin", "0.5"});
  EXPECT_EQ(options.format, Format::text);
  EXPECT_EQ(options.margin, 0.01);
  EXPECT_EQ(options.arguments, (Words{"--json", "--margin", "0.5"}));
}

TEST(CommandLine, ReadsFlagsByTheirNamesInFaiPep) {
  const auto o = daemon({"--repo_dir",
                         "/r",
                         "--repo",
                         "git",
                         "--remote_repository",
                         "up",
                         "--branch",
                         "dev",
                         "--framework",
                         "f",
                         "--frameworks_dir",
                         "/f",
                         "--platforms",
                         "a,b",
                         "--benchmark_file",
                         "b.json",
                         "--base_commit",
                         "abc",
                         "--commit",
                         "def",
                         "--commit_file",
                         "cf",
                         "--step",
                         "4",
                         "--control",
                         "parent",
                         "--margin",
                         "0.02",
                         "--regression",
                         "--ab_testing",
                         "--same_host",
                         "--exec_dir",
                         "/e",
                         "--state_dir",
                         "/s",
                         "--status_file",
                         "/stop",
                         "--interval",
                         "1.5",
                         "--build_timeout",
                         "2",
                         "--benchmark_timeout",
                         "3",
                         "--max_launches",
                         "9",
                         "--jobs",
                         "5",
                         "--cxxflags",
                         "-O3 -march=native",
                         "--ldflags",
                         "-static",
                         "--once"});
  EXPECT_EQ(o.repo_dir, "/r");
  EXPECT_EQ(o.repo, "git");
  EXPECT_EQ(o.remote_repository, "up");
  EXPECT_EQ(o.branch, "dev");
  EXPECT_EQ(o.framework, "f");
  EXPECT_EQ(o.frameworks_dir, "/f");
  EXPECT_EQ(o.platforms, (Words{"a", "b"}));
  EXPECT_EQ(o.benchmark_file, "b.json");
  EXPECT_EQ(o.base_commit, "abc");
  EXPECT_EQ(o.commit, "def");
  EXPECT_EQ(o.commit_file, "cf");
  EXPECT_EQ(o.step, 4);
  EXPECT_EQ(o.control, config::ControlRule::parent);
  EXPECT_EQ(o.margin, 0.02);
  EXPECT_EQ(o.regression, true);
  EXPECT_EQ(o.ab_testing, true);
  EXPECT_EQ(o.same_host, true);
  EXPECT_EQ(o.exec_dir, "/e");
  EXPECT_EQ(o.state_dir, "/s");
  EXPECT_EQ(o.status_file, "/stop");
  EXPECT_EQ(o.interval, config::Seconds(1.5));
  EXPECT_EQ(o.build_timeout, config::Seconds(2));
  EXPECT_EQ(o.benchmark_timeout, config::Seconds(3));
  EXPECT_EQ(o.max_launches, 9);
  EXPECT_EQ(o.jobs, 5);
  EXPECT_EQ(o.cxxflags, "-O3 -march=native");
  EXPECT_EQ(o.ldflags, "-static");
  EXPECT_EQ(o.once, true);
}

TEST(CommandLine, ReadsFlagsWithDashesToo) {
  const auto o = daemon({"--repo-dir",
                         "/r",
                         "--remote-repository=up",
                         "--frameworks-dir",
                         "/f",
                         "--benchmark-file",
                         "b.json",
                         "--base-commit",
                         "abc",
                         "--commit-file",
                         "cf",
                         "--ab-testing",
                         "--same-host",
                         "--exec-dir",
                         "/e",
                         "--state-dir",
                         "/s",
                         "--status-file",
                         "/stop",
                         "--build-timeout",
                         "2",
                         "--benchmark-timeout",
                         "3",
                         "--max-launches",
                         "9"});
  EXPECT_EQ(o.repo_dir, "/r");
  EXPECT_EQ(o.remote_repository, "up");
  EXPECT_EQ(o.base_commit, "abc");
  EXPECT_EQ(o.same_host, true);
  EXPECT_EQ(o.state_dir, "/s");
  EXPECT_EQ(o.benchmark_timeout, config::Seconds(3));
  EXPECT_EQ(o.max_launches, 9);
  const auto options =
      read_as<CompareOptions>({"compare", "a", "b", "--max-launches", "20", "--measure-identical"});
  EXPECT_EQ(options.max_launches, 20u);
  EXPECT_TRUE(options.measure_identical);
}

TEST(CommandLine, SaysNothingOfFlagsThatWereNotGiven) {
  const auto options = read_as<DaemonOptions>({"daemon", "--config", "tandem.json"});
  EXPECT_EQ(options.config_file, "tandem.json");
  EXPECT_FALSE(options.overrides.repo_dir);
  EXPECT_FALSE(options.overrides.regression);
  EXPECT_FALSE(options.overrides.interval);
  EXPECT_FALSE(options.overrides.platforms);
}

TEST(CommandLine, ReadsReport) {
  const auto all = read_as<ReportOptions>({"report", "--all", "--json", "--state-dir", "/s"});
  EXPECT_EQ(all.which, ReportOptions::Which::all);
  EXPECT_EQ(all.format, Format::json);
  EXPECT_EQ(all.state_dir, "/s");
  EXPECT_EQ(read_as<ReportOptions>({"report", "1a2b"}).id, "1a2b");
  EXPECT_EQ(read_as<ReportOptions>({"report"}).which, ReportOptions::Which::regressions);
  EXPECT_EQ(read_as<ReportOptions>({"report", "acc0"}).id, "acc0");
}

TEST(CommandLine, ReadsWhatAPersonSaysToAReport) {
  using Action = RecordOptions::Action;
  const auto ack = read_as<RecordOptions>(
      {"report", "ack", "1a2b", "--by", "ada", "--reason", "mine", "--state-dir", "/s"});
  EXPECT_EQ(ack.action, Action::acknowledge);
  EXPECT_EQ(ack.id, "1a2b");
  EXPECT_EQ(ack.by, "ada");
  EXPECT_EQ(ack.reason, "mine");
  EXPECT_EQ(ack.state_dir, "/s");
  EXPECT_EQ(read_as<RecordOptions>({"report", "--state_dir", "/s", "ack", "1a2b"}).state_dir, "/s");
  EXPECT_EQ(read_as<RecordOptions>({"report", "reopen", "1a2b"}).action, Action::reopen);
  EXPECT_EQ(read_as<RecordOptions>({"report", "rerun", "1a2b"}).action, Action::rerun);
  EXPECT_EQ(read_as<RecordOptions>({"report", "dismiss", "1a2b", "--as", "accepted"}).action, Action::accept);
  EXPECT_EQ(read_as<RecordOptions>({"report", "dismiss", "--as", "false_alarm", "1a2b"}).action,
            Action::call_false_alarm);
  EXPECT_NE(refusal({"report", "ack"}), "accepted");
  EXPECT_NE(refusal({"report", "ack", "1a2b", "--as", "accepted"}), "accepted");
  EXPECT_NE(refusal({"report", "forget", "1a2b"}), "accepted");
}

TEST(CommandLine, ReadsQueue) {
  const auto add = read_as<QueueOptions>({"queue", "main", "--against", "v1", "--benchmark", "b", "--watch",
                                          "w", "--platform", "p", "--by", "ada", "--state_dir", "/s"});
  EXPECT_EQ(add.action, QueueOptions::Action::add);
  EXPECT_EQ(add.commit, "main");
  EXPECT_EQ(add.against, "v1");
  EXPECT_EQ(add.benchmark, "b");
  EXPECT_EQ(add.watch, "w");
  EXPECT_EQ(add.platform, "p");
  EXPECT_EQ(add.by, "ada");
  EXPECT_EQ(add.state_dir, "/s");
  EXPECT_EQ(read_as<QueueOptions>({"queue", "--list", "--json"}).format, Format::json);
  EXPECT_EQ(read_as<QueueOptions>({"queue", "--cancel", "7"}).request, 7);
  EXPECT_EQ(refusal({"queue"}), "tandem queue needs a COMMIT, or --list, or --cancel with a number");
}

TEST(CommandLine, ReadsStatus) {
  EXPECT_EQ(read_as<StatusOptions>({"status", "--state_dir", "/s"}).state_dir, "/s");
  EXPECT_EQ(read_as<StatusOptions>({"status", "--json"}).format, Format::json);
}

TEST(CommandLine, HandsTheDaemonsChildItsWords) {
  EXPECT_EQ(read_as<FetchChild>({"internal-fetch", "/mirror", "--odd"}).arguments,
            (Words{"/mirror", "--odd"}));
}

TEST(CommandLine, PrintsHelpAndVersion) {
  EXPECT_NE(read_as<Message>({"--help"}).text.find("compare"), std::string::npos);
  EXPECT_NE(read_as<Message>({"compare", "--help"}).text.find("--measure_identical"), std::string::npos);
  EXPECT_NE(read_as<Message>({"daemon", "--help"}).text.find("--repo_dir"), std::string::npos);
  EXPECT_TRUE(read_as<Message>({"--version"}).text.starts_with("tandem "));
}

struct Wrong {
  Words words;
  std::string named;  ///< what the sentence must say
};

class WrongCommandLine : public testing::TestWithParam<Wrong> {};

TEST_P(WrongCommandLine, IsRefusedInOneSentenceThatNamesWhatIsWrong) {
  const std::string sentence = refusal(GetParam().words);
  EXPECT_NE(sentence.find(GetParam().named), std::string::npos) << sentence;
  EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
  EXPECT_NE(sentence, "accepted");
}

INSTANTIATE_TEST_SUITE_P(
    Table, WrongCommandLine,
    testing::Values(
        Wrong{{}, "subcommand"}, Wrong{{"compar", "a", "b"}, "compar"}, Wrong{{"compare"}, "CONTROL"},
        Wrong{{"compare", "a"}, "TREATMENT"}, Wrong{{"compare", "a", "b", "--margn", "0.1"}, "--margn"},
        Wrong{{"compare", "a", "b", "--margin", "wide"}, "--margin"},
        Wrong{{"compare", "a", "b", "--margin", "0"}, "--margin"},
        Wrong{{"compare", "a", "b", "--margin", "nan"}, "--margin"},
        Wrong{{"compare", "a", "b", "--margin"}, "--margin"},
        Wrong{{"compare", "a", "b", "--max_launches", "0"}, "--max_launches"},
        Wrong{{"compare", "a", "b", "--max_launches", "many"}, "--max_launches"},
        Wrong{{"compare", "a", "b", "--timeout", "-1"}, "--timeout"},
        Wrong{{"compare", "a", "b", "--seed", "-1"}, "--seed"},
        Wrong{{"compare", "a", "b", "--json=maybe"}, "--json"},
        Wrong{{"daemon", "--no_such_flag"}, "--no_such_flag"}, Wrong{{"daemon", "--step", "some"}, "--step"},
        Wrong{{"daemon", "--interval", "often"}, "--interval"}, Wrong{{"daemon", "--jobs", "1.5"}, "--jobs"},
        Wrong{{"daemon", "--control", "moon"}, "moon"}, Wrong{{"daemon", "stray"}, "stray"},
        Wrong{{"report", "a", "b"}, "b"}, Wrong{{"report", "--al"}, "--al"},
        Wrong{{"status", "--watch_me"}, "--watch_me"}));

TEST(CommandLine, CalibratesItsOwnProgramUnlessOneIsGiven) {
  const auto usual = read_as<CalibrateOptions>({"calibrate"});
  EXPECT_EQ(usual.program, "");
  EXPECT_EQ(usual.budget_seconds, 30);
  EXPECT_FALSE(usual.pairing);
  EXPECT_EQ(usual.action, CalibrateOptions::Action::measure);
  const auto given = read_as<CalibrateOptions>({"calibrate", "prog", "--pairing", "duet", "--budget", "5",
                                                "--margin", "0.02", "--filter", "mat", "--seed", "9",
                                                "--state-dir", "/s", "--json", "--", "--x"});
  EXPECT_EQ(given.program, "prog");
  EXPECT_EQ(given.arguments, (Words{"--x"}));
  EXPECT_EQ(given.pairing, runners::Pairing::duet);
  EXPECT_EQ(given.budget_seconds, 5);
  EXPECT_EQ(given.margin, 0.02);
  EXPECT_EQ(given.filter, "mat");
  EXPECT_EQ(given.seed, 9u);
  EXPECT_EQ(given.state_dir, "/s");
  EXPECT_EQ(given.format, Format::json);
  EXPECT_FALSE(read_as<CalibrateOptions>({"calibrate", "--pairing", "auto"}).pairing);
  EXPECT_EQ(read_as<CalibrateOptions>({"calibrate", "--stored"}).action,
            CalibrateOptions::Action::show_stored);
}

TEST(CommandLine, SaysWhichPairingsThereAre) {
  try {
    read_as<CalibrateOptions>({"calibrate", "--pairing", "trio"});
    FAIL() << "it was accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--pairing: found \"trio\"; expected auto, alternate, duet, process or process_together");
  }
}

TEST(CommandLine, TellsTheDaemonWhetherToCalibrate) {
  EXPECT_FALSE(daemon({}).calibrate);
  EXPECT_EQ(daemon({"--calibrate"}).calibrate, true);
  EXPECT_EQ(daemon({"--no_calibrate"}).calibrate, false);
  EXPECT_EQ(daemon({"--no-calibrate"}).calibrate, false);
}

}  // namespace
}  // namespace tandem::daemon::commands
