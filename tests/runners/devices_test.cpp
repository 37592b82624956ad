#include "runners/host/devices.hpp"

#include <gtest/gtest.h>

#include "specs/foundation/error.hpp"
#include "support/made_up_topology.hpp"

namespace tandem::runners {
namespace {

using Cpus = std::vector<int>;
using Names = std::vector<std::string>;

/// Two nodes of four cores with two processors each: 0 to 7 and 8 to 15.
Topology two_nodes() {
  return tests::made_up_topology("node:2 core:4 pu:2");
}

/// Four cores of one processor, the last two of a faster kind.
Topology mixed() {
  Topology topology = tests::made_up_topology("core:4 pu:1");
  for (Processor& processor : topology.processors) processor.kind = processor.cpu >= 2 ? 1 : 0;
  return topology;
}

std::string refusal(const Topology& topology, std::string_view name) {
  try {
    static_cast<void>(device_named(topology, name));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

Names chosen(const Topology& topology, std::string_view wanted, std::string_view excluded = "") {
  Names names;
  for (const Device& device : choose_devices(topology, wanted, excluded)) names.push_back(device.name);
  return names;
}

TEST(Devices, AreNamedAsTheHostIsMade) {
  EXPECT_EQ(device_names(two_nodes()), (Names{"host", "cpuN", "node0", "node1", "performance"}));
  EXPECT_EQ(device_names(mixed()), (Names{"host", "cpuN", "node0", "performance", "efficiency"}));
}

TEST(Devices, MeasureOnTheirOwnProcessorsOnly) {
  const CpuChoice node = device_named(two_nodes(), "node1").cpus;
  EXPECT_EQ(node.all, (Cpus{8, 10, 12, 14}));
  EXPECT_GE(node.supervisor.at(0), 8);
  EXPECT_EQ(device_named(two_nodes(), "cpu0-3").cpus.all, (Cpus{0, 2}));
  EXPECT_EQ(device_named(two_nodes(), "cpu1,5").cpus.all, (Cpus{1, 5}));
  EXPECT_EQ(device_named(two_nodes(), "cpu9").cpus.measured, Cpus{9});
  EXPECT_EQ(device_named(mixed(), "performance").cpus.all, (Cpus{2, 3}));
  EXPECT_EQ(device_named(mixed(), "efficiency").cpus.all, (Cpus{0, 1}));
  EXPECT_EQ(device_named(mixed(), "host").cpus.measured, choose_cpus(mixed()).measured);
}

TEST(Devices, OfPhonesAndOtherMachinesAreRefused) {
  for (const char* name : {"android", "ios-17", "a1b2c3d4e5f6", "cpu", "cpux", "nodex", "", "Host"}) {
    EXPECT_EQ(refusal(two_nodes(), name),
              std::string("device \"") + name +
                  "\": devices are processors of this machine; phones (Android, iOS) and other machines are "
                  "out of scope; this host has host, cpuN, node0, node1, performance");
  }
}

TEST(Devices, ThatTheHostDoesNotHaveAreRefused) {
  EXPECT_NE(refusal(two_nodes(), "node2").find("no such memory node"), std::string::npos);
  EXPECT_NE(refusal(two_nodes(), "efficiency").find("all cores of this host are of one kind"),
            std::string::npos);
  EXPECT_NE(refusal(two_nodes(), "cpu3-1").find("no list of processors"), std::string::npos);
  EXPECT_NE(refusal(two_nodes(), "cpu1-").find("no list of processors"), std::string::npos);
  EXPECT_NE(refusal(two_nodes(), "cpu0-2000000000").find("may not use processor 16, only 0-15"),
            std::string::npos);
  EXPECT_NE(refusal(two_nodes(), "cpu77").find("may not use processor 77"), std::string::npos);
}

TEST(Devices, ThatThisProcessMayNotUseAreRefused) {
  const Topology some = with_only(two_nodes(), {0, 1, 2, 3});
  EXPECT_NE(refusal(some, "cpu3-4").find("may not use processor 4, only 0-3"), std::string::npos);
  EXPECT_NE(refusal(some, "node1").find("may not use processor 8-15"), std::string::npos);
  EXPECT_EQ(device_named(some, "node0").cpus.all, (Cpus{0, 2})) << "those of a group that may be used";
}

TEST(Devices, AreChosenFromAListWithoutThoseExcluded) {
  EXPECT_EQ(chosen(two_nodes(), ""), Names{"host"});
  EXPECT_EQ(chosen(two_nodes(), "cpu0,2,node1"), (Names{"cpu0,2", "node1"}));
  EXPECT_EQ(chosen(two_nodes(), " cpu0-1 , 4 ,cpu8,host"), (Names{"cpu0-1,4", "cpu8", "host"}));
  EXPECT_EQ(chosen(two_nodes(), "node0,node1,cpu0-1,node1", "node0,cpu0,1"), Names{"node1"});
  EXPECT_THROW(chosen(two_nodes(), "node0", "node0"), InputError);
  EXPECT_THROW(chosen(two_nodes(), "node0", "pixel"), InputError);
}

TEST(CpuChoice, OfGivenProcessorsKeepsToThemAndTheSupervisorOff) {
  const CpuChoice choice = choose_cpus(two_nodes(), {0, 1, 2});
  EXPECT_EQ(choice.measured, (Cpus{0, 1, 2}));
  EXPECT_EQ(choice.all, (Cpus{0, 1, 2}));
  EXPECT_EQ(choice.supervisor.front(), 3);
  EXPECT_EQ(choice.duet[0], Cpus{0});
  EXPECT_EQ(choice.duet[1], Cpus{2});
}

}  // namespace
}  // namespace tandem::runners
