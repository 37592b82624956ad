#include "analysis/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "specs/foundation/error.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

using Sample = std::vector<double>;

std::optional<double> at(const Summary& summary, const std::string& name) {
  for (const auto& [one, value] : summary) {
    if (one == name) return value;
  }
  ADD_FAILURE() << "no " << name;
  return std::nullopt;
}

std::vector<std::string> names(const Summary& summary) {
  std::vector<std::string> all;
  for (const auto& [name, value] : summary) all.push_back(name);
  return all;
}

TEST(Summary, GivesTheUsualStatisticsInTheirOrder) {
  // By hand: mean 5, deviations 9+1+1+1+0+0+4+16 = 32, 32/8 = 4; the median is between 4 and 5; distances
  // from 4.5: 0.5 five times, 2.5 twice, 4.5. The tenth: position 0.7 between 2 and 4.
  const Summary summary = summarise(Sample{2, 4, 4, 4, 5, 5, 7, 9}, usual_statistics());
  EXPECT_EQ(names(summary), usual_statistics());
  EXPECT_EQ(at(summary, "mean"), 5);
  EXPECT_EQ(at(summary, "stdev"), 2);
  EXPECT_EQ(at(summary, "cv"), 0.4);
  EXPECT_EQ(at(summary, "p0"), 2);
  EXPECT_DOUBLE_EQ(*at(summary, "p10"), 3.4);
  EXPECT_EQ(at(summary, "p50"), 4.5);
  EXPECT_DOUBLE_EQ(*at(summary, "p90"), 7.6);
  EXPECT_EQ(at(summary, "p100"), 9);
  EXPECT_EQ(at(summary, "MAD"), 0.5);
}

TEST(Summary, InterpolatesAnyPercentile) {
  Sample hundred;
  for (int i = 100; i >= 0; --i) hundred.push_back(i);
  const Summary summary = summarise(hundred, {"p29", "p99.9", "p0.5", "p2.25", "p7"});
  EXPECT_EQ(at(summary, "p29"), 29);
  EXPECT_EQ(at(summary, "p7"), 7);
  EXPECT_DOUBLE_EQ(*at(summary, "p99.9"), 99.9);
  EXPECT_EQ(at(summary, "p0.5"), 0.5);
  EXPECT_EQ(at(summary, "p2.25"), 2.25);
}

TEST(Summary, PercentilesAgreeWithTheShareOfValuesBelowThem) {
  // Independent of any interpolation: the number of values on each side.
  Noise noise(7);
  Sample sample(997);
  for (double& value : sample) value = std::exp(noise.normal());
  for (const int percent : {1, 10, 25, 75, 90, 99}) {
    const double value =
        *at(summarise(sample, {"p" + std::to_string(percent)}), "p" + std::to_string(percent));
    const auto below = std::count_if(sample.begin(), sample.end(), [&](double one) { return one < value; });
    EXPECT_NEAR(static_cast<double>(below), percent * 9.96, 1) << percent;
  }
}

TEST(Summary, AlwaysHasTheMedianAndItsDeviation) {
  EXPECT_EQ(names(summarise(Sample{1, 2}, {})), (std::vector<std::string>{"p50", "MAD"}));
  EXPECT_EQ(names(summarise(Sample{1, 2}, {"MAD", "p99"})), (std::vector<std::string>{"MAD", "p99", "p50"}));
}

TEST(Summary, OneValueIsEveryPercentileAndSpreadsByNothing) {
  const Summary summary = summarise(Sample{0.8}, usual_statistics());
  for (const char* name : {"mean", "p0", "p10", "p50", "p90", "p100"})
    EXPECT_EQ(at(summary, name), 0.8) << name;
  for (const char* name : {"stdev", "MAD", "cv"}) EXPECT_EQ(at(summary, name), 0) << name;
}

TEST(Summary, OfNoValuesIsEmpty) {
  EXPECT_TRUE(summarise(Sample{}, usual_statistics()).empty());
  EXPECT_TRUE(difference(Sample{}, Sample{1}, usual_statistics()).empty());
  EXPECT_TRUE(difference(Sample{1}, Sample{}, usual_statistics()).empty());
}

TEST(Summary, AMeanOfNothingHasNoRelativeSpread) {
  const Summary summary = summarise(Sample{-1, 1}, usual_statistics());
  EXPECT_EQ(at(summary, "mean"), 0);
  EXPECT_EQ(at(summary, "stdev"), 1);
  EXPECT_EQ(at(summary, "cv"), std::nullopt);
}

TEST(Summary, HugeValuesDoNotOverflow) {
  const Summary summary = summarise(Sample{1e308, 1.5e308}, usual_statistics());
  EXPECT_DOUBLE_EQ(*at(summary, "mean"), 1.25e308);
  EXPECT_DOUBLE_EQ(*at(summary, "stdev"), 2.5e307);
  EXPECT_DOUBLE_EQ(*at(summary, "cv"), 0.2);
}

TEST(Summary, KeepsDigitsThatSmallDifferencesOfLargeValuesNeed) {
  const Summary summary = summarise(Sample{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}, {"mean", "stdev"});
  EXPECT_EQ(at(summary, "mean"), 1e9 + 10);
  EXPECT_DOUBLE_EQ(*at(summary, "stdev"), std::sqrt(22.5));
}

TEST(Summary, RefusesWhatIsNoNumberOrNoStatistic) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(static_cast<void>(summarise(Sample{1, infinity}, usual_statistics())), Error);
  EXPECT_THROW(static_cast<void>(summarise(Sample{std::nan("")}, usual_statistics())), Error);
  for (const char* name : {"p101", "p", "p-1", "median", "p5x", ""}) {
    EXPECT_THROW(static_cast<void>(summarise(Sample{1}, {name})), Error) << name;
  }
}

TEST(SummaryDifference, ReflectsPercentilesAndSubtractsTheRest) {
  const Sample treatment{10, 11, 12, 13, 14};
  const Sample control{1, 2, 3, 4, 9};
  const Summary both = difference(treatment, control, {"mean", "p0", "p25", "p50", "p100", "stdev", "MAD"});
  EXPECT_EQ(at(both, "mean"), 12 - 3.8);
  EXPECT_EQ(at(both, "p0"), 10 - 9);
  EXPECT_EQ(at(both, "p25"), 11 - 4);
  EXPECT_EQ(at(both, "p50"), 12 - 3);
  EXPECT_EQ(at(both, "p100"), 14 - 1);
  // Variances: (4+1+0+1+4)/5 = 2; squares about 3.8: 7.84+3.24+0.64+0.04+27.04 = 38.8, /5 = 7.76.
  EXPECT_DOUBLE_EQ(*at(both, "stdev"), std::sqrt(2.0) - std::sqrt(7.76));
  EXPECT_EQ(at(both, "MAD"), 0);
}

TEST(SummaryDifference, OfASampleWithItselfSpansItsRangeBothWays) {
  const Sample sample{3, 5, 8};
  const Summary both = difference(sample, sample, usual_statistics());
  EXPECT_EQ(at(both, "p0"), -5);
  EXPECT_EQ(at(both, "p100"), 5);
  EXPECT_EQ(at(both, "p50"), 0);
  EXPECT_EQ(at(both, "cv"), 0);
}

TEST(SummaryDifference, LeavesOutWhatOneSideCannotSay) {
  EXPECT_EQ(at(difference(Sample{1, 3}, Sample{-1, 1}, {"cv"}), "cv"), std::nullopt);
}

TEST(SummaryDifference, ReflectsNamesToTheDigitsTheyHave) {
  EXPECT_EQ(reflected("p10"), "p90");
  EXPECT_EQ(reflected("p99.9"), "p0.1");
  EXPECT_EQ(reflected("p2.25"), "p97.75");
  EXPECT_EQ(reflected("p50"), "p50");
  EXPECT_EQ(reflected("mean"), "mean");
}

}  // namespace
}  // namespace tandem::analysis
