#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::runners {

/// One processor as the kernel numbers it, and where it sits.
struct Processor {
  int cpu = 0;
  int core = 0;  ///< equal for SMT siblings
  int node = 0;  ///< of memory (NUMA)
  int socket = 0;
  int kind = 0;           ///< where cores differ (big.LITTLE, performance and efficiency): higher is faster
  bool allowed = true;    ///< for this process
  bool isolated = false;  ///< kept free by the kernel's `isolcpus`
};

struct Cache {
  int level = 1;
  std::string kind;  ///< "data", "instruction" or "unified"
  std::uint64_t bytes = 0;
  std::size_t shared_by = 1;  ///< processors
};

/// What hwloc says about this host.
struct Topology {
  std::vector<Processor> processors;  ///< by number
  std::vector<Cache> caches;          ///< each kind once, those of the first processor
};

/// Throws Error where not even the number of processors can be read.
[[nodiscard]] Topology read_topology();

/// The kernel's list format: "1,3-5". What is no such list, and numbers from 65536 on, are passed over.
[[nodiscard]] std::vector<int> parse_cpu_list(const std::string& text);
/// "1-3,7", as the kernel writes lists.
[[nodiscard]] std::string cpu_list(std::vector<int> cpus);

/// The processors that the calling thread may be scheduled on; empty where the kernel does not say.
[[nodiscard]] std::vector<int> own_affinity();

/// Marks in `topology`, where `allowed` says what the control group permits, what this process may use.
///
/// The kernel starts everybody off the isolated processors, though everybody may move there. So an affinity
/// of exactly all others is the kernel's doing and leaves the isolated ones allowed; any other affinity was
/// chosen by a person and is kept to.
void apply_affinity(Topology& topology, const std::vector<int>& affinity, const std::vector<int>& isolated);

}  // namespace tandem::runners
