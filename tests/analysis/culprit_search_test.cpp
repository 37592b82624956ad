#include "analysis/culprit_search.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

using Kind = CulpritAnswer::Kind;
using Levels = std::function<double(std::size_t)>;
using Candidates = std::vector<std::size_t>;

constexpr CulpritSearchSettings settings{.effect = 0.03, .sigma = 0.01, .smallest_effect = 0.005};

CulpritSearch among(std::size_t count) {
  return {settings, std::vector<double>(count, 1.0)};
}

Levels step_at(std::size_t culprit, double effect = 0.03) {
  return [=](std::size_t candidate) { return candidate >= culprit ? effect : 0.0; };
}

/// Measures whatever is asked for, without noise; gives what was asked for.
Candidates drive(CulpritSearch& search, const Levels& levels) {
  Candidates asked;
  while (const auto candidate = search.next()) {
    asked.push_back(*candidate);
    search.measured(*candidate, levels(*candidate));
  }
  return asked;
}

TEST(CulpritSearch, NamesEveryCulpritOfARange) {
  for (const std::size_t count : {1U, 2U, 3U, 17U}) {
    for (std::size_t culprit = 0; culprit < count; ++culprit) {
      CulpritSearch search = among(count);
      const Candidates asked = drive(search, step_at(culprit));
      const CulpritAnswer answer = search.answer();
      EXPECT_EQ(answer.kind, Kind::culprit);
      EXPECT_EQ(answer.culprit, culprit);
      EXPECT_EQ(answer.last_good, culprit == 0 ? no_candidate : culprit - 1);
      EXPECT_GE(answer.probability, 0.99);
      EXPECT_EQ(answer.measurements, asked.size());
      EXPECT_TRUE(answer.co_suspects.empty());
      EXPECT_LE(asked.size(), 16U);
    }
  }
}

TEST(CulpritSearch, StartsInTheMiddleOfThePrior) {
  EXPECT_EQ(among(101).next(), 52U);  // "no culprit" counts among the later ones
  std::vector<double> prior(101, 1.0);
  prior[7] = 1000.0;
  EXPECT_EQ(CulpritSearch(settings, prior).next(), 7U);
}

TEST(CulpritSearch, ALikelyCulpritIsFoundSooner) {
  std::vector<double> prior(128, 1.0);
  prior[90] = 300.0;
  CulpritSearch informed(settings, prior);
  CulpritSearch uninformed = among(128);
  EXPECT_LT(drive(informed, step_at(90)).size(), drive(uninformed, step_at(90)).size());
  EXPECT_EQ(informed.answer().culprit, 90U);
}

TEST(CulpritSearch, NamesAnImprovement) {
  CulpritSearch search({.effect = -0.03, .sigma = 0.01, .smallest_effect = 0.005},
                       std::vector<double>(9, 1.0));
  drive(search, step_at(4, -0.03));
  EXPECT_EQ(search.answer().kind, Kind::culprit);
  EXPECT_EQ(search.answer().culprit, 4U);
}

TEST(CulpritSearch, AChangeInTheOtherDirectionIsNoCulprit) {
  CulpritSearch search = among(9);
  drive(search, step_at(4, -0.03));
  EXPECT_EQ(search.answer().kind, Kind::no_culprit);
}

TEST(CulpritSearch, FindsNoCulpritWhereEvenTheBadCommitIsAsTheGoodOne) {
  for (const std::size_t count : {1U, 8U, 128U}) {
    CulpritSearch search = among(count);
    const Candidates asked = drive(search, step_at(no_candidate));
    EXPECT_EQ(asked.back(), count - 1) << "the bad commit itself must be measured again";
    EXPECT_EQ(search.answer().kind, Kind::no_culprit);
    EXPECT_EQ(search.answer().culprit, no_candidate);
    EXPECT_GE(search.posterior().back(), 0.99);
  }
}

TEST(CulpritSearch, OfTwoStepsItNamesTheFirst) {
  CulpritSearch search({.effect = 0.06, .sigma = 0.01, .smallest_effect = 0.005},
                       std::vector<double>(16, 1.0));
  drive(search, [](std::size_t candidate) { return candidate >= 11 ? 0.06 : candidate >= 5 ? 0.03 : 0.0; });
  EXPECT_EQ(search.answer().kind, Kind::culprit);
  EXPECT_EQ(search.answer().culprit, 5U);
  EXPECT_EQ(search.answer().last_good, 4U);
}

TEST(CulpritSearch, BrokenCommitsAreCoSuspectsOfTheNextUsableOne) {
  CulpritSearch search = among(12);
  for (const std::size_t candidate : {5U, 6U, 9U}) search.broken(candidate);
  const Candidates asked = drive(search, step_at(6));
  const CulpritAnswer answer = search.answer();
  EXPECT_EQ(answer.kind, Kind::culprit);
  EXPECT_EQ(answer.culprit, 7U);
  EXPECT_EQ(answer.co_suspects, (Candidates{5, 6}));
  EXPECT_EQ(answer.last_good, 4U);
  for (const std::size_t candidate : asked) EXPECT_TRUE(candidate != 5 && candidate != 6 && candidate != 9);
}

TEST(CulpritSearch, WhereAllButTheBadCommitAreBrokenAllAreSuspects) {
  CulpritSearch search = among(4);
  for (const std::size_t candidate : {0U, 1U, 2U}) search.broken(candidate);
  drive(search, step_at(1));
  const CulpritAnswer answer = search.answer();
  EXPECT_EQ(answer.kind, Kind::culprit);
  EXPECT_EQ(answer.culprit, 3U);
  EXPECT_EQ(answer.co_suspects, (Candidates{0, 1, 2}));
  EXPECT_EQ(answer.last_good, no_candidate);
}

TEST(CulpritSearch, WhereAllAreBrokenItIsUndecided) {
  CulpritSearch search = among(3);
  for (const std::size_t candidate : {0U, 1U, 2U}) search.broken(candidate);
  EXPECT_FALSE(search.next());
  EXPECT_EQ(search.answer().kind, Kind::undecided);
  EXPECT_EQ(search.answer().culprit, no_candidate);
}

TEST(CulpritSearch, AChangeThatOnlyABrokenBadCommitCanHaveMadeIsUndecided) {
  CulpritSearch search = among(6);
  search.broken(5);
  drive(search, step_at(5));
  EXPECT_EQ(search.answer().kind, Kind::undecided);
}

TEST(CulpritSearch, IdenticalBuildsAreNeitherAskedForNorNamed) {
  CulpritSearch search = among(10);
  search.same_as(0, no_candidate);
  search.same_as(1, 0);
  for (const std::size_t candidate : {4U, 5U, 6U}) search.same_as(candidate, candidate - 1);
  const Candidates asked = drive(search, step_at(7));
  for (const std::size_t candidate : asked) {
    EXPECT_TRUE(candidate > 1 && (candidate < 4 || candidate > 6)) << candidate;
  }
  EXPECT_EQ(search.answer().culprit, 7U);
  EXPECT_EQ(search.answer().last_good, 6U) << "known from the one it is identical to";
  EXPECT_EQ(search.posterior()[5], 0);
}

TEST(CulpritSearch, IdenticalBuildsShareTheirMeasurements) {
  CulpritSearch early = among(6);
  early.same_as(3, 2);
  early.measured(3, 0.03);
  CulpritSearch late = among(6);
  late.measured(3, 0.03);
  late.same_as(3, 2);
  CulpritSearch directly = among(6);
  directly.same_as(3, 2);
  directly.measured(2, 0.03);
  EXPECT_EQ(early.posterior(), directly.posterior());
  EXPECT_EQ(late.posterior(), directly.posterior());
}

TEST(CulpritSearch, AChangeThatWasTakenBackIsPassedOver) {
  CulpritSearch search = among(8);
  search.same_as(4, 1);  // 2 made it slower for a while
  const Candidates asked = drive(search, [](std::size_t candidate) {
    return candidate >= 6 || candidate == 2 || candidate == 3 ? 0.03 : 0.0;
  });
  for (const std::size_t candidate : asked) EXPECT_TRUE(candidate < 2 || candidate > 4) << candidate;
  EXPECT_EQ(search.answer().culprit, 6U);
}

TEST(CulpritSearch, WhereAllBuildsAreTheGoodOneThereIsNoCulprit) {
  CulpritSearch search = among(3);
  search.same_as(2, no_candidate);
  EXPECT_FALSE(search.next());
  EXPECT_EQ(search.answer().kind, Kind::no_culprit);
}

TEST(CulpritSearch, WhatIsTheSameAsABrokenOneIsBroken) {
  CulpritSearch search = among(6);
  search.same_as(3, 2);
  search.broken(3);
  drive(search, step_at(2));
  EXPECT_EQ(search.answer().culprit, 4U);
  EXPECT_EQ(search.answer().co_suspects, (Candidates{2}));
  EXPECT_EQ(search.answer().last_good, 1U);
}

TEST(CulpritSearch, OneWildValueDecidesNothing) {
  for (const double wild : {-5.0, -0.1, 0.03, 0.06, 0.1, 5.0}) {
    for (std::size_t candidate = 0; candidate < 9; ++candidate) {
      CulpritSearch search = among(9);
      search.measured(candidate, candidate < 6 ? wild : -wild);
      EXPECT_TRUE(search.next());
      drive(search, step_at(6));
      EXPECT_EQ(search.answer().kind, Kind::culprit);
      EXPECT_EQ(search.answer().culprit, 6U) << wild << " at " << candidate;
    }
  }
}

TEST(CulpritSearch, GivesUpAtTheMostMeasurements) {
  CulpritSearch search({.effect = 0.01, .sigma = 0.1, .smallest_effect = 0.005, .most_measurements = 7},
                       std::vector<double>(5, 1.0));
  EXPECT_EQ(drive(search, step_at(3, 0.01)).size(), 7U);
  EXPECT_EQ(search.answer().kind, Kind::undecided);
  EXPECT_LT(search.answer().probability, 0.99);
}

TEST(CulpritSearch, ProbabilitiesSumToOne) {
  CulpritSearch search = among(20);
  search.broken(3);
  search.same_as(8, 6);
  for (const std::size_t candidate : {4U, 9U, 12U, 19U}) {
    search.measured(candidate, candidate >= 9 ? 0.1 : -0.02);
    const auto& posterior = search.posterior();
    EXPECT_EQ(posterior.size(), 21U);
    EXPECT_NEAR(std::accumulate(posterior.begin(), posterior.end(), 0.0), 1.0, 1e-12);
  }
}

TEST(CulpritSearch, RefusesWhatItCannotUse) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> even(3, 1.0);
  EXPECT_THROW(CulpritSearch({.effect = 0, .sigma = 1, .smallest_effect = 1}, even), InputError);
  EXPECT_THROW(CulpritSearch({.effect = 1, .sigma = 0, .smallest_effect = 1}, even), InputError);
  EXPECT_THROW(CulpritSearch({.effect = 1, .sigma = 1, .smallest_effect = nan}, even), InputError);
  EXPECT_THROW(CulpritSearch(settings, {}), InputError);
  EXPECT_THROW(CulpritSearch(settings, {1.0, 0.0}), InputError);
  CulpritSearch search(settings, even);
  EXPECT_THROW(search.measured(0, nan), Error);
  EXPECT_THROW(search.measured(3, 0.0), Error);
  EXPECT_THROW(search.broken(3), Error);
  EXPECT_THROW(search.same_as(1, 1), Error);
}

}  // namespace
}  // namespace tandem::analysis
