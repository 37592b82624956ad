#include "evaluation/evidence/recorded/pooled_slices.hpp"

#include <cmath>

#include "analysis/student.hpp"

namespace tandem::evaluation {
namespace {

constexpr double level = 0.01;

/// Number, sum and sum of squares, from which mean and variance come.
struct Moments {
  double count = 0;
  double sum = 0;
  double squares = 0;

  void add(double number, double mean, double deviation) {
    count += number;
    sum += number * mean;
    squares += (number - 1) * deviation * deviation + number * mean * mean;
  }
};

}  // namespace

std::optional<analysis::Direction> pooled_test(std::span<const LaunchRow> launches, TestUnit unit) {
  Moments moments;
  for (const LaunchRow& row : launches) {
    if (unit == TestUnit::slices) {
      moments.add(static_cast<double>(row.pairs), row.log_mean, row.log_deviation);
    } else {
      moments.add(1, row.log_mean, 0);
    }
  }
  if (moments.count < 2) return std::nullopt;
  const double mean = moments.sum / moments.count;
  const double variance = (moments.squares - moments.sum * mean) / (moments.count - 1);
  const double t = mean / std::sqrt(variance / moments.count);
  if (std::isnan(t) || analysis::two_sided_p_value(t, moments.count - 1) > level) return std::nullopt;
  return mean > 0 ? analysis::Direction::slower : analysis::Direction::faster;
}

}  // namespace tandem::evaluation
