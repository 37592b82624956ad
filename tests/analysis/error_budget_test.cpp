#include "analysis/error_budget.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "specs/foundation/error.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(EBenjaminiHochberg, GivesTheValuesWorkedOutByHand) {
  struct Case {
    std::vector<double> e_values;
    std::vector<double> q_values;
  };
  const std::vector<Case> cases = {
      {{}, {}},
      {{200}, {0.005}},
      {{0.5}, {1}},
      {{0}, {1}},
      {{infinity, 1}, {0, 1}},
      // 4 / (1·100), 4 / (2·50), 4 / (3·8) and 4 / 4; the second is as good as the first, so both have 0.04.
      {{1, 100, 8, 50}, {1, 0.04, 1.0 / 6, 0.04}},
      // 3 / 10 for the first alone, but 3 / (3·9) for all three together.
      {{10, 9, 9}, {1.0 / 9, 1.0 / 9, 1.0 / 9}},
  };
  for (const Case& one : cases) {
    const std::vector<double> q_values = e_bh_q_values(one.e_values);
    ASSERT_EQ(q_values.size(), one.q_values.size());
    for (std::size_t i = 0; i < q_values.size(); ++i) EXPECT_DOUBLE_EQ(q_values[i], one.q_values[i]);
  }
}

TEST(EBenjaminiHochberg, RefusesWhatIsNoEvidence) {
  EXPECT_THROW((void)e_bh_q_values(std::vector<double>{1, -1}), Error);
  EXPECT_THROW((void)e_bh_q_values(std::vector<double>{std::nan("")}), Error);
}

/// The share of batches of twenty tests without any effect in which something is reported at 5 %.
template <typename Draw>
double share_reported(const Draw& draw) {
  constexpr int rounds = 20000;
  int reported = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<double> q_values = e_bh_q_values(draw());
    if (*std::min_element(q_values.begin(), q_values.end()) <= 0.05) ++reported;
  }
  return static_cast<double>(reported) / rounds;
}

constexpr double three_errors = 3 * 0.00154;

TEST(EBenjaminiHochberg, KeepsItsLevelWhenTestsMoveTogether) {
  Noise noise(401);
  for (const double shared : {0.0, 0.5, 0.9, 1.0}) {
    const double share = share_reported([&] {
      std::vector<double> e_values(20);
      const double common = std::sqrt(shared) * noise.normal();
      for (double& value : e_values) {
        value = std::exp(2 * (common + std::sqrt(1 - shared) * noise.normal()) - 2);
      }
      return e_values;
    });
    EXPECT_LE(share, 0.05 + three_errors) << shared;
  }
}

TEST(EBenjaminiHochberg, UsesUpItsLevelInTheWorstCase) {
  Noise noise(402);
  const double share =
      share_reported([&] { return std::vector<double>(20, noise.uniform() < 0.05 ? 20.0 : 0.0); });
  EXPECT_LE(share, 0.05 + three_errors);
  EXPECT_GE(share, 0.05 - three_errors);
}

TEST(HighestRate, AgreesWithTheClosedFormsAndTables) {
  EXPECT_NEAR(highest_rate(0, 100, 0.95), 1 - std::pow(0.05, 0.01), 1e-12);
  EXPECT_NEAR(highest_rate(0, 1000000, 0.95), 2.9957e-6, 1e-10);
  EXPECT_NEAR(highest_rate(9, 10, 0.95), std::pow(0.95, 0.1), 1e-12);
  // One-sided 95 % limits of a Poisson mean, any table: 4.744 for 1, 10.513 for 5.
  EXPECT_NEAR(highest_rate(1, 1000000, 0.95), 4.744e-6, 1e-9);
  EXPECT_NEAR(highest_rate(5, 1000000, 0.95), 10.513e-6, 1e-9);
  EXPECT_NEAR(highest_rate(5000, 10000, 0.95), 0.5 + 1.645 * 0.005, 1e-4);
}

TEST(HighestRate, IsOneWhereNothingIsRuledOut) {
  EXPECT_EQ(highest_rate(0, 0, 0.95), 1);
  EXPECT_EQ(highest_rate(3, 3, 0.95), 1);
  EXPECT_THROW((void)highest_rate(4, 3, 0.95), Error);
}

TEST(ErrorBudget, MultipliesTestsSuspectsAndConfirmation) {
  const auto budget =
      error_budget({.screens = 40000, .days = 10, .null_screens = 10000, .null_suspects = 20, .alpha = 1e-3});
  ASSERT_TRUE(budget);
  EXPECT_DOUBLE_EQ(budget->tests_per_month, 121750);
  EXPECT_DOUBLE_EQ(budget->suspect_rate, 0.002);
  EXPECT_NEAR(budget->suspect_rate_high, 0.0029, 0.0001);
  EXPECT_NEAR(budget->false_records_per_month, 0.2435, 1e-12);
  EXPECT_NEAR(budget->most_false_records_per_month, 121.75 * budget->suspect_rate_high, 1e-12);
}

TEST(ErrorBudget, WithoutSuspectsStillSaysAtMost) {
  const auto budget = error_budget({.screens = 1000, .days = 30.4375, .null_screens = 300});
  ASSERT_TRUE(budget);
  EXPECT_EQ(budget->suspect_rate, 0);
  EXPECT_EQ(budget->false_records_per_month, 0);
  EXPECT_NEAR(budget->suspect_rate_high, 0.009936, 1e-6);
  EXPECT_NEAR(budget->most_false_records_per_month, 1000 * 0.009936 * 1e-4, 1e-8);
}

TEST(ErrorBudget, WithoutNullCommitsAssumesTheWorst) {
  const auto budget = error_budget({.screens = 1000, .days = 30.4375});
  ASSERT_TRUE(budget);
  EXPECT_EQ(budget->suspect_rate, 1);
  EXPECT_NEAR(budget->false_records_per_month, 0.1, 1e-12);
}

TEST(ErrorBudget, NeedsSomeTime) {
  EXPECT_FALSE(error_budget({}));
  EXPECT_THROW((void)error_budget({.days = -1}), Error);
  EXPECT_THROW((void)error_budget({.days = 1, .null_screens = 1, .null_suspects = 2}), Error);
}

}  // namespace
}  // namespace tandem::analysis
