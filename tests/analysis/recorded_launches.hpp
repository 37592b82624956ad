#pragma once

#include <string>
#include <vector>

#include "runners/pairing/samples.hpp"

namespace tandem::analysis {

/// The launches of data/NAME.csv; none if the file cannot be read.
[[nodiscard]] std::vector<runners::Launch> recorded(const std::string& name);

}  // namespace tandem::analysis
