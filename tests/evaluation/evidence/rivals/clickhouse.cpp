#include "evaluation/evidence/rivals/clickhouse.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "evaluation/evidence/rivals/choices.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation::rival {
namespace {

constexpr double level = 0.99;
constexpr std::size_t most_values = 500;  // beyond, the number of ways leaves the range of a double

double upper_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

double threshold_of_medians(const Values& values) {
  const std::size_t count = values.control.size();
  if (count == 0 || count != values.treatment.size() || count > most_values) {
    throw Error("ClickHouse's rule needs equally many runs of both sides");
  }
  std::vector<double> sorted = values.control;
  sorted.insert(sorted.end(), values.treatment.begin(), values.treatment.end());
  std::sort(sorted.begin(), sorted.end());
  // The medians of the two sides stand at places i < j of the sorted values in so many ways: of the i values
  // below i, `middle` belong to the one side; of all below j, `middle` to the other.
  const std::size_t middle = count / 2;
  std::vector<std::pair<double, double>> differences;  // and in how many ways
  double all = 0;
  for (std::size_t i = middle; i <= 2 * middle; ++i) {
    for (std::size_t j = std::max(i + 1, 2 * middle + 1); j < 2 * count; ++j) {
      const double ways = choices(i, middle) * choices(j - i - 1, 2 * middle - i) *
                          choices(2 * count - j - 1, count - middle - 1);
      if (ways > 0) differences.emplace_back(sorted[j] - sorted[i], ways);
      all += ways;
    }
  }
  std::sort(differences.begin(), differences.end());
  double passed = 0;
  for (const auto& [difference, ways] : differences) {
    passed += ways;
    if (passed > level * all) return difference;
  }
  return differences.back().first;
}

Call clickhouse(const Values& values, const ClickHouseFloors& floors) {
  const double control = upper_median(values.control);
  const double difference = upper_median(values.treatment) - control;
  const double threshold = threshold_of_medians(values);
  if (std::abs(difference) > floors.changed * control && std::abs(difference) >= threshold) {
    return call_of(difference);
  }
  return threshold > floors.unstable * control ? Call::unstable : Call::none;
}

}  // namespace tandem::evaluation::rival
