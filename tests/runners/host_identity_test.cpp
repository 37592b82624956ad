#include <gtest/gtest.h>

#include "runners/host/machine_facts.hpp"

namespace tandem::runners {
namespace {

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
