#pragma once

#include <span>

#include "evaluation/evidence/rivals/call.hpp"

namespace tandem::evaluation::rival {

/// What FAI-PEP keeps of a commit: percentiles of a time, or of treatment - control.
struct Percentiles {
  double p50 = 0;
  double p90 = 0;
};

/// One side of a launch by itself; and its `diff_summary`, where p_k of the difference is the treatment's p_k
/// less the control's p_(100-k).
[[nodiscard]] Percentiles percentiles_of(const SideRow& side);
[[nodiscard]] Percentiles difference_of(const LaunchRow& launch);

/// facebook/FAI-PEP, regression_detectors/delay_detector: slower if the p50 of both newest commits is over
/// the p90 of the p90s of the earlier ones plus a tenth of their range; at least five earlier ones. It never
/// says faster. As it was meant: the tenth is not cut to whole numbers, and nothing is lost on the way.
[[nodiscard]] Call fai_pep(std::span<const Percentiles> earlier, std::span<const Percentiles> newest);

}  // namespace tandem::evaluation::rival
