#include "analysis/margin.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

TEST(Margin, IsTheLargestDemandAndNamesIt) {
  struct Case {
    MarginFacts facts;
    double value;
    std::string why;
  };
  const std::vector<Case> cases = {
      {{}, 0.01, "as configured"},
      {{0.02, std::nullopt, 0}, 0.02, "as configured"},
      {{0.01, 0.003, 1e-3}, 0.01, "as configured"},
      {{0.01, 0.005, 1e-3}, 0.01, "as configured"},
      {{0.01, 0.008, 1e-3}, 0.016, "twice the layout spread of 0.80 %"},
      {{0.01, 0.008, 0}, 0.016, "twice the layout spread of 0.80 %"},
      {{0.01, 0.008, 5e-9}, 0.032, "four times the layout spread of 0.80 % (a body under 20 ns)"},
      {{0.01, 0.002, 5e-9}, 0.01, "as configured"},
      {{0.01, 0.0, 5e-9}, 0.01, "as configured"},
      {{0.01, 0.0, 1e-3}, 0.01, "as configured"},
      {{0.01, 0.008, 20e-9}, 0.016, "twice the layout spread of 0.80 %"},
      {{0.01, 0.008, 1.0}, 0.016, "twice the layout spread of 0.80 %"},
      {{0.01, 0.008, 1.5}, 0.05, "an iteration takes over 1 s"},
      {{0.01, std::nullopt, 1.5}, 0.05, "an iteration takes over 1 s"},
      {{0.08, 0.008, 1.5}, 0.08, "as configured"},
      {{0.01, 0.03, 1.5}, 0.06, "twice the layout spread of 3.00 %"},
  };
  for (const Case& one : cases) {
    const Margin margin = margin_of(one.facts);
    EXPECT_DOUBLE_EQ(margin.value, one.value) << one.why;
    EXPECT_EQ(margin.why, one.why);
  }
}

TEST(Margin, RefusesFactsThatAreNoNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)margin_of({.configured = 0}), InputError);
  EXPECT_THROW((void)margin_of({.configured = nan}), InputError);
  EXPECT_THROW((void)margin_of({.layout_spread = -0.01}), Error);
  EXPECT_THROW((void)margin_of({.layout_spread = nan}), Error);
  EXPECT_THROW((void)margin_of({.seconds_per_iteration = nan}), Error);
}

}  // namespace
}  // namespace tandem::analysis
