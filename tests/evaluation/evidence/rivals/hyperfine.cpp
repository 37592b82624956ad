#include "evaluation/evidence/rivals/hyperfine.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace tandem::evaluation::rival {
namespace {

struct Spread {
  double mean = 0;
  double share = 0;  ///< standard deviation over mean
};

Spread spread_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, count > 1 ? std::sqrt(squares / (count - 1)) / mean : 0};
}

}  // namespace

RelativeSpeed relative_speed(const Values& values) {
  const Spread control = spread_of(values.control);
  const Spread treatment = spread_of(values.treatment);
  const double ratio = std::max(control.mean, treatment.mean) / std::min(control.mean, treatment.mean);
  return {ratio, ratio * std::hypot(control.share, treatment.share)};
}

Call hyperfine(const Values& values) {
  const RelativeSpeed speed = relative_speed(values);
  if (speed.ratio - speed.deviation <= 1) return Call::none;
  return call_of(spread_of(values.treatment).mean - spread_of(values.control).mean);
}

}  // namespace tandem::evaluation::rival
