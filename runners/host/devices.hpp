#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runners/host/cpu_choice.hpp"
#include "runners/host/topology.hpp"

namespace tandem::runners {

/// A named set of this machine's processors, so that one host serves as several devices: "host" (all that
/// this process may use), "cpu0-3" or "cpu1,5" (the kernel's numbers), "node1" (one memory node),
/// "performance" and "efficiency" (the fastest kind of cores and the others). Of a node or kind those count
/// that this process may use; a list must be usable as a whole.
struct Device {
  std::string name;
  CpuChoice cpus;
};

/// Pure. Throws InputError with the names that this host has, and a word on phones for those who ask for one.
[[nodiscard]] Device device_named(const Topology& topology, std::string_view name);

/// The names that `device_named` knows here, "cpuN" standing for any list.
[[nodiscard]] std::vector<std::string> device_names(const Topology& topology);

/// "a,b" as `--devices` takes it, without those excluded; a list of processors keeps its commas
/// ("cpu0,2,node1" is two devices). Nothing asked for: "host". Throws InputError if none is left.
[[nodiscard]] std::vector<Device> choose_devices(const Topology& topology, std::string_view wanted,
                                                 std::string_view excluded);

}  // namespace tandem::runners
