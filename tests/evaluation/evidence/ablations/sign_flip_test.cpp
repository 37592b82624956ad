#include "evaluation/evidence/ablations/ablations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "specs/foundation/error.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::evaluation {
namespace {

/// Every pattern, one by one.
double by_enumeration(const std::vector<double>& values) {
  double observed = 0;
  for (const double value : values) observed += value;
  std::size_t hits = 0;
  for (std::size_t pattern = 0; pattern < (1U << values.size()); ++pattern) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += (pattern >> i & 1U) != 0 ? -values[i] : values[i];
    if (sum >= observed - 1e-9) ++hits;
  }
  return static_cast<double>(hits) / static_cast<double>(1U << values.size());
}

using analysis::Noise;

TEST(SignFlip, HasKnownAnswers) {
  EXPECT_EQ(sign_flip_p_value(std::vector<double>{}, 1), 1);
  EXPECT_EQ(sign_flip_p_value(std::vector<double>{2}, 1), 0.5);
  EXPECT_EQ(sign_flip_p_value(std::vector<double>{-2}, 1), 1);
  EXPECT_EQ(sign_flip_p_value(std::vector<double>{1, 2, 3}, 1), 1.0 / 8);
  EXPECT_EQ(sign_flip_p_value(std::vector<double>{1, 1, -1}, 1), 4.0 / 8);
  EXPECT_EQ(sign_flip_p_value(std::vector<double>(16, 0.3), 1), std::ldexp(1, -16));
  EXPECT_EQ(sign_flip_p_value(std::vector<double>(32, 0.3), 1), std::ldexp(1, -32));
  EXPECT_EQ(sign_flip_p_value(std::vector<double>(64, 0.3), 1), 1e-5);
  EXPECT_EQ(sign_flip_p_value(std::vector<double>(16, 0), 1), 1);
  EXPECT_EQ(sign_flip_p_value(std::vector<double>(64, 0), 1), 1);
}

TEST(SignFlip, CountsTheSameAsEnumeratingEveryPattern) {
  Noise noise(41);
  for (int round = 0; round < 40; ++round) {
    std::vector<double> values(1 + noise.below(14));
    for (double& value : values)
      value = 0.3 + (round % 2 == 0 ? noise.heavy() : std::round(2 * noise.normal()));
    ASSERT_EQ(sign_flip_p_value(values, 1), by_enumeration(values));
  }
}

TEST(SignFlip, RandomPatternsAgreeWithTheExactCount) {
  // One value too many for the exact count; it is 0 and so changes nothing in the p-value.
  Noise noise(42);
  std::vector<double> values(32);
  for (double& value : values) value = 0.25 + noise.normal();
  const double exact = sign_flip_p_value(values, 7);
  values.push_back(0);
  EXPECT_NEAR(sign_flip_p_value(values, 7), exact, 4 * std::sqrt(exact / 1e5) + 1e-5);
  EXPECT_EQ(sign_flip_p_value(values, 7), sign_flip_p_value(values, 7));
}

TEST(SignFlip, RejectsNoMoreOftenThanItsLevelUnderSymmetricNoise) {
  Noise noise(43);
  int rejected = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<double> values(12);
    for (double& value : values) value = noise.coin() * (1 + 0.2 * noise.heavy());
    if (sign_flip_p_value(values, 1) <= 0.05) ++rejected;
  }
  EXPECT_LE(rejected, 4000 * 0.05 + 4 * std::sqrt(4000 * 0.05 * 0.95));
  EXPECT_GE(rejected, 4000 * 0.03);
}

TEST(SignFlip, RefusesValuesThatAreNotFinite) {
  const std::vector<double> values{1, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW((void)sign_flip_p_value(values, 1), Error);
}

}  // namespace
}  // namespace tandem::evaluation
