#pragma once

#include <string>

#include "runners/machine_facts.hpp"

namespace tandem::runners {

/// What a calibration holds for, in one line: kernel, CPU model, microcode, governor, turbo, SMT and the
/// number of processors. Pure. What cannot be read is called "unknown"; load and the like have no part in it.
[[nodiscard]] std::string host_identity(const MachineFacts& facts);

}  // namespace tandem::runners
