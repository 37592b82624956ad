#pragma once

#include <cmath>
#include <cstdlib>

#include "runners/results/series.hpp"

namespace tandem::runners::tests {

/// What every adapter promises about what it read.
inline void expect_sound(const ReadSeries& result) {
  if (const auto* wrong = std::get_if<std::string>(&result)) {
    if (wrong->empty()) std::abort();
    return;
  }
  for (const Series& series : std::get<std::vector<Series>>(result)) {
    if (series.values.empty()) std::abort();
    for (const double value : series.values) {
      if (!std::isfinite(value)) std::abort();
    }
    for (const auto& [name, value] : series.remarks.summary) {
      if (!std::isfinite(value)) std::abort();
    }
  }
}

}  // namespace tandem::runners::tests
