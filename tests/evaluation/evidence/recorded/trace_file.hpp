#pragma once

#include <filesystem>
#include <vector>

#include "evaluation/evidence/recorded/sample_file.hpp"

namespace tandem::evaluation {

/// The launches of a trace of slices, WORKLOAD.PAIRING.csv with the columns launch, slice, swap, control_ns
/// and treatment_ns: both sides the same executable, `swap` saying which of them went first or had which
/// core. Throws Error when a line is none of a trace.
[[nodiscard]] std::vector<Sample> samples_of_trace(const std::filesystem::path& file);

}  // namespace tandem::evaluation
