#include "runners/host/cpu_choice.hpp"

#include <sched.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace tandem::runners {
namespace {

/// A core of which at least one processor may be used.
struct Core {
  int number = 0;
  int node = 0;
  int kind = 0;
  bool isolated = false;
  std::vector<int> cpus;  ///< those that may be used; the first one measures
};

using Cores = std::vector<Core>;

/// By their first processor.
Cores usable_cores(const Topology& topology) {
  std::map<int, Core> by_number;
  for (const Processor& processor : topology.processors) {
    if (!processor.allowed) continue;
    Core& core = by_number[processor.core];
    core.number = processor.core;
    core.node = processor.node;
    core.kind = processor.kind;
    // An isolated processor beside one that is not is disturbed through the core they share.
    core.isolated = processor.isolated && (core.cpus.empty() || core.isolated);
    core.cpus.push_back(processor.cpu);
  }
  Cores cores;
  for (auto& [number, core] : by_number) cores.push_back(std::move(core));
  std::sort(cores.begin(), cores.end(),
            [](const Core& a, const Core& b) { return a.cpus.front() < b.cpus.front(); });
  return cores;
}

template <class Which>
Cores only(const Cores& cores, Which which) {
  Cores some;
  std::copy_if(cores.begin(), cores.end(), std::back_inserter(some), which);
  return some;
}

/// Those of the node that has most of them; of equal nodes, the last.
Cores of_largest_node(const Cores& cores) {
  std::map<int, std::size_t> sizes;
  for (const Core& core : cores) ++sizes[core.node];
  auto largest = sizes.begin();
  for (auto one = sizes.begin(); one != sizes.end(); ++one) {
    if (one->second >= largest->second) largest = one;
  }
  return only(cores, [&](const Core& core) { return core.node == largest->first; });
}

Cores fastest(const Cores& cores) {
  const int best = std::max_element(cores.begin(), cores.end(), [](const Core& a, const Core& b) {
                     return a.kind < b.kind;
                   })->kind;
  return only(cores, [&](const Core& core) { return core.kind == best; });
}

/// The cores that two sides may share out, best first: of one node and, where two can be had so, isolated and
/// of one kind. Among others the last are best, because the kernel's own work gathers on the first.
Cores best_cores(const Cores& cores) {
  const Cores isolated = only(cores, [](const Core& core) { return core.isolated; });
  if (const Cores near = isolated.empty() ? Cores{} : of_largest_node(isolated); near.size() >= 2) {
    const Cores alike = fastest(near);
    return alike.size() >= 2 ? alike : near;
  }
  Cores near = of_largest_node(cores);
  if (Cores alike = fastest(near); alike.size() >= 2) near = std::move(alike);
  std::reverse(near.begin(), near.end());
  std::stable_partition(near.begin(), near.end(), [](const Core& core) { return core.isolated; });
  return near;
}

std::vector<int> one_each(Cores::const_iterator from, Cores::const_iterator to) {
  std::vector<int> cpus;
  std::transform(from, to, std::back_inserter(cpus), [](const Core& core) { return core.cpus.front(); });
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

std::vector<int> every(const Cores& cores) {
  std::vector<int> cpus;
  for (const Core& core : cores) cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

/// Programs with threads need a scheduler that spreads them, and over isolated processors the kernel does
/// not.
std::vector<int> for_threads(const Cores& cores, int node) {
  const Cores near = only(cores, [&](const Core& core) { return core.node == node; });
  const Cores spread = only(near, [](const Core& core) { return !core.isolated; });
  const Cores& chosen = spread.size() >= 2 ? spread : near;
  return one_each(chosen.begin(), chosen.end());
}

/// Off the cores of `busy`, and of what is left those that are not isolated; else only off the measured core;
/// else on its sibling.
std::vector<int> for_supervisor(const Cores& cores, const Core& measured, const std::set<int>& busy) {
  Cores left = only(cores, [&](const Core& core) { return !busy.contains(core.number); });
  if (left.empty()) left = only(cores, [&](const Core& core) { return core.number != measured.number; });
  if (left.empty()) return {measured.cpus.begin() + 1, measured.cpus.end()};
  const Cores shared = only(left, [](const Core& core) { return !core.isolated; });
  return every(shared.empty() ? left : shared);
}

}  // namespace

CpuChoice choose_cpus(const Topology& topology) {
  CpuChoice choice;
  const Cores cores = usable_cores(topology);
  if (cores.empty()) return choice;
  const Cores best = best_cores(cores);
  const auto isolated =
      std::find_if(cores.begin(), cores.end(), [](const Core& core) { return core.isolated; });
  const Core& measured = best.front().isolated || isolated == cores.end() ? best.front() : *isolated;
  choice.measured = {measured.cpus.front()};
  choice.all = for_threads(cores, best.front().node);

  // The supervisor's core is one that the duet could not use anyway, where there is one.
  const bool gives_one = best.size() == cores.size() && cores.size() >= 3;
  const auto half = static_cast<std::ptrdiff_t>((best.size() - (gives_one ? 1 : 0)) / 2);
  Cores shared_out(best.begin(), best.begin() + 2 * half);
  std::sort(shared_out.begin(), shared_out.end(),
            [](const Core& a, const Core& b) { return a.cpus.front() < b.cpus.front(); });
  // Neighbours stay together: they may share a cache that the other side then does not touch.
  choice.duet[0] = one_each(shared_out.begin(), shared_out.begin() + half);
  choice.duet[1] = one_each(shared_out.begin() + half, shared_out.end());

  std::set<int> busy = {measured.number};
  for (const Core& core : shared_out) busy.insert(core.number);
  choice.supervisor = for_supervisor(cores, measured, busy);
  return choice;
}

CpuChoice choose_cpus(const Topology& topology, const std::vector<int>& cpus) {
  CpuChoice choice = choose_cpus(with_only(topology, cpus));
  std::vector<int> others;
  for (const int cpu : allowed_processors(topology)) {
    if (std::find(cpus.begin(), cpus.end(), cpu) == cpus.end()) others.push_back(cpu);
  }
  if (!others.empty()) choice.supervisor = std::move(others);
  choice.measured = choice.all = cpus;
  return choice;
}

std::vector<int> allowed_processors(const Topology& topology) {
  std::vector<int> cpus;
  for (const Processor& processor : topology.processors) {
    if (processor.allowed) cpus.push_back(processor.cpu);
  }
  return cpus;
}

Topology with_only(Topology topology, const std::vector<int>& cpus) {
  for (Processor& processor : topology.processors) {
    const bool wanted = std::find(cpus.begin(), cpus.end(), processor.cpu) != cpus.end();
    processor.allowed = processor.allowed && wanted;
  }
  return topology;
}

CpuChoice choose_cpus() {
  return choose_cpus(read_topology());
}

void move_thread(int thread, const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  const auto room = static_cast<std::size_t>(*std::max_element(cpus.begin(), cpus.end())) + 1;
  cpu_set_t* const set = CPU_ALLOC(room);
  if (set == nullptr) return;
  const std::size_t size = CPU_ALLOC_SIZE(room);
  CPU_ZERO_S(size, set);
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), size, set);
  static_cast<void>(::sched_setaffinity(thread, size, set));
  CPU_FREE(set);
}

SupervisorPlace::SupervisorPlace(const CpuChoice& choice) : before_(own_affinity()) {
  // If it may not move, the pairs see the same disturbance on both sides.
  move_thread(0, choice.supervisor);
}

SupervisorPlace::~SupervisorPlace() {
  move_thread(0, before_);
}

}  // namespace tandem::runners
