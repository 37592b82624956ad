#pragma once

#include <array>
#include <string>
#include <vector>

#include "runners/host/topology.hpp"

namespace tandem::runners {

/// Which processors measure and which stay for the supervisor. All are subsets of what this process may use.
struct CpuChoice {
  std::vector<int> measured;    ///< one: single-threaded programs in `alternate` and `process`
  std::vector<int> supervisor;  ///< empty when there is no other: then the two share
  /// Programs with threads in `alternate`: one processor per core of one node. Isolated ones only where there
  /// are no two others: the kernel does not spread threads over them.
  std::vector<int> all;
  /// Disjoint and of one size, for the two sides of a duet: no two of them on one core, all on one node.
  /// Empty where no node has two cores.
  std::array<std::vector<int>, 2> duet;
};

/// Pure. Prefers isolated processors, else the last ones allowed, which the kernel's own housekeeping uses
/// least; where cores differ, the fastest kind. With three cores or more one is left to the supervisor. The
/// SMT siblings of measured processors stay idle, unless the supervisor has no other place at all.
[[nodiscard]] CpuChoice choose_cpus(const Topology& topology);
/// The same where a program must run on just these, which are allowed: on all of them, whatever its threads.
/// The supervisor stays off them where it can.
[[nodiscard]] CpuChoice choose_cpus(const Topology& topology, const std::vector<int>& cpus);
/// For this host, as this process may use it.
[[nodiscard]] CpuChoice choose_cpus();

[[nodiscard]] std::vector<int> allowed_processors(const Topology& topology);
/// The same host with no other processors allowed than these.
[[nodiscard]] Topology with_only(Topology topology, const std::vector<int>& cpus);

/// Lets a thread run on these processors only; 0 is the calling one. Where the host forbids it, or the thread
/// is gone, it stays where it is.
void move_thread(int thread, const std::vector<int>& cpus);

/// Moves the calling thread off the measured processors, and back at the end of the scope.
class SupervisorPlace {
 public:
  explicit SupervisorPlace(const CpuChoice& choice);
  ~SupervisorPlace();
  SupervisorPlace(const SupervisorPlace&) = delete;
  SupervisorPlace& operator=(const SupervisorPlace&) = delete;

 private:
  std::vector<int> before_;
};

}  // namespace tandem::runners
