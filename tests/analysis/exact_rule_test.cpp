#include "analysis/exact_rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tandem::analysis {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");
using Values = std::vector<double>;
using enum Outcome;

specs::Metric with_tolerance(double tolerance,
                             specs::Direction direction = specs::Direction::lower_is_better) {
  specs::Metric metric{"size", "B", direction};
  metric.tolerance = tolerance;
  return metric;
}

specs::Metric with_limit(double limit, specs::Direction direction = specs::Direction::lower_is_better) {
  specs::Metric metric{"error", "", direction};
  metric.limit = limit;
  return metric;
}

struct Row {
  Values control;
  Values treatment;
  Outcome outcome;
};

TEST(ExactRule, ComparesWithTheTolerance) {
  const std::vector<Row> rows = {
      {{1000}, {1000}, unchanged},
      {{1000}, {1010}, unchanged},
      {{1000}, {1011}, slower},
      {{1000}, {989}, faster},
      {{1000, 1001, 999}, {1050, 1051, 1049}, slower},
      {{1000, 1001, 999}, {1002, 1000}, unchanged},
      {{1000, 1100}, {1050}, inconclusive},  // between 5 % better and 5 % worse
      {{1000}, {1000, 1000, 1200}, inconclusive},
      {{0}, {0}, unchanged},
      {{0, 0}, {0, 0, 0}, unchanged},
      {{0}, {1}, slower},
      {{1}, {0}, faster},
      {{0, 1}, {1}, inconclusive},
      {{infinity}, {infinity}, unchanged},
      {{1}, {infinity}, slower},
      {{infinity}, {1}, faster},
      {{nan}, {1}, inconclusive},
      {{1, 1}, {1, nan}, inconclusive},
      {{-1}, {1}, inconclusive},
      {{}, {1}, inconclusive},
      {{1}, {}, inconclusive},
      {{}, {}, inconclusive},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Verdict verdict = judge_exactly(rows[i].control, rows[i].treatment, with_tolerance(0.01), 0.5);
    EXPECT_EQ(verdict.outcome, rows[i].outcome) << "row " << i << ": " << name_of(verdict.outcome);
    EXPECT_FALSE(std::isnan(verdict.ratio.estimate) || std::isnan(verdict.ratio.low) ||
                 std::isnan(verdict.ratio.high))
        << "row " << i;
    EXPECT_LE(verdict.ratio.low, verdict.ratio.high) << "row " << i;
  }
}

TEST(ExactRule, GivesTheMediansAndWhatTheValuesAllow) {
  const Verdict verdict =
      judge_exactly(Values{100, 104, 102}, Values{204, 200, 208, 216}, with_tolerance(0.05), 0.01);
  EXPECT_EQ(verdict.outcome, slower);
  EXPECT_DOUBLE_EQ(verdict.ratio.estimate, 206.0 / 102);
  EXPECT_DOUBLE_EQ(verdict.ratio.low, 200.0 / 104);
  EXPECT_DOUBLE_EQ(verdict.ratio.high, 2.16);
  EXPECT_EQ(verdict.ratio.level, 1);
  EXPECT_EQ(verdict.margin, 0.05);
  EXPECT_EQ(verdict.launches, 3u);
}

TEST(ExactRule, FallsBackToTheMargin) {
  EXPECT_EQ(judge_exactly(Values{100}, Values{103}, {}, 0.02).outcome, slower);
  EXPECT_EQ(judge_exactly(Values{100}, Values{103}, {}, 0.05).outcome, unchanged);
}

TEST(ExactRule, TurnsRoundWhereMoreIsBetter) {
  const auto metric = with_tolerance(0.01, specs::Direction::higher_is_better);
  EXPECT_EQ(judge_exactly(Values{100}, Values{50}, metric, 0.01).outcome, slower);
  EXPECT_DOUBLE_EQ(judge_exactly(Values{100}, Values{50}, metric, 0.01).ratio.estimate, 2) << "the cost";
  EXPECT_EQ(judge_exactly(Values{100}, Values{200}, metric, 0.01).outcome, faster);
  EXPECT_EQ(judge_exactly(Values{100}, Values{0}, metric, 0.01).outcome, slower);
  EXPECT_EQ(judge_exactly(Values{0}, Values{0}, metric, 0.01).outcome, unchanged);
}

TEST(ExactRule, KeepsALimitHoweverFarItIsLeft) {
  const std::vector<Row> rows = {
      {{0}, {0}, unchanged},
      {{0}, {0.5}, unchanged},
      {{0.1}, {0.50001}, slower},
      {{0.1}, {infinity}, slower},
      {{0.1}, {nan}, slower},
      {{0.6}, {0.4}, faster},
      {{nan}, {0.4}, faster},
      {{0.6}, {900}, unchanged},  // wrong before, wrong now
      {{0.1, 0.6}, {0.1}, inconclusive},
      {{0.1}, {0.1, nan}, inconclusive},
      {{}, {0.6}, inconclusive},
      {{0.1}, {}, inconclusive},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Verdict verdict = judge_exactly(rows[i].control, rows[i].treatment, with_limit(0.5), 0.01);
    EXPECT_EQ(verdict.outcome, rows[i].outcome) << "row " << i << ": " << name_of(verdict.outcome);
  }
}

TEST(ExactRule, TakesALimitAsTheLeastWhereMoreIsBetter) {
  const auto metric = with_limit(0.9, specs::Direction::higher_is_better);
  EXPECT_EQ(judge_exactly(Values{0.95}, Values{0.91}, metric, 0.01).outcome, unchanged);
  EXPECT_EQ(judge_exactly(Values{0.95}, Values{0.89}, metric, 0.01).outcome, slower);
  EXPECT_EQ(judge_exactly(Values{0.5}, Values{0.9}, metric, 0.01).outcome, faster);
}

TEST(ExactRule, ALimitOfZeroAllowsNoError) {
  EXPECT_EQ(judge_exactly(Values{0}, Values{0}, with_limit(0), 0.01).outcome, unchanged);
  EXPECT_EQ(judge_exactly(Values{0}, Values{1e-300}, with_limit(0), 0.01).outcome, slower);
}

}  // namespace
}  // namespace tandem::analysis
