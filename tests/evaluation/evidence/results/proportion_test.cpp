#include "evaluation/evidence/results/proportion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

/// P(at most `hits` of `all`), summed term by term.
double binomial_below(std::size_t hits, std::size_t all, double probability) {
  double sum = 0;
  for (std::size_t i = 0; i <= hits; ++i) {
    const auto n = static_cast<double>(all);
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(probability) + (n - k) * std::log1p(-probability));
  }
  return sum;
}

TEST(Proportion, BoundsNoneOfThirtyThousandByOneInTenThousand) {
  const Proportion none = proportion(0, 30000);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 1 - std::pow(0.05, 1 / 30000.0), 1e-12);
  EXPECT_NEAR(none.high, 9.985e-5, 1e-8);
}

TEST(Proportion, AgreesWithPublishedIntervals) {
  const Proportion few = proportion(3, 100);
  EXPECT_NEAR(few.low, 0.00623, 5e-6);
  EXPECT_NEAR(few.high, 0.0852, 5e-5);
  EXPECT_DOUBLE_EQ(few.share(), 0.03);
  const Proportion half = proportion(5, 10);
  EXPECT_NEAR(half.low, 0.1871, 5e-5);
  EXPECT_NEAR(half.high, 0.8129, 5e-5);
}

TEST(Proportion, LeavesTheSameChanceBeyondEitherEnd) {
  struct Case {
    std::size_t hits, all;
    double level;
  };
  for (const Case& c : {Case{1, 20, 0.95}, {7, 3200, 0.95}, {150, 300, 0.99}, {2999, 3000, 0.9}}) {
    const Proportion p = proportion(c.hits, c.all, c.level);
    EXPECT_NEAR(1 - binomial_below(c.hits - 1, c.all, p.low), (1 - c.level) / 2, 1e-9);
    EXPECT_NEAR(binomial_below(c.hits, c.all, p.high), (1 - c.level) / 2, 1e-9);
  }
}

TEST(Proportion, TurnsRoundWithHitsAndMisses) {
  for (const std::size_t hits : {0u, 1u, 4u, 17u, 39u, 40u}) {
    const Proportion p = proportion(hits, 40);
    const Proportion turned = proportion(40 - hits, 40);
    EXPECT_NEAR(p.low, 1 - turned.high, 1e-12);
    EXPECT_NEAR(p.high, 1 - turned.low, 1e-12);
  }
}

TEST(Proportion, OfNothingMayBeAnything) {
  const Proportion nothing = proportion(0, 0);
  EXPECT_EQ(nothing.low, 0);
  EXPECT_EQ(nothing.high, 1);
  EXPECT_EQ(nothing.share(), 0);
  EXPECT_EQ(text_of(nothing), "not measured");
}

TEST(Proportion, RefusesWhatIsNone) {
  EXPECT_THROW((void)proportion(5, 4), Error);
  EXPECT_THROW((void)proportion(1, 4, 1), Error);
  EXPECT_THROW((void)proportion(1, 4, 0), Error);
  EXPECT_THROW((void)proportion(1, 4, std::nan("")), Error);
}

TEST(ProportionText, SaysShareCountsAndInterval) {
  EXPECT_EQ(text_of(proportion(4, 3200)), "0.13 % (4 of 3 200; 0.03 to 0.32 %)");
  EXPECT_EQ(text_of(proportion(3, 100)), "3.0 % (3 of 100; 0.6 to 8.5 %)");
  EXPECT_EQ(text_of(proportion(0, 30000)), "0 % (0 of 30 000; at most 0.010 %)");
  EXPECT_EQ(text_of(proportion(50, 50)), "100 % (50 of 50; at least 94.2 %)");
}

TEST(ProportionText, HasTheDigitsThatTellItsEndsFromNoneAndAll) {
  EXPECT_EQ(text_of(proportion(1, 1000)), "0.100 % (1 of 1 000; 0.003 to 0.556 %)");
  EXPECT_EQ(text_of(proportion(999, 1000)), "99.900 % (999 of 1 000; 99.444 to 99.997 %)");
}

TEST(Percent, ShowsTwoSignificantDigitsAtLeast) {
  EXPECT_EQ(percent(0.0001), "0.010 %");
  EXPECT_EQ(percent(0.00125), "0.13 %");
  EXPECT_EQ(percent(0.053), "5.3 %");
  EXPECT_EQ(percent(0.5), "50.0 %");
  EXPECT_EQ(percent(1.5), "150.0 %");
  EXPECT_EQ(percent(-0.02), "-2.0 %");
}

TEST(Percent, TellsAlmostAllFromAll) {
  EXPECT_EQ(percent(0.9997), "99.970 %");
  EXPECT_EQ(percent(1), "100 %");
  EXPECT_EQ(percent(0), "0 %");
}

TEST(Percent, RefusesWhatIsNoNumber) {
  EXPECT_THROW((void)percent(std::numeric_limits<double>::infinity()), Error);
}

}  // namespace
}  // namespace tandem::evaluation
