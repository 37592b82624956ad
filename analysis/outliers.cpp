#include "analysis/outliers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "analysis/statistics.hpp"

namespace tandem::analysis {
namespace {

constexpr double furthest_values = 3.0;  // deviations

}  // namespace

double local_median(std::span<const double> values, std::size_t index) {
  const std::size_t first = index - std::min(index, neighbours);
  const std::size_t end = std::min(values.size(), index + neighbours + 1);
  std::array<double, 2 * neighbours + 1> sorted{};
  std::size_t count = 0;
  for (const double value : values.subspan(first, end - first)) {
    std::size_t place = count++;
    for (; place > 0 && sorted[place - 1] > value; --place) sorted[place] = sorted[place - 1];
    sorted[place] = value;
  }
  return count % 2 == 1 ? sorted[count / 2] : std::midpoint(sorted[count / 2 - 1], sorted[count / 2]);
}

double local_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0.0;
  std::vector<double> moves(values.size() - 1);
  for (std::size_t i = 0; i < moves.size(); ++i) moves[i] = std::abs(values[i + 1] - values[i]);
  const auto middle = moves.begin() + static_cast<std::ptrdiff_t>(moves.size() / 2);
  std::nth_element(moves.begin(), middle, moves.end());
  // A difference of two points varies by √2 deviations.
  return deviation_scale * *middle / std::numbers::sqrt2;
}

double pulled_in(double value, double local_median, double deviation) {
  return std::clamp(value, local_median - furthest_values * deviation,
                    local_median + furthest_values * deviation);
}

}  // namespace tandem::analysis
