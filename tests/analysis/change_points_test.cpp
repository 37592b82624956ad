#include "analysis/change_points.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "specs/foundation/error.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

using Draw = double (Noise::*)();

constexpr double sigma = 0.003;

std::vector<double> history(Noise& noise, std::size_t count, const std::function<double(std::size_t)>& level,
                            Draw draw = &Noise::normal) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = level(i) + sigma * (noise.*draw)();
  return values;
}

double flat(std::size_t) {
  return 0.0;
}

bool is_near(std::size_t index, std::size_t place) {
  return index + 2 >= place && index <= place + 2;
}

TEST(ChangePoints, OfFewOrEqualPointsThereAreNone) {
  EXPECT_TRUE(change_points({}).empty());
  EXPECT_TRUE(change_points(std::vector<double>{1, 2, 3}).empty());
  EXPECT_TRUE(change_points(std::vector<double>(500, 0.25)).empty());
}

TEST(ChangePoints, FindAStepWithoutNoiseExactly) {
  std::vector<double> values(60, 1.0);
  for (std::size_t i = 37; i < values.size(); ++i) values[i] = 1.5;
  const auto points = change_points(values);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].index, 37U);
  EXPECT_DOUBLE_EQ(points[0].before, 1.0);
  EXPECT_DOUBLE_EQ(points[0].after, 1.5);
  EXPECT_LE(points[0].p_value, 1e-12);
}

TEST(ChangePoints, SmallerThanTheMinimumAreNotNamed) {
  std::vector<double> values(60, 1.0);
  for (std::size_t i = 37; i < values.size(); ++i) values[i] = 1.5;
  EXPECT_TRUE(change_points(values, {.minimum_size = 0.6}).empty());
  EXPECT_EQ(change_points(values, {.minimum_size = 0.4}).size(), 1U);
}

TEST(ChangePoints, FindAStepOfTwoDeviationsWithinTwoPoints) {
  Noise noise(701);
  int found = 0;
  int others = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t place = 100 + noise.below(100);
    const double step = noise.coin() * 2 * sigma;
    const auto values = history(noise, 300, [&](std::size_t i) { return i >= place ? step : 0.0; });
    for (const ChangePoint& point : change_points(values)) {
      const bool right = is_near(point.index, place) && (point.after > point.before) == (step > 0);
      ++(right ? found : others);
    }
  }
  std::printf("a step of two deviations: found within two points in %d of 300, elsewhere %d\n", found,
              others);
  // The most likely place is within two points in 94 of 100 such histories; nothing can do better.
  EXPECT_GE(found, 273);
  EXPECT_LE(found + others, 312);
}

TEST(ChangePoints, SeeAFreshStepWithinADozenPoints) {
  Noise noise(702);
  int seen = 0;
  for (int round = 0; round < 200; ++round) {
    const auto values = history(noise, 162, [](std::size_t i) { return i >= 150 ? 2 * sigma : 0.0; });
    if (!change_points(values).empty()) ++seen;
  }
  EXPECT_GE(seen, 170);
}

TEST(ChangePoints, FindALevelThatLastsForTenPointsOnly) {
  Noise noise(703);
  int found = 0;
  for (int round = 0; round < 200; ++round) {
    const auto level = [](std::size_t i) { return i >= 150 && i < 160 ? 4 * sigma : 0.0; };
    const auto points = change_points(history(noise, 300, level));
    if (points.size() == 2 && is_near(points[0].index, 150) && is_near(points[1].index, 160)) ++found;
  }
  EXPECT_GE(found, 180);
}

TEST(ChangePoints, InSteadyHistoriesAreRare) {
  for (const Draw draw : {&Noise::normal, &Noise::heavy, &Noise::spiky}) {
    Noise noise(704);
    const double per_thousand =
        static_cast<double>(change_points(history(noise, 50000, flat, draw)).size()) / 50;
    std::printf("false change points per 1000 points: %.2f\n", per_thousand);
    EXPECT_LE(per_thousand, 0.5);
  }
}

TEST(ChangePoints, OutliersNeitherMakeNorHideThem) {
  Noise noise(705);
  int found = 0;
  int others = 0;
  for (int round = 0; round < 200; ++round) {
    const auto level = [](std::size_t i) { return i >= 150 ? 2.5 * sigma : 0.0; };
    auto values = history(noise, 300, level);
    for (int outlier = 0; outlier < 12; ++outlier) values[noise.below(300)] += noise.coin() * 100 * sigma;
    for (const ChangePoint& point : change_points(values)) ++(is_near(point.index, 150) ? found : others);
  }
  EXPECT_GE(found, 180);
  EXPECT_LE(found + others, 230);
}

TEST(ChangePoints, OfManySmallStepsAddUpToTheWholeMove) {
  Noise noise(706);
  for (int round = 0; round < 50; ++round) {
    const auto level = [](std::size_t i) {
      return i < 100 ? 0.0 : 0.003 * static_cast<double>(std::min<std::size_t>(10, 1 + (i - 100) / 4));
    };
    const auto points = change_points(history(noise, 250, level));
    ASSERT_FALSE(points.empty());
    EXPECT_GE(points.front().index, 95U);
    EXPECT_LE(points.back().index, 145U);
    EXPECT_NEAR(points.back().after - points.front().before, 0.03, 0.003);
  }
}

TEST(ChangePoints, PointByPointAreTheSameAsAtOnceAndOldOnesStay) {
  Noise noise(707);
  const auto values = history(
      noise, 2000, [](std::size_t i) { return i / 130 % 2 == 0 ? 0.0 : 3 * sigma; }, &Noise::spiky);
  ChangePoints growing;
  std::vector<ChangePoint> old;
  for (std::size_t i = 0; i < values.size(); ++i) {
    growing.append(values[i]);
    if (i % 97 != 0 && i + 1 != values.size()) continue;
    EXPECT_EQ(growing.points(), change_points(std::span<const double>(values).first(i + 1)));
    ASSERT_GE(growing.points().size(), old.size());
    for (std::size_t k = 0; k < old.size(); ++k) EXPECT_EQ(growing.points()[k], old[k]);
    old.clear();
    for (const ChangePoint& point : growing.points()) {
      if (point.index + 50 <= i + 1) old.push_back(point);
    }
  }
  EXPECT_GE(old.size(), 13U);
}

TEST(ChangePoints, OfAHundredThousandPointsAreFoundOneByOne) {
  Noise noise(708);
  const auto values =
      history(noise, 100000, [](std::size_t i) { return i / 1000 % 2 == 0 ? 0.0 : 2 * sigma; });
  const auto start = std::chrono::steady_clock::now();
  const auto points = change_points(values);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::size_t found = 0;
  for (const ChangePoint& point : points) {
    const std::size_t place = (point.index + 500) / 1000 * 1000;
    if (is_near(point.index, place)) ++found;
  }
  std::printf("100000 points with 99 changes: %zu found, %zu elsewhere, %.2f s\n", found,
              points.size() - found, seconds.count());
  EXPECT_GE(found, 85U);
  EXPECT_LE(points.size(), 115U);
}

TEST(ChangePoints, RefuseWhatTheyCannotUse) {
  EXPECT_THROW(ChangePoints({.window = 10, .minimum_segment = 4}), InputError);
  EXPECT_THROW(ChangePoints({.minimum_segment = 1}), InputError);
  EXPECT_THROW(ChangePoints({.significance = 0}), InputError);
  ChangePoints history;
  EXPECT_THROW(history.append(std::nan("")), Error);
}

}  // namespace
}  // namespace tandem::analysis
