#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "runners/host/fix.hpp"
#include "runners/host/foreground.hpp"
#include "specs/foundation/error.hpp"
#include "support/platform_tree.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;
using Result = FixStep::Result;

const std::string cpu = "sys/devices/system/cpu/";
const std::string governor0 = cpu + "cpu0/cpufreq/scaling_governor";
const std::string governor7 = cpu + "cpu7/cpufreq/scaling_governor";
const std::string no_turbo = cpu + "intel_pstate/no_turbo";
const std::string smt = cpu + "smt/control";
const std::string paranoid = "proc/sys/kernel/perf_event_paranoid";

class PlatformFixTest : public testing::Test {
 protected:
  PlatformFixTest() { tests::make_laptop(tree_); }

  static FixStep step(const PlatformFix& fix, const std::string& name) {
    const auto found = std::find_if(fix.steps().begin(), fix.steps().end(),
                                    [&](const FixStep& one) { return one.name == name; });
    return found != fix.steps().end() ? *found : FixStep{Result::failed, "no step " + name, ""};
  }

  void expect_as_before() const {
    EXPECT_EQ(tree_.read(governor0), "powersave");
    EXPECT_EQ(tree_.read(governor7), "powersave");
    EXPECT_EQ(tree_.read(no_turbo), "0");
    EXPECT_EQ(tree_.read(smt), "on");
    EXPECT_EQ(tree_.read(paranoid), "3");
    EXPECT_FALSE(fs::exists(journal_));
  }

  /// Sets the host up in a process that is killed before it can set anything back.
  void fix_and_be_killed() const {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        const PlatformFix fix(tree_.sources(), folder_);
        ::raise(SIGKILL);
      } catch (...) {
      }
      ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  tests::PlatformTree tree_;
  tests::TemporaryDirectory state_;
  fs::path folder_ = state_.path() / "run/tandem";
  fs::path journal_ = folder_ / "platform.journal";
};

TEST_F(PlatformFixTest, SetsWhatItMayAndPutsItBack) {
  {
    const PlatformFix fix(tree_.sources(), folder_);
    EXPECT_EQ(tree_.read(governor0), "performance");
    EXPECT_EQ(tree_.read(governor7), "performance");
    EXPECT_EQ(tree_.read(no_turbo), "1");
    EXPECT_EQ(tree_.read(smt), "off");
    EXPECT_EQ(tree_.read(paranoid), "1");
    EXPECT_TRUE(fs::exists(journal_));
    EXPECT_EQ(step(fix, "governor").said, "performance on 8 processors, was powersave");
    EXPECT_EQ(step(fix, "turbo").said, "off");
    EXPECT_EQ(step(fix, "SMT").said, "off, was on");
    EXPECT_EQ(step(fix, "address randomisation").result, Result::already);
    EXPECT_EQ(step(fix, "isolated cores").result, Result::left_alone);
    EXPECT_EQ(tree_.read("sys/kernel/mm/transparent_hugepage/enabled"), "[always] madvise never");
  }
  expect_as_before();
}

TEST_F(PlatformFixTest, PutsValuesBackInReverseOrder) {
  PlatformFix fix(tree_.sources(), folder_);
  // SMT was set first, so it comes last: only then could the governors be reached again.
  std::vector<HostChange> changes;
  {
    std::ifstream file(journal_);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    changes = read_journal(text, text.substr(0, text.find('\n') + 1));
  }
  ASSERT_EQ(changes.size(), 11U);
  EXPECT_EQ(changes.front(), (HostChange{smt, "on", "off"}));
  EXPECT_EQ(changes.back(), (HostChange{paranoid, "3", "1"}));
  EXPECT_EQ(fix.restore().values, 11U);
  expect_as_before();
  EXPECT_EQ(fix.restore().values, 0U) << "the second time there is nothing";
}

TEST_F(PlatformFixTest, FindsNothingToDoOnATunedHost) {
  tests::PlatformTree server;
  tests::make_tuned_server(server);
  PlatformFix fix(server.sources(), folder_);
  for (const FixStep& one : fix.steps()) {
    EXPECT_TRUE(one.result == Result::already || one.result == Result::left_alone) << one.name << one.said;
  }
  EXPECT_FALSE(fs::exists(journal_));
  EXPECT_EQ(fix.restore().values, 0U);
}

TEST_F(PlatformFixTest, LeavesABareHostAlone) {
  const tests::PlatformTree bare;
  const PlatformFix fix(bare.sources(), folder_);
  for (const FixStep& one : fix.steps()) {
    EXPECT_EQ(one.result, Result::left_alone) << one.name;
    EXPECT_NE(one.said, "");
  }
}

TEST_F(PlatformFixTest, SaysWhichFileCannotBeWrittenAndSetsTheOthers) {
  // The kernel refuses a write to this one even to root.
  tree_.link(governor7, "/proc/sys/kernel/ostype");
  {
    const PlatformFix fix(tree_.sources(), folder_);
    const FixStep found = step(fix, "governor");
    EXPECT_EQ(found.result, Result::failed);
    EXPECT_NE(found.said.find("performance on 7 processors"), std::string::npos) << found.said;
    EXPECT_NE(found.said.find("/" + governor7 + ": Permission denied"), std::string::npos) << found.said;
    EXPECT_EQ(tree_.read(governor0), "performance");
  }
  EXPECT_EQ(tree_.read(governor0), "powersave");
  EXPECT_FALSE(fs::exists(journal_));
}

TEST_F(PlatformFixTest, SaysWhenAValueDoesNotStick) {
  // A thread's timer slack takes a 0 for "the default", and then reads 50000 again.
  tests::PlatformTree tree;
  tree.link(cpu + "cpufreq/boost", "/proc/self/timerslack_ns");
  const std::string before = tree.read(cpu + "cpufreq/boost");
  ASSERT_NE(before, "0");
  const PlatformFix fix(tree.sources(), folder_);
  EXPECT_EQ(step(fix, "turbo").result, Result::failed);
  EXPECT_NE(step(fix, "turbo").said.find("does not stick: it reads " + before), std::string::npos)
      << step(fix, "turbo").said;
}

TEST_F(PlatformFixTest, DoesNotTryAGovernorThatTheDriverDoesNotOffer) {
  tree_.each_cpu(8, "cpufreq/scaling_available_governors", "schedutil powersave");
  const PlatformFix fix(tree_.sources(), folder_);
  EXPECT_EQ(step(fix, "governor").result, Result::left_alone);
  EXPECT_NE(step(fix, "governor").said.find("schedutil powersave"), std::string::npos);
  EXPECT_EQ(tree_.read(governor0), "powersave");
}

TEST_F(PlatformFixTest, LeavesAloneWhatSomebodyElseSetMeanwhile) {
  PlatformFix fix(tree_.sources(), folder_);
  tree_.write(governor0, "schedutil");
  fs::remove(tree_.root() / governor7);
  const Restored restored = fix.restore();
  EXPECT_EQ(tree_.read(governor0), "schedutil");
  EXPECT_EQ(restored.values, 9U);
  ASSERT_EQ(restored.remarks.size(), 2U);
  EXPECT_NE(restored.remarks[0].find("is gone"), std::string::npos);
  EXPECT_NE(restored.remarks[1].find("left at schedutil"), std::string::npos);
  EXPECT_TRUE(restored.failures.empty());
}

TEST_F(PlatformFixTest, AfterAKillTheJournalPutsEverythingBack) {
  fix_and_be_killed();
  EXPECT_EQ(tree_.read(governor7), "performance");
  EXPECT_TRUE(fs::exists(journal_));
  const Restored restored = restore_host(tree_.sources(), folder_);
  EXPECT_EQ(restored.values, 11U);
  expect_as_before();
  EXPECT_EQ(restore_host(tree_.sources(), folder_).values, 0U);
}

TEST_F(PlatformFixTest, AfterAKillTheNextOneKnowsTheFirstValues) {
  fix_and_be_killed();
  {
    const PlatformFix fix(tree_.sources(), folder_);
    EXPECT_EQ(fix.leftovers().values, 11U);
    EXPECT_EQ(tree_.read(governor0), "performance");
  }
  expect_as_before();
}

TEST_F(PlatformFixTest, AfterARestartOfTheHostTheJournalCountsNoMore) {
  fix_and_be_killed();
  tree_.write("proc/sys/kernel/random/boot_id", "another");
  EXPECT_EQ(restore_host(tree_.sources(), folder_).values, 0U);
  EXPECT_EQ(tree_.read(no_turbo), "1");
  EXPECT_FALSE(fs::exists(journal_));
}

TEST_F(PlatformFixTest, KeepsInTheJournalWhatCannotBePutBack) {
  // As if it had been set and the file now refused every write.
  tree_.link(governor7, "/proc/sys/kernel/ostype");
  fs::create_directories(folder_);
  std::ofstream(journal_) << "tandem-platform 1 aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee\n"
                          << no_turbo << "\t1\t0\n"
                          << governor7 << "\tpowersave\tLinux\n";
  const Restored restored = restore_host(tree_.sources(), folder_);
  EXPECT_EQ(restored.values, 1U);
  ASSERT_EQ(restored.failures.size(), 1U);
  EXPECT_NE(restored.failures[0].find("still Linux instead of powersave"), std::string::npos);
  EXPECT_TRUE(fs::exists(journal_));
  EXPECT_THROW(PlatformFix(tree_.sources(), folder_), Error);
  EXPECT_EQ(restore_host(tree_.sources(), folder_).failures.size(), 1U);
}

TEST_F(PlatformFixTest, RefusesASecondOneAtATime) {
  const PlatformFix first(tree_.sources(), folder_);
  try {
    const PlatformFix second(tree_.sources(), folder_);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("process " + std::to_string(::getpid())), std::string::npos);
  }
  EXPECT_THROW(static_cast<void>(restore_host(tree_.sources(), folder_)), Error);
  EXPECT_EQ(tree_.read(governor0), "performance");
}

TEST_F(PlatformFixTest, ChangesNothingWhereTheJournalCannotBeKept) {
  fs::create_directories(journal_ / "in the way");
  EXPECT_THROW(PlatformFix(tree_.sources(), folder_), Error);
  EXPECT_EQ(tree_.read(governor0), "powersave");
  EXPECT_EQ(tree_.read(smt), "on");
}

TEST_F(PlatformFixTest, FollowsNoLinkAsAJournal) {
  fs::create_directories(folder_);
  tree_.write("elsewhere", "tandem-platform 1");
  fs::create_symlink(tree_.root() / "elsewhere", journal_);
  EXPECT_THROW(static_cast<void>(restore_host(tree_.sources(), folder_)), Error);
}

TEST(PlatformJournalText, IsReadOnlyWhereItIsWholeAndAboutSettings) {
  const std::string heading = "tandem-platform 1 boot\n";
  const std::string good = no_turbo + "\t0\t1\n";
  EXPECT_EQ(read_journal(heading + good, heading).size(), 1U);
  EXPECT_EQ(read_journal(good, heading).size(), 0U);
  EXPECT_EQ(read_journal("tandem-platform 1 other\n" + good, heading).size(), 0U);
  for (const std::string& wrong :
       {no_turbo + "\t0\t1", no_turbo + "\t0\n", no_turbo + "\t\t1\n", std::string("etc/passwd\ta\tb\n"),
        cpu + "cpu0/../../x\t0\t1\n", cpu + "cpu/cpufreq/scaling_governor\ta\tb\n", no_turbo + "\t0;rm\t1\n",
        "/" + no_turbo + "\t0\t1\n", std::string("\t\t\n\n\t\n")}) {
    EXPECT_EQ(read_journal(heading + wrong, heading).size(), 0U) << wrong;
    EXPECT_EQ(read_journal(heading + good + wrong, heading).size(), 1U) << wrong;
  }
}

TEST(SettingFiles, AreOnlyThoseThatSettingsAreKeptIn) {
  tests::PlatformTree laptop;
  tests::make_laptop(laptop);
  for (const HostSetting& setting : settings_for_measuring(laptop.sources())) {
    for (const std::string& file : setting.files) EXPECT_TRUE(is_setting_file(file)) << file;
  }
  EXPECT_TRUE(is_setting_file(cpu + "cpufreq/policy12/boost"));
  for (const char* wrong : {"", "sys", "sys/devices/system/cpu/cpu/cpufreq/scaling_governor",
                            "sys/devices/system/cpu/cpu1234567/cpufreq/scaling_governor",
                            "sys/devices/system/cpu/cpu1/online", "proc/sys/kernel/core_pattern"}) {
    EXPECT_FALSE(is_setting_file(wrong)) << wrong;
  }
}

TEST(Foreground, ReturnsTheStatusOfTheCommand) {
  EXPECT_EQ(run_in_foreground({"true"}, {}), 0);
  EXPECT_EQ(run_in_foreground({"sh", "-c", "exit 7"}, {}), 7);
  EXPECT_EQ(run_in_foreground({"sh", "-c", "kill -9 $$"}, {}), 137);
  EXPECT_THROW(static_cast<void>(run_in_foreground({"/nonexistent/program"}, {})), InputError);
}

TEST(Foreground, EndsACommandThatDoesNotStopByItself) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(run_in_foreground({"sleep", "600"}, stop.get_token(), std::chrono::milliseconds{1}),
            128 + SIGTERM);
}

}  // namespace
}  // namespace tandem::runners
