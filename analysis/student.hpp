#pragma once

namespace tandem::analysis {

/// The probability that Student's t with so many degrees of freedom is at least as far from 0 as `t`. Small
/// tails keep their relative accuracy. Throws Error when t is not a number or the degrees are not positive.
[[nodiscard]] double two_sided_p_value(double t, double degrees_of_freedom);

}  // namespace tandem::analysis
