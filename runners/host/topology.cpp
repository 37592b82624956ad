#include "runners/host/topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <string_view>

#include "specs/foundation/error.hpp"

namespace tandem::runners {
namespace {

constexpr int most_processors = 1 << 16;

using Handle = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

Handle empty_handle() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw Error("hwloc cannot be started");
  Handle handle(raw, &hwloc_topology_destroy);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  return handle;
}

/// The number of the ancestor of this type, or `otherwise` where the host does not tell of such.
int place_of(hwloc_topology_t handle, hwloc_obj_t processor, hwloc_obj_type_t type, int otherwise) {
  const hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(handle, type, processor);
  return found != nullptr ? static_cast<int>(found->logical_index) : otherwise;
}

std::vector<Cache> caches_of(hwloc_obj_t processor) {
  std::vector<Cache> caches;
  for (hwloc_obj_t at = processor->parent; at != nullptr; at = at->parent) {
    if (!hwloc_obj_type_is_cache(at->type)) continue;
    Cache cache;
    cache.level = static_cast<int>(at->attr->cache.depth);
    cache.bytes = at->attr->cache.size;
    cache.shared_by = static_cast<std::size_t>(std::max(1, hwloc_bitmap_weight(at->cpuset)));
    const auto type = at->attr->cache.type;
    cache.kind = type == HWLOC_OBJ_CACHE_DATA      ? "data"
                 : type == HWLOC_OBJ_CACHE_UNIFIED ? "unified"
                                                   : "instruction";
    caches.push_back(cache);
  }
  std::stable_sort(caches.begin(), caches.end(), [](const Cache& a, const Cache& b) {
    return std::pair(a.level, std::string_view(a.kind)) < std::pair(b.level, std::string_view(b.kind));
  });
  return caches;
}

Topology read(hwloc_topology_t handle) {
  Topology topology;
  const hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(handle);
  for (hwloc_obj_t at = nullptr; (at = hwloc_get_next_obj_by_type(handle, HWLOC_OBJ_PU, at)) != nullptr;) {
    Processor processor;
    processor.cpu = static_cast<int>(at->os_index);
    processor.core = place_of(handle, at, HWLOC_OBJ_CORE, static_cast<int>(at->logical_index));
    processor.socket = place_of(handle, at, HWLOC_OBJ_PACKAGE, 0);
    if (const int node = at->nodeset != nullptr ? hwloc_bitmap_first(at->nodeset) : -1; node >= 0) {
      processor.node = node;
    }
    processor.kind = std::max(0, hwloc_cpukinds_get_by_cpuset(handle, at->cpuset, 0));
    processor.allowed = allowed == nullptr || hwloc_bitmap_isset(allowed, at->os_index) != 0;
    topology.processors.push_back(processor);
  }
  std::sort(topology.processors.begin(), topology.processors.end(),
            [](const Processor& a, const Processor& b) { return a.cpu < b.cpu; });
  if (const hwloc_obj_t first = hwloc_get_obj_by_type(handle, HWLOC_OBJ_PU, 0); first != nullptr) {
    topology.caches = caches_of(first);
  }
  return topology;
}

/// Every processor a core of its own: what is left to say where hwloc says nothing.
Topology flat(const std::vector<int>& cpus) {
  Topology topology;
  for (const int cpu : cpus) {
    Processor processor;
    processor.cpu = processor.core = cpu;
    topology.processors.push_back(processor);
  }
  return topology;
}

}  // namespace

std::vector<int> own_affinity() {
  // The kernel refuses a set that is smaller than its own, and does not say how large that is.
  for (int room = 1024; room <= most_processors; room *= 4) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(static_cast<std::size_t>(room)),
                                                               [](cpu_set_t* old) { CPU_FREE(old); });
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(room));
    if (::sched_getaffinity(0, size, set.get()) != 0) {
      if (errno == EINVAL) continue;
      break;
    }
    std::vector<int> cpus;
    for (int cpu = 0; cpu < room; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size, set.get())) cpus.push_back(cpu);
    }
    return cpus;
  }
  return {};
}

void apply_affinity(Topology& topology, const std::vector<int>& affinity, const std::vector<int>& isolated) {
  const std::set<int> mask(affinity.begin(), affinity.end());
  const std::set<int> apart(isolated.begin(), isolated.end());
  bool by_the_kernel = !mask.empty();
  for (Processor& processor : topology.processors) {
    processor.isolated = apart.contains(processor.cpu);
    if (!processor.allowed) continue;
    if (mask.contains(processor.cpu) == processor.isolated) by_the_kernel = false;
  }
  for (Processor& processor : topology.processors) {
    const bool inside = mask.empty() || mask.contains(processor.cpu);
    processor.allowed = processor.allowed && (inside || (processor.isolated && by_the_kernel));
  }
}

Topology read_topology() {
  const std::vector<int> affinity = own_affinity();
  Topology topology;
  const Handle handle = empty_handle();
  // Without the flag, processors that a control group forbids would not be listed at all.
  hwloc_topology_set_flags(handle.get(), HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(handle.get()) == 0) topology = read(handle.get());
  if (topology.processors.empty()) topology = flat(affinity);
  if (topology.processors.empty()) {
    throw Error(fmt::format("the processors of this host cannot be read: {}", std::strerror(errno)));
  }
  std::ifstream file("/sys/devices/system/cpu/isolated");
  std::string text;
  std::getline(file, text);
  apply_affinity(topology, affinity, parse_cpu_list(text));
  return topology;
}

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> cpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    const char* const stop = std::find(at, end, ',');
    int first = -1;
    auto [after, wrong] = std::from_chars(at, stop, first);
    int last = first;
    if (wrong == std::errc{} && after < stop && *after == '-') {
      wrong = std::from_chars(after + 1, stop, last).ec;
    }
    if (wrong == std::errc{} && first >= 0) {
      for (int cpu = first; cpu <= std::min(last, most_processors - 1); ++cpu) cpus.push_back(cpu);
    }
    at = stop == end ? end : stop + 1;
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string cpu_list(std::vector<int> cpus) {
  std::sort(cpus.begin(), cpus.end());
  std::string text;
  for (std::size_t at = 0; at < cpus.size();) {
    std::size_t last = at;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == at ? fmt::format("{}", cpus[at]) : fmt::format("{}-{}", cpus[at], cpus[last]);
    at = last + 1;
  }
  return text;
}

}  // namespace tandem::runners
