#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "runners/host/machine_facts.hpp"
#include "runners/host/sources.hpp"
#include "runners/host/topology.hpp"

namespace tandem::runners {

enum class Grade { good, fair, poor, unknown };
[[nodiscard]] const char* name_of(Grade grade);

/// One thing about the host that matters for measuring.
struct Finding {
  std::string group;
  std::string name;
  std::string value;  ///< "unavailable" where it cannot be read
  Grade grade = Grade::unknown;
  int weight = 0;       ///< in the score; 0: only told
  std::string why;      ///< it matters: one sentence
  std::string command;  ///< sets it right, for a shell; empty when it is right or nothing can be done
};

/// What can only be learnt by trying, apart from the kernel's files so that tests can make it up.
struct HostTrials {
  Topology topology;                  ///< without processors where it cannot be read
  std::optional<double> steal_share;  ///< over the time of the trial
  enum class Counters { counts, no_permission, no_hardware, counts_nothing, untried };
  Counters counters = Counters::untried;  ///< of retired instructions
  /// Why no child can be run in a sandbox; empty when one can. Nothing: not tried.
  std::optional<std::string> sandbox_fault;
  struct Tool {
    std::string name;
    std::optional<std::string> version;  ///< nothing: not installed
  };
  std::vector<Tool> tools;  ///< bwrap, mold, ld.lld, valgrind, perf, ccache; others are passed over
};

/// Takes about as long as `steal_time`; a stop request cuts it short. `shim` is the program inside a sandbox.
[[nodiscard]] HostTrials try_host(const PlatformSources& sources, const std::filesystem::path& shim,
                                  std::chrono::milliseconds steal_time, const std::stop_token& stop);

/// Whether the kernel lets this process count its own instructions: opens such a counter, does some work and
/// reads it.
[[nodiscard]] HostTrials::Counters try_counters();

/// The host as `tandem platform` shows it.
struct Platform {
  std::vector<IsaFeature> isa;
  Topology topology;
  std::vector<Finding> findings;  ///< in groups, in the order of reading
  std::optional<int> score;       ///< 0 to 100; nothing if nothing is known
};

/// Reads everything below the root and grades it.
[[nodiscard]] Platform assess_platform(const PlatformSources& sources, HostTrials trials);

/// 100 times the weighted mean of the grades, where good is 1, fair 1/2 and poor 0. What is unknown counts
/// neither for nor against.
[[nodiscard]] std::optional<int> readiness(const std::vector<Finding>& findings);

}  // namespace tandem::runners
