#include "analysis/statistics.hpp"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

void require_finite(double value) {
  if (!std::isfinite(value)) throw Error("a sample holds a value that is not a finite number");
}

void require_finite(std::span<const double> sample) {
  for (const double value : sample) require_finite(value);
}

double midpoint_of_centre(const std::vector<double>& sorted) {
  const std::size_t upper = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[upper] : std::midpoint(sorted[upper - 1], sorted[upper]);
}

/// Reorders `values`, which must not be empty and must be finite.
double median_in_place(std::vector<double>& values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return std::midpoint(*std::max_element(values.begin(), upper), *upper);
}

}  // namespace

std::optional<double> median(std::span<const double> sample) {
  require_finite(sample);
  if (sample.empty()) return std::nullopt;
  std::vector<double> values(sample.begin(), sample.end());
  return median_in_place(values);
}

std::optional<double> median_absolute_deviation(std::span<const double> sample) {
  require_finite(sample);
  if (sample.empty()) return std::nullopt;
  std::vector<double> values(sample.begin(), sample.end());
  const double centre = median_in_place(values);
  for (double& value : values) value = std::abs(value - centre);
  return median_in_place(values);
}

std::optional<double> robust_deviation(std::span<const double> sample) {
  const auto deviation = median_absolute_deviation(sample);
  if (!deviation) return std::nullopt;
  return deviation_scale * *deviation;
}

std::vector<double> walsh_averages(std::span<const double> sample) {
  require_finite(sample);
  std::vector<double> averages;
  averages.reserve(sample.size() * (sample.size() + 1) / 2);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    for (std::size_t j = i; j < sample.size(); ++j) averages.push_back(std::midpoint(sample[i], sample[j]));
  }
  return averages;
}

std::optional<double> hodges_lehmann(std::span<const double> sample) {
  std::vector<double> averages = walsh_averages(sample);
  if (averages.empty()) return std::nullopt;
  return median_in_place(averages);
}

std::optional<double> quantile(std::span<const double> sample, double share) {
  if (!(share >= 0.0 && share <= 1.0)) throw Error("a quantile is asked for at a share outside 0 to 1");
  require_finite(sample);
  if (sample.empty()) return std::nullopt;
  std::vector<double> sorted(sample.begin(), sample.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 == sorted.size()) return sorted.back();
  return std::lerp(sorted[below], sorted[below + 1], position - static_cast<double>(below));
}

void SortedSample::insert(double value) {
  require_finite(value);
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), value), value);
}

std::optional<double> SortedSample::median() const {
  if (sorted_.empty()) return std::nullopt;
  return midpoint_of_centre(sorted_);
}

std::optional<double> SortedSample::median_absolute_deviation() const {
  if (sorted_.empty()) return std::nullopt;
  const double centre = midpoint_of_centre(sorted_);
  // Seen from the middle, the distances grow to both sides: walking outwards visits them in their order.
  const std::size_t half = sorted_.size() / 2;
  std::size_t left = half;
  std::size_t right = half;
  double previous = 0.0;
  double current = 0.0;
  for (std::size_t rank = 0; rank <= half; ++rank) {
    previous = current;
    const bool from_left = right == sorted_.size() || (left > 0 && std::abs(sorted_[left - 1] - centre) <
                                                                       std::abs(sorted_[right] - centre));
    current = std::abs((from_left ? sorted_[--left] : sorted_[right++]) - centre);
  }
  return sorted_.size() % 2 == 1 ? current : std::midpoint(previous, current);
}

double two_sided_p_value(double t, double degrees_of_freedom) {
  if (std::isnan(t) || !(degrees_of_freedom > 0.0))
    throw Error("a t-test without a number or without freedom");
  if (std::isinf(t)) return 0.0;
  return 2 * cdf(complement(boost::math::students_t(degrees_of_freedom), std::abs(t)));
}

double two_sided_95_percent(double degrees_of_freedom) {
  return quantile(complement(boost::math::students_t(degrees_of_freedom), 0.025));
}

}  // namespace tandem::analysis
