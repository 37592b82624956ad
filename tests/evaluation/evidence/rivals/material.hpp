#pragma once

#include <string>
#include <vector>

#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/rivals/draw.hpp"

namespace tandem::evaluation::rival {

/// The samples of all rules: tests/evaluation/recorded/, where effects are planted by multiplying times; and
/// what `live` and `power` have left so far, equal builds and real more work on this host.
struct Samples {
  std::vector<Material> recorded;
  std::vector<Material> live;
  std::vector<std::string> refused;  ///< of both, where calibration would not let Tandem measure in that way
};

/// Tandem's settings come from the first half of the equal launches of each, as calibration would set them.
/// Origins with fewer than 40 launches are left out, of real work with fewer than Tandem may take for one
/// decision: no coin makes those fresh when they begin anew. Throws Error when nothing was recorded.
[[nodiscard]] Samples read_materials(const PartSettings& settings);

}  // namespace tandem::evaluation::rival
