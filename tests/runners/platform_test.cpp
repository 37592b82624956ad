#include "runners/host/platform.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/made_up_topology.hpp"
#include "support/platform_tree.hpp"

namespace tandem::runners {
namespace {

using Counters = HostTrials::Counters;

const Finding& finding(const Platform& platform, const std::string& name) {
  for (const Finding& one : platform.findings) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << "no finding " << name;
  static const Finding none;
  return none;
}

HostTrials good_trials(const char* topology) {
  HostTrials trials;
  trials.topology = tests::made_up_topology(topology);
  trials.steal_share = 0;
  trials.counters = Counters::counts;
  trials.sandbox_fault = "";
  for (const char* tool : {"bwrap", "mold", "ld.lld", "valgrind", "perf", "ccache"}) {
    trials.tools.push_back({tool, "1.0"});
  }
  return trials;
}

TEST(Platform, OfABareHostIsUnavailableInAllAndHasNoScore) {
  const tests::PlatformTree bare;
  const Platform platform = assess_platform(bare.sources(), {});
  EXPECT_EQ(platform.score, std::nullopt);
  EXPECT_GE(platform.findings.size(), 20U);
  for (const Finding& one : platform.findings) {
    EXPECT_EQ(one.value, "unavailable") << one.name;
    EXPECT_EQ(one.grade, Grade::unknown) << one.name;
    EXPECT_EQ(one.command, "") << one.name;
  }
}

TEST(Platform, OfATunedServerIsReady) {
  tests::PlatformTree tree;
  tests::make_tuned_server(tree);
  const Platform platform = assess_platform(tree.sources(), good_trials("l3:1 core:8 l1d:1 pu:1"));
  EXPECT_EQ(platform.score, 100);
  for (const Finding& one : platform.findings) {
    EXPECT_EQ(one.grade, Grade::good) << one.name << " " << one.value;
    EXPECT_EQ(one.command, "") << one.name;
  }
  EXPECT_EQ(finding(platform, "isolated cores").value, "4-7");
  EXPECT_EQ(finding(platform, "chosen").value, "measured 7; duet 2-4 and 5-7; supervisor 0-1")
      << "the made-up topology does not tell that some are isolated";
  EXPECT_EQ(finding(platform, "frequency").value, "3250 MHz now, least 1500, most 3250, driver acpi-cpufreq");
  EXPECT_EQ(finding(platform, "temperature").value, "41 °C, 54 below the next limit");
}

struct Wanted {
  const char* name;
  const char* value;
  Grade grade;
  const char* command;
};

TEST(Platform, OfALaptopSaysWhatToSet) {
  tests::PlatformTree tree;
  tests::make_laptop(tree);
  HostTrials trials = good_trials("core:4 pu:2");
  trials.steal_share = 0.004;
  trials.counters = Counters::no_permission;
  trials.tools = {{"bwrap", "0.8.0"}, {"mold", std::nullopt}, {"ld.lld", "14"}, {"valgrind", std::nullopt}};
  trials.sandbox_fault = "no sandbox: this host forbids user namespaces";
  const Platform platform = assess_platform(tree.sources(), trials);
  const std::vector<Wanted> table = {
      {"cores", "4", Grade::good, ""},
      {"SMT", "on", Grade::fair, "echo off | sudo tee /sys/devices/system/cpu/smt/control"},
      {"isolated cores", "none", Grade::fair,
       "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&isolcpus=4,6 /' /etc/default/grub && sudo update-grub"},
      {"governor", "powersave", Grade::poor,
       "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"},
      {"turbo", "on", Grade::fair, "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"},
      {"frequency", "2800 MHz now, least 400, most 4800, driver intel_pstate", Grade::good, ""},
      {"throttling", "up to 17 times on one core since boot", Grade::fair, ""},
      {"temperature", "93 °C, 4 below the next limit", Grade::poor, ""},
      {"address randomisation", "full", Grade::good, ""},
      {"swap", "200 of 8191 MiB used", Grade::fair, "sudo swapoff -a"},
      {"transparent huge pages", "always", Grade::fair,
       "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"},
      {"load", "3.10 in the last minute", Grade::poor, ""},
      {"steal", "0.4 %", Grade::fair, ""},
      {"perf_event_paranoid", "3", Grade::poor, "sudo sysctl -w kernel.perf_event_paranoid=1"},
      {"hardware counters", "not permitted", Grade::poor, "sudo sysctl -w kernel.perf_event_paranoid=1"},
      {"bubblewrap", "0.8.0, unusable: no sandbox: this host forbids user namespaces", Grade::poor, ""},
      {"mold", "not installed", Grade::fair, "sudo apt-get install -y mold"},
      {"lld", "14", Grade::good, ""},
      {"valgrind", "not installed", Grade::fair, "sudo apt-get install -y valgrind"},
      {"ccache", "unavailable", Grade::unknown, ""}};
  for (const Wanted& wanted : table) {
    const Finding& found = finding(platform, wanted.name);
    EXPECT_EQ(found.value, wanted.value) << wanted.name;
    EXPECT_EQ(found.grade, wanted.grade) << wanted.name;
    EXPECT_EQ(found.command, wanted.command) << wanted.name;
  }
  ASSERT_TRUE(platform.score);
  EXPECT_LT(*platform.score, 50);
}

TEST(Platform, OfAnArmHostCountsOnlyWhatIsKnown) {
  tests::PlatformTree tree;
  tests::make_arm_host(tree);
  HostTrials trials = good_trials("core:64 pu:1");
  const Platform platform = assess_platform(tree.sources(), trials);
  EXPECT_EQ(finding(platform, "instruction sets").value, "NEON SVE SVE2 DOTPROD I8MM BF16");
  EXPECT_EQ(finding(platform, "governor").value, "unavailable");
  EXPECT_EQ(finding(platform, "turbo").grade, Grade::unknown);
  EXPECT_EQ(finding(platform, "SMT").value, "none");
  EXPECT_EQ(finding(platform, "virtual machine").grade, Grade::unknown);
  EXPECT_EQ(finding(platform, "isolated cores").value, "none");
  EXPECT_EQ(finding(platform, "load").grade, Grade::good);
  ASSERT_TRUE(platform.score);
  EXPECT_GT(*platform.score, 80);
}

TEST(Platform, TellsEachInstructionSetApart) {
  tests::PlatformTree tree;
  tests::make_laptop(tree);
  std::set<std::string> present;
  std::set<std::string> absent;
  for (const IsaFeature& feature : assess_platform(tree.sources(), {}).isa) {
    (feature.present ? present : absent).insert(feature.flag);
  }
  EXPECT_EQ(present, (std::set<std::string>{"sse4_2", "avx", "avx2", "fma", "avx512f", "avx512_vpopcntdq"}));
  EXPECT_TRUE(absent.contains("avx512bw"));
  EXPECT_TRUE(absent.contains("amx_tile"));
  EXPECT_EQ(present.size() + absent.size(), 21U);
}

TEST(Platform, OfAVirtualMachineSaysSo) {
  tests::PlatformTree tree;
  tree.write("proc/cpuinfo", "flags : fpu hypervisor avx\n");
  HostTrials trials;
  trials.counters = Counters::no_hardware;
  trials.steal_share = 0.08;
  const Platform platform = assess_platform(tree.sources(), trials);
  EXPECT_EQ(finding(platform, "virtual machine").value, "yes");
  EXPECT_EQ(finding(platform, "steal").grade, Grade::poor);
  EXPECT_EQ(finding(platform, "hardware counters").command, "");
}

TEST(Platform, EveryFindingSaysInOneSentenceWhyItMatters) {
  const tests::PlatformTree bare;
  std::set<std::string> names;
  for (const Finding& one : assess_platform(bare.sources(), {}).findings) {
    EXPECT_TRUE(one.why.ends_with('.')) << one.name;
    EXPECT_EQ(one.why.find(". "), std::string::npos) << one.name;
    EXPECT_TRUE(names.insert(one.name).second) << one.name << " twice";
  }
}

TEST(Platform, SurvivesNonsenseInEveryFile) {
  tests::PlatformTree tree;
  tests::make_laptop(tree);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tree.root())) {
    if (entry.is_regular_file()) std::ofstream(entry.path()) << std::string("\xff\0[-9e99:\n\n[\t", 12);
  }
  const Platform platform = assess_platform(tree.sources(), {});
  EXPECT_EQ(finding(platform, "turbo").value, "unavailable");
  EXPECT_EQ(finding(platform, "transparent huge pages").value, "unavailable");
}

TEST(Readiness, IsTheWeightedMeanOfWhatIsKnown) {
  const auto graded = [](Grade grade, int weight) {
    Finding one;
    one.grade = grade;
    one.weight = weight;
    return one;
  };
  EXPECT_EQ(readiness({}), std::nullopt);
  EXPECT_EQ(readiness({graded(Grade::unknown, 10), graded(Grade::good, 0)}), std::nullopt);
  EXPECT_EQ(readiness({graded(Grade::good, 10), graded(Grade::poor, 30)}), 25);
  EXPECT_EQ(readiness({graded(Grade::fair, 5)}), 50);
  EXPECT_EQ(readiness({graded(Grade::good, 10), graded(Grade::unknown, 90)}), 100);
  EXPECT_EQ(readiness({graded(Grade::poor, 1)}), 0);
}

TEST(Trials, OnThisHostFindItsProcessorsAndTellWhetherCountersWork) {
  const HostTrials trials = try_host({}, "/nonexistent/shim", std::chrono::milliseconds{30}, {});
  EXPECT_FALSE(trials.topology.processors.empty());
  EXPECT_NE(trials.counters, Counters::untried);
  EXPECT_EQ(trials.tools.size(), 6U);
  EXPECT_NE(trials.sandbox_fault, "") << "there is no such shim";
}

TEST(Trials, ReadVersionsFromTheProgramsBelowTheRoot) {
  tests::PlatformTree tree;
  tree.write("usr/bin/mold", "#!/bin/sh\necho 'mold 9.8.7 (made up)'")
      .write("usr/bin/valgrind", "no program");
  std::filesystem::permissions(tree.root() / "usr/bin/mold", std::filesystem::perms::owner_all);
  const HostTrials trials = try_host(tree.sources(), "/nonexistent/shim", std::chrono::milliseconds{1}, {});
  EXPECT_EQ(trials.steal_share, std::nullopt);
  for (const auto& tool : trials.tools) {
    if (tool.name == "mold") {
      EXPECT_EQ(tool.version, "9.8.7 (made up)");
    } else {
      EXPECT_EQ(tool.version, std::nullopt) << tool.name;
    }
  }
}

}  // namespace
}  // namespace tandem::runners
