#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runners/host/sources.hpp"
#include "runners/host/topology.hpp"

namespace tandem::runners {

/// One instruction set extension that operators are written for.
struct IsaFeature {
  std::string name;  ///< as people write it: "AVX-512-VNNI"
  std::string flag;  ///< as the kernel writes it: "avx512_vnni"
  bool present = false;
};

/// The extensions of the architecture that the text of /proc/cpuinfo is about, present or not; empty if it
/// tells of none.
[[nodiscard]] std::vector<IsaFeature> read_isa(std::string_view cpuinfo);

/// The names of those present.
[[nodiscard]] std::vector<std::string> present_in(const std::vector<IsaFeature>& isa);

/// What a run was measured on. A field that cannot be read is empty, never 0.
struct MachineFacts {
  std::string kernel;
  std::optional<std::string> cpu_model;
  std::optional<std::string> microcode;
  std::optional<std::string> governor;  ///< where processors differ, all of them: "performance, powersave"
  std::optional<bool> turbo;
  std::optional<bool> smt;
  std::optional<bool> address_randomisation;
  std::optional<double> load;           ///< one-minute average
  std::optional<double> steal_share;    ///< of all processor time since boot that the hypervisor kept
  unsigned processors = 0;              ///< that this process may use
  std::vector<std::string> isa;         ///< the extensions present, such as "AVX2"
  std::optional<std::string> topology;  ///< "2 sockets, 32 cores, 64 processors, 2 nodes"
};

[[nodiscard]] MachineFacts read_machine_facts();
[[nodiscard]] MachineFacts read_machine_facts(const PlatformSources& sources, const Topology& topology);

/// "2 sockets, 32 cores, 64 processors, 2 nodes"; empty for a topology without processors.
[[nodiscard]] std::string summary(const Topology& topology);

/// The mean number of runnable processes over the last minute.
[[nodiscard]] std::optional<double> load_average(const PlatformSources& sources);

/// Processor time of all processors since boot, in the kernel's ticks.
struct CpuTimes {
  double total = 0;
  double steal = 0;  ///< of it, what the hypervisor gave to others

  bool operator==(const CpuTimes&) const = default;
};

[[nodiscard]] std::optional<CpuTimes> read_cpu_times(const PlatformSources& sources = {});

/// The share that was stolen between two readings; empty if no time passed between them.
[[nodiscard]] std::optional<double> steal_share(const CpuTimes& before, const CpuTimes& after);

/// What a calibration holds for, in one line: kernel, CPU model, microcode, governor, turbo, SMT and the
/// number of processors. Pure. What cannot be read is called "unknown"; load and the like have no part in it.
[[nodiscard]] std::string host_identity(const MachineFacts& facts);

}  // namespace tandem::runners
