#include "runners/host/machine_facts.hpp"

#include <gtest/gtest.h>

#include "support/made_up_topology.hpp"
#include "support/platform_tree.hpp"

namespace tandem::runners {
namespace {

TEST(MachineFacts, AreEmptyOnABareHost) {
  const tests::PlatformTree bare;
  const MachineFacts facts = read_machine_facts(bare.sources(), {});
  EXPECT_EQ(facts.kernel, "");
  EXPECT_EQ(facts.cpu_model, std::nullopt);
  EXPECT_EQ(facts.microcode, std::nullopt);
  EXPECT_EQ(facts.governor, std::nullopt);
  EXPECT_EQ(facts.turbo, std::nullopt);
  EXPECT_EQ(facts.smt, std::nullopt);
  EXPECT_EQ(facts.address_randomisation, std::nullopt);
  EXPECT_EQ(facts.load, std::nullopt);
  EXPECT_EQ(facts.steal_share, std::nullopt);
  EXPECT_EQ(facts.topology, std::nullopt);
  EXPECT_TRUE(facts.isa.empty());
}

TEST(MachineFacts, OfAServer) {
  tests::PlatformTree tree;
  tests::make_tuned_server(tree);
  Topology topology = tests::made_up_topology("pack:2 core:4 pu:2");
  topology.processors[0].allowed = false;
  const MachineFacts facts = read_machine_facts(tree.sources(), topology);
  EXPECT_EQ(facts.kernel, "6.1.0-18-amd64");
  EXPECT_EQ(facts.cpu_model, "AMD EPYC 9354P");
  EXPECT_EQ(facts.microcode, "0xa101148");
  EXPECT_EQ(facts.governor, "performance");
  EXPECT_EQ(facts.turbo, false);
  EXPECT_EQ(facts.smt, false);
  EXPECT_EQ(facts.address_randomisation, true);
  EXPECT_EQ(facts.load, 0.02);
  EXPECT_EQ(facts.steal_share, 0.0);
  EXPECT_EQ(facts.processors, 15U);
  EXPECT_EQ(facts.topology, "2 sockets, 8 cores, 16 processors, 1 node");
  EXPECT_EQ(facts.isa, (std::vector<std::string>{"SSE4.2", "AVX", "AVX2", "FMA", "AVX-512F", "AVX-512CD",
                                                 "AVX-512BW", "AVX-512DQ", "AVX-512VL", "AVX-512-VNNI"}));
}

TEST(MachineFacts, OfALaptopNameEveryGovernor) {
  tests::PlatformTree tree;
  tests::make_laptop(tree);
  tree.write("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "performance");
  const MachineFacts facts = read_machine_facts(tree.sources(), {});
  EXPECT_EQ(facts.governor, "powersave, performance");
  EXPECT_EQ(facts.turbo, true);
  EXPECT_EQ(facts.smt, true);
}

TEST(MachineFacts, OfAnArmHost) {
  tests::PlatformTree tree;
  tests::make_arm_host(tree);
  const MachineFacts facts = read_machine_facts(tree.sources(), {});
  EXPECT_EQ(facts.cpu_model, "implementer 0x41 part 0xd40");
  EXPECT_EQ(facts.microcode, std::nullopt);
  EXPECT_EQ(facts.isa, (std::vector<std::string>{"NEON", "SVE", "SVE2", "DOTPROD", "I8MM", "BF16"}));
}

TEST(MachineFacts, ReadBoostOfEachPolicyWhereThereIsNoOtherSwitch) {
  tests::PlatformTree tree;
  tree.write("sys/devices/system/cpu/cpufreq/policy0/boost", "0");
  EXPECT_EQ(turbo(tree.sources()), false);
  tree.write("sys/devices/system/cpu/cpufreq/policy1/boost", "1");
  EXPECT_EQ(turbo(tree.sources()), true);
}

TEST(MachineFacts, OfThisHostNameItsKernelAndProcessors) {
  const MachineFacts facts = read_machine_facts();
  EXPECT_FALSE(facts.kernel.empty());
  EXPECT_EQ(facts.processors, own_affinity().size());
  EXPECT_TRUE(facts.topology);
}

TEST(StealShare, IsThatOfTheTimeBetweenTwoReadings) {
  tests::PlatformTree tree;
  tree.write("proc/stat", "cpu  100 10 90 700 50 20 20 10 7 3");
  const auto before = read_cpu_times(tree.sources());
  ASSERT_TRUE(before);
  EXPECT_EQ(before->total, 1000);
  EXPECT_EQ(before->steal, 10);
  tree.write("proc/stat", "cpu  150 10 90 720 50 20 20 40 7 3");
  const auto after = read_cpu_times(tree.sources());
  ASSERT_TRUE(after);
  EXPECT_EQ(steal_share(*before, *after), 0.3);
  EXPECT_EQ(steal_share(*after, *after), std::nullopt);
  EXPECT_EQ(steal_share({0, 20}, {100, 10}), 0.0) << "a counter that stepped back";
}

TEST(StealShare, IsUnknownWhereTheKernelDoesNotTell) {
  tests::PlatformTree tree;
  EXPECT_EQ(read_cpu_times(tree.sources()), std::nullopt);
  for (const char* wrong : {"", "intr 1 2 3 4 5 6 7 8 9", "cpu 1 2 3", "cpu a b c d e f g h"}) {
    tree.write("proc/stat", wrong);
    EXPECT_EQ(read_cpu_times(tree.sources()), std::nullopt) << wrong;
  }
}

MachineFacts sample() {
  MachineFacts facts;
  facts.kernel = "6.1.0";
  facts.cpu_model = "Example CPU";
  facts.microcode = "0x2b";
  facts.governor = "performance";
  facts.turbo = false;
  facts.smt = true;
  facts.processors = 8;
  return facts;
}

TEST(HostIdentity, SaysInOneLineWhatMeasures) {
  EXPECT_EQ(
      host_identity(sample()),
      "kernel 6.1.0, Example CPU, microcode 0x2b, governor performance, turbo off, SMT on, 8 processors");
}

TEST(HostIdentity, SaysWhatCannotBeRead) {
  EXPECT_EQ(host_identity({}),
            "kernel unknown, unknown, microcode unknown, governor unknown, turbo unknown, SMT unknown, 0 "
            "processors");
}

TEST(HostIdentity, ChangesWithTheSettingsAndNotWithTheLoad) {
  const std::string before = host_identity(sample());
  MachineFacts busy = sample();
  busy.load = 9.5;
  busy.steal_share = 0.2;
  EXPECT_EQ(host_identity(busy), before);
  MachineFacts other = sample();
  other.governor = "powersave";
  EXPECT_NE(host_identity(other), before);
}

TEST(HostIdentity, OfThisHostIsTheSameTwice) {
  EXPECT_EQ(host_identity(read_machine_facts()), host_identity(read_machine_facts()));
}

}  // namespace
}  // namespace tandem::runners
