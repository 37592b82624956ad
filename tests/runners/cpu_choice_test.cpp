#include "runners/host/cpu_choice.hpp"
#include "support/made_up_topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

namespace tandem::runners {
namespace {

using Cpus = std::vector<int>;

struct Host {
  std::string name;
  std::string description;  ///< in hwloc's notation
  Cpus affinity;            ///< empty: all
  Cpus isolated;
  CpuChoice wanted;
};

std::ostream& operator<<(std::ostream& stream, const Host& host) {
  return stream << host.name;
}

Topology topology_of(const Host& host) {
  Topology topology = tests::made_up_topology(host.description);
  apply_affinity(topology, host.affinity, host.isolated);
  return topology;
}

class CpuChoiceOf : public testing::TestWithParam<Host> {};

TEST_P(CpuChoiceOf, IsAsTheTableSays) {
  const CpuChoice choice = choose_cpus(topology_of(GetParam()));
  EXPECT_EQ(choice.measured, GetParam().wanted.measured);
  EXPECT_EQ(choice.supervisor, GetParam().wanted.supervisor);
  EXPECT_EQ(choice.all, GetParam().wanted.all);
  EXPECT_EQ(choice.duet[0], GetParam().wanted.duet[0]);
  EXPECT_EQ(choice.duet[1], GetParam().wanted.duet[1]);
}

TEST_P(CpuChoiceOf, KeepsTheRulesOfTheHeader) {
  const Topology topology = topology_of(GetParam());
  const CpuChoice choice = choose_cpus(topology);
  std::map<int, Processor> by_number;
  for (const Processor& processor : topology.processors) by_number[processor.cpu] = processor;
  const auto cores = [&](const Cpus& cpus) {
    std::set<int> all;
    for (const int cpu : cpus) all.insert(by_number.at(cpu).core);
    return all;
  };
  const auto nodes = [&](const Cpus& cpus) {
    std::set<int> all;
    for (const int cpu : cpus) all.insert(by_number.at(cpu).node);
    return all;
  };
  for (const Cpus& cpus : {choice.measured, choice.supervisor, choice.all, choice.duet[0], choice.duet[1]}) {
    for (const int cpu : cpus) EXPECT_TRUE(by_number.at(cpu).allowed) << cpu;
  }
  EXPECT_EQ(choice.measured.size(), 1U);
  EXPECT_EQ(cores(choice.all).size(), choice.all.size());
  EXPECT_EQ(nodes(choice.all).size(), 1U);

  EXPECT_EQ(choice.duet[0].size(), choice.duet[1].size());
  Cpus both = choice.duet[0];
  both.insert(both.end(), choice.duet[1].begin(), choice.duet[1].end());
  EXPECT_EQ(cores(both).size(), both.size()) << "no siblings, nothing twice";
  EXPECT_LE(nodes(both).size(), 1U);

  std::set<int> usable;
  for (const Processor& processor : topology.processors) {
    if (processor.allowed) usable.insert(processor.core);
  }
  const std::set<int> kept = cores(choice.supervisor);
  if (usable.size() >= 2) {
    EXPECT_FALSE(kept.contains(*cores(choice.measured).begin()));
  }
  if (usable.size() >= 3) {
    EXPECT_FALSE(kept.empty());
    for (const int core : cores(both)) EXPECT_FALSE(kept.contains(core)) << core;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Hosts, CpuChoiceOf,
    testing::Values(
        Host{"OneCore", "core:1 pu:1", {}, {}, {{0}, {}, {0}, {}}},
        Host{"OneCoreWithSiblings", "core:1 pu:2", {}, {}, {{0}, {1}, {0}, {}}},
        Host{"TwoCores", "core:2 pu:1", {}, {}, {{1}, {0}, {0, 1}, {{{0}, {1}}}}},
        Host{"TwoCoresWithSiblings", "core:2 pu:2", {}, {}, {{2}, {0, 1}, {0, 2}, {{{0}, {2}}}}},
        // Numbered as most servers do: the siblings of 0-3 are 4-7.
        Host{"SiblingsNumberedLast",
             "core:4 pu:2(indexes=0,4,1,5,2,6,3,7)",
             {},
             {},
             {{3}, {0, 1, 4, 5}, {0, 1, 2, 3}, {{{2}, {3}}}}},
        Host{"ThreeCores", "core:3 pu:1", {}, {}, {{2}, {0}, {0, 1, 2}, {{{1}, {2}}}}},
        Host{"FourCores", "core:4 pu:1", {}, {}, {{3}, {0, 1}, {0, 1, 2, 3}, {{{2}, {3}}}}},
        Host{"FiveCores", "core:5 pu:1", {}, {}, {{4}, {0}, {0, 1, 2, 3, 4}, {{{1, 2}, {3, 4}}}}},
        Host{
            "SevenCores", "core:7 pu:1", {}, {}, {{6}, {0}, {0, 1, 2, 3, 4, 5, 6}, {{{1, 2, 3}, {4, 5, 6}}}}},
        Host{"TwoNodesOfFourWithSiblings",
             "node:2 core:4 pu:2",
             {},
             {},
             {{14}, {0, 1, 2, 3, 4, 5, 6, 7}, {8, 10, 12, 14}, {{{8, 10}, {12, 14}}}}},
        Host{"TwoNodesOfWhichOneIsMostlyForbidden",
             "node:2 core:4 pu:1",
             {0, 1, 2, 7},
             {},
             {{2}, {0, 7}, {0, 1, 2}, {{{1}, {2}}}}},
        Host{"TwoNodesOfOneCore", "node:2 core:1 pu:2", {}, {}, {{2}, {0, 1}, {2}, {}}},
        Host{"IsolatedPair", "core:4 pu:1", {0, 1}, {2, 3}, {{2}, {0, 1}, {0, 1}, {{{2}, {3}}}}},
        Host{"IsolatedThreeOfFour", "core:4 pu:1", {0}, {1, 2, 3}, {{1}, {0}, {0, 1, 2, 3}, {{{1}, {2}}}}},
        Host{"OneIsolated", "core:4 pu:1", {0, 1, 2}, {3}, {{3}, {0, 1}, {0, 1, 2}, {{{2}, {3}}}}},
        Host{"OneIsolatedFirst", "core:4 pu:1", {1, 2, 3}, {0}, {{0}, {1, 2}, {1, 2, 3}, {{{0}, {3}}}}},
        Host{"IsolatedNode",
             "node:2 core:2 pu:2",
             {0, 1, 2, 3},
             {4, 5, 6, 7},
             {{4}, {0, 1, 2, 3}, {4, 6}, {{{4}, {6}}}}},
        Host{
            "HalfACoreIsolated", "core:3 pu:2", {0, 1, 2, 3, 4}, {5}, {{4}, {0, 1}, {0, 2, 4}, {{{2}, {4}}}}},
        Host{"AffinityThatLeavesOneCore", "core:4 pu:2", {2, 3}, {}, {{2}, {3}, {2}, {}}},
        Host{"AffinityThatLeavesOneProcessor", "core:4 pu:2", {5}, {}, {{5}, {}, {5}, {}}},
        Host{"AffinityThatLeavesSecondSiblings",
             "core:3 pu:2",
             {1, 3, 5},
             {},
             {{5}, {1}, {1, 3, 5}, {{{3}, {5}}}}}),
    [](const auto& host) { return host.param.name; });

TEST(CpuChoice, PrefersTheFastestKindOfCoreAndNeverMixesKindsInADuet) {
  Topology topology = tests::made_up_topology("core:8 pu:1");
  for (int fast = 0; fast < 4; ++fast) topology.processors[static_cast<std::size_t>(fast)].kind = 1;
  const CpuChoice choice = choose_cpus(topology);
  EXPECT_EQ(choice.measured, Cpus{3});
  EXPECT_EQ(choice.duet[0], (Cpus{0, 1}));
  EXPECT_EQ(choice.duet[1], (Cpus{2, 3}));
  EXPECT_EQ(choice.supervisor, (Cpus{4, 5, 6, 7}));
}

TEST(CpuChoice, OfAHostWithoutProcessorsIsEmpty) {
  const CpuChoice choice = choose_cpus(Topology{});
  EXPECT_TRUE(choice.measured.empty());
  EXPECT_TRUE(choice.all.empty());
}

TEST(SupervisorPlace, MovesTheThreadAndBringsItBack) {
  const Cpus before = own_affinity();
  CpuChoice choice;
  choice.supervisor = {before.front()};
  {
    const SupervisorPlace place(choice);
    EXPECT_EQ(own_affinity(), Cpus{before.front()});
  }
  EXPECT_EQ(own_affinity(), before);
}

}  // namespace
}  // namespace tandem::runners
