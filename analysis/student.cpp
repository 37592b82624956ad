#include "analysis/student.hpp"

#include <cmath>
#include <limits>

#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

/// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), summed by Lentz's
/// rule; it converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
  constexpr double tiny = std::numeric_limits<double>::min();
  double numerator = 1.0;
  double denominator = 1.0 / (1.0 - (a + b) * x / (a + 1));
  double fraction = denominator;
  const auto advance = [&](double coefficient) {
    denominator = 1.0 + coefficient * denominator;
    if (std::abs(denominator) < tiny) denominator = tiny;
    denominator = 1.0 / denominator;
    numerator = 1.0 + coefficient / numerator;
    if (std::abs(numerator) < tiny) numerator = tiny;
    fraction *= denominator * numerator;
  };
  for (int term = 1; term <= 500; ++term) {
    const double m = term;
    advance(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    const double before = fraction;
    advance(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    if (std::abs(fraction - before) <= 1e-15 * std::abs(fraction)) break;
  }
  return fraction;
}

double incomplete_beta(double x, double a, double b) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  if (x > (a + 1) / (a + b + 2)) return 1.0 - incomplete_beta(1.0 - x, b, a);
  const double log_front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  return std::exp(log_front) * beta_fraction(x, a, b) / a;
}

}  // namespace

double two_sided_p_value(double t, double degrees_of_freedom) {
  if (std::isnan(t) || !(degrees_of_freedom > 0.0))
    throw Error("a t-test without a number or without freedom");
  if (std::isinf(t)) return 0.0;
  const double x = degrees_of_freedom / (degrees_of_freedom + t * t);
  return incomplete_beta(x, degrees_of_freedom / 2, 0.5);
}

}  // namespace tandem::analysis
