#include "analysis/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <vector>

#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

TEST(TwoSidedPValue, AgreesWithTheClosedFormsOfOneAndTwoDegrees) {
  for (const double t : {0.0, 0.01, 0.5, 1.0, 3.0, 40.0}) {
    const double of_one = 1 - 2 / std::numbers::pi * std::atan(t);
    EXPECT_NEAR(two_sided_p_value(t, 1), of_one, 1e-13);
    EXPECT_NEAR(two_sided_p_value(t, 2), 1 - t / std::sqrt(2 + t * t), 1e-13);
    EXPECT_EQ(two_sided_p_value(-t, 2), two_sided_p_value(t, 2));
  }
}

TEST(TwoSidedPValue, AgreesWithTheTables) {
  const std::vector<std::tuple<double, double, double>> cases = {
      {2.228, 10, 0.05}, {4.587, 10, 0.001}, {2.000, 60, 0.05}, {3.460, 60, 0.001}, {1.9600, 1e6, 0.05}};
  for (const auto& [t, degrees, p] : cases) EXPECT_NEAR(two_sided_p_value(t, degrees), p, 0.001 * p);
}

TEST(TwoSidedPValue, KeepsSmallTails) {
  // Of a normal variable beyond ten deviations.
  EXPECT_NEAR(two_sided_p_value(10, 1e9) / 1.524e-23, 1, 0.001);
  EXPECT_EQ(two_sided_p_value(std::numeric_limits<double>::infinity(), 5), 0);
}

TEST(TwoSidedPValue, RefusesWhatIsNoTest) {
  EXPECT_THROW((void)two_sided_p_value(std::nan(""), 5), Error);
  EXPECT_THROW((void)two_sided_p_value(1, 0), Error);
}

}  // namespace
}  // namespace tandem::analysis
