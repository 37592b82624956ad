#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tandem::runners {

/// What a run was measured on. A field that cannot be read is empty, never 0.
struct MachineFacts {
  std::string kernel;
  std::optional<std::string> cpu_model;
  std::optional<std::string> microcode;
  std::optional<std::string> governor;
  std::optional<bool> turbo;
  std::optional<bool> smt;
  std::optional<bool> address_randomisation;
  std::optional<double> load;         ///< one-minute average
  std::optional<double> steal_share;  ///< of all processor time since boot that the hypervisor kept
  unsigned processors = 0;            ///< that this process may use
};

[[nodiscard]] MachineFacts read_machine_facts();

}  // namespace tandem::runners
