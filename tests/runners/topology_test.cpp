#include "runners/host/topology.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <set>

#include "support/made_up_topology.hpp"

namespace tandem::runners {
namespace {

std::set<int> allowed_in(const Topology& topology) {
  std::set<int> cpus;
  for (const Processor& processor : topology.processors) {
    if (processor.allowed) cpus.insert(processor.cpu);
  }
  return cpus;
}

TEST(Topology, OfThisHostAllowsWhatTheKernelDoes) {
  const Topology topology = read_topology();
  const std::vector<int> affinity = own_affinity();
  ASSERT_FALSE(affinity.empty());
  const std::set<int> allowed = allowed_in(topology);
  EXPECT_TRUE(std::includes(allowed.begin(), allowed.end(), affinity.begin(), affinity.end()));
  EXPECT_TRUE(std::is_sorted(topology.processors.begin(), topology.processors.end(),
                             [](const Processor& a, const Processor& b) { return a.cpu < b.cpu; }));
  for (const Cache& cache : topology.caches) {
    EXPECT_GT(cache.bytes, 0U);
    EXPECT_GE(cache.shared_by, 1U);
    EXPECT_FALSE(cache.kind.empty());
  }
}

TEST(Topology, FollowsTheAffinityOfTheThread) {
  const std::vector<int> before = own_affinity();
  ASSERT_FALSE(before.empty());
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(before.back(), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  const Topology narrowed = read_topology();
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const int cpu : before) CPU_SET(cpu, &all);
  ASSERT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(allowed_in(narrowed), std::set<int>{before.back()});
  EXPECT_EQ(narrowed.processors.size(), read_topology().processors.size());
}

TEST(Topology, TellsSiblingsNodesAndSocketsApart) {
  const Topology topology = tests::made_up_topology("pack:2 node:1 l3:1 core:4 l1d:1 pu:2");
  ASSERT_EQ(topology.processors.size(), 16U);
  std::set<int> cores;
  for (const Processor& processor : topology.processors) cores.insert(processor.core);
  EXPECT_EQ(cores.size(), 8U);
  EXPECT_EQ(topology.processors[0].core, topology.processors[1].core);
  EXPECT_NE(topology.processors[1].core, topology.processors[2].core);
  EXPECT_EQ(topology.processors[7].node, 0);
  EXPECT_EQ(topology.processors[8].node, 1);
  EXPECT_EQ(topology.processors[7].socket, 0);
  EXPECT_EQ(topology.processors[8].socket, 1);
  ASSERT_EQ(topology.caches.size(), 2U);
  EXPECT_EQ(topology.caches[0].level, 1);
  EXPECT_EQ(topology.caches[0].kind, "data");
  EXPECT_EQ(topology.caches[0].shared_by, 2U);
  EXPECT_EQ(topology.caches[1].level, 3);
  EXPECT_EQ(topology.caches[1].kind, "unified");
  EXPECT_EQ(topology.caches[1].shared_by, 8U);
}

TEST(Topology, WithoutMemoryNodesIsOneNode) {
  for (const Processor& processor : tests::made_up_topology("core:3 pu:1").processors) {
    EXPECT_EQ(processor.node, 0);
    EXPECT_EQ(processor.socket, 0);
  }
}

TEST(Topology, LeavesIsolatedProcessorsAllowedWhereOnlyTheKernelTookThemOut) {
  Topology topology = tests::made_up_topology("core:4 pu:1");
  apply_affinity(topology, {0, 1}, {2, 3});
  EXPECT_EQ(allowed_in(topology), (std::set<int>{0, 1, 2, 3}));
  EXPECT_FALSE(topology.processors[1].isolated);
  EXPECT_TRUE(topology.processors[2].isolated);
}

TEST(Topology, KeepsToAnAffinityThatAPersonChose) {
  for (const std::vector<int>& chosen : {std::vector{0}, std::vector{1, 2}, std::vector{3}}) {
    Topology topology = tests::made_up_topology("core:4 pu:1");
    apply_affinity(topology, chosen, {2, 3});
    EXPECT_EQ(allowed_in(topology), std::set<int>(chosen.begin(), chosen.end()));
  }
}

TEST(Topology, NeverAllowsWhatTheControlGroupForbids) {
  Topology topology = tests::made_up_topology("core:4 pu:1");
  topology.processors[3].allowed = false;
  apply_affinity(topology, {0, 1}, {2, 3});
  EXPECT_EQ(allowed_in(topology), (std::set<int>{0, 1, 2}));
}

struct List {
  const char* text;
  std::vector<int> cpus;
};

TEST(CpuList, IsReadAsTheKernelWritesIt) {
  for (const List& list : {List{"", {}}, List{"3", {3}}, List{"1,3-5", {1, 3, 4, 5}}, List{"0-1\n", {0, 1}},
                           List{"5,1-2,2", {1, 2, 5}}}) {
    EXPECT_EQ(parse_cpu_list(list.text), list.cpus) << list.text;
  }
}

TEST(CpuList, PassesOverWhatIsNone) {
  for (const List& list : {List{"(null)", {}}, List{",,", {}}, List{"-3", {}}, List{"4-2", {}},
                           List{"1-", {}}, List{"x,2", {2}}, List{"99999999999999,1", {1}}}) {
    EXPECT_EQ(parse_cpu_list(list.text), list.cpus) << list.text;
  }
  EXPECT_LE(parse_cpu_list("0-2000000000").size(), 65536U);
}

}  // namespace
}  // namespace tandem::runners
