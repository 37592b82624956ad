#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "analysis/statistics.hpp"
#include "evaluation/evidence/ablations/ablations.hpp"
#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/recorded/recording.hpp"
#include "evaluation/evidence/recorded/trial.hpp"
#include "specs/foundation/error.hpp"
#include "support/paths.hpp"
#include "support/temporary_directory.hpp"

// Seeded and tiny: what the parts `replay` and `ablations` are made of.

namespace tandem::evaluation {
namespace {

using analysis::Outcome;
using analysis::Statistic;
using runners::Side;
using tandem::Random;

LaunchRow saying(double log_ratio) {
  LaunchRow row;
  row.pairs = 10;
  row.statistics = {log_ratio, log_ratio};
  row.log_mean = log_ratio;
  return row;
}

/// Launches without noise that say 1, 2, 3, …
std::vector<LaunchRow> counted(std::size_t count) {
  std::vector<LaunchRow> rows;
  for (std::size_t i = 1; i <= count; ++i) rows.push_back(saying(static_cast<double>(i)));
  return rows;
}

/// 80 launches of equal builds between -sigma and +sigma, the second slot slower by `bias`.
Recording uneven(double sigma, double bias) {
  Recording recording{"uneven", {}};
  Random random(5);
  for (int i = 0; i < 80; ++i) {
    recording.launches.push_back(saying(bias + sigma * (static_cast<double>(random.below(2001)) / 1000 - 1)));
  }
  return recording;
}

PartSettings brief(const std::filesystem::path& out) {
  PartSettings settings;
  settings.source = tests::paths::source;
  settings.out = out;
  settings.length = PartSettings::Length::brief;
  return settings;
}

TEST(Resampling, DrawsBlocksOfSuccessiveLaunches) {
  const auto rows = counted(12);
  Random random(1);
  Resampling from(rows, 5, random);
  std::set<double> starts;
  for (int block = 0; block < 50; ++block) {
    const double start = from.next().log_mean;
    starts.insert(start);
    for (double step = 1; step < 5; ++step) {
      EXPECT_EQ(from.next().log_mean, std::fmod(start - 1 + step, 12) + 1);
    }
  }
  EXPECT_EQ(starts.size(), 12U) << "every launch may begin a block";
}

TEST(Resampling, NeedsLaunchesToDrawFrom) {
  Random random(1);
  const auto rows = counted(3);
  EXPECT_THROW(Resampling({}, 5, random), Error);
  EXPECT_THROW(Resampling(rows, 0, random), Error);
}

TEST(Resampling, ExchangesTheSidesByAFairCoinOrNever) {
  const auto rows = counted(10);
  Random random(2);
  const NextLaunch fresh = launches_of(Resampling(rows, 5, random), Coin::fresh);
  const NextLaunch bare = launches_of(Resampling(rows, 5, random), Coin::none);
  int turned = 0;
  for (int i = 0; i < 1000; ++i) {
    turned += fresh().log_mean < 0 ? 1 : 0;
    EXPECT_GT(bare().log_mean, 0);
  }
  EXPECT_NEAR(turned, 500, 60);
}

TEST(Resampling, PutsTheTwoLaunchesOfAUnitIntoOppositeSlots) {
  const auto rows = counted(10);
  Random random(3);
  const NextUnit next = units_of(Resampling(rows, 10, random), Coin::fresh);
  int first = 0;
  for (int i = 0; i < 200; ++i) {
    const Unit unit = next();
    EXPECT_LT(unit[0].log_mean * unit[1].log_mean, 0);
    first += unit[0].log_mean < 0 ? 1 : 0;
  }
  EXPECT_NEAR(first, 100, 30);
}

TEST(Resampling, PlantsAfterTheCoinSoThatTheBuildIsSlowerInEitherSlot) {
  const std::vector<LaunchRow> rows = {saying(0.001)};
  Random random(4);
  const NextLaunch next = launches_of(Resampling(rows, 1, random), Coin::fresh,
                                      [](const LaunchRow& row) { return slowed(row, 1.1); });
  for (int i = 0; i < 20; ++i) EXPECT_NEAR(next().statistics.median, std::log(1.1), 0.0011);
}

TEST(Recording, IsTunedOnItsFirstHalfAndJudgedOnItsSecond) {
  const Recording recording{"", counted(81)};
  EXPECT_EQ(recording.tuning().back().log_mean, 40);
  EXPECT_EQ(recording.judged().front().log_mean, 41);
  EXPECT_EQ(recording.block(), 20U);
  EXPECT_EQ((Recording{"", counted(79)}).block(), 10U);
}

TEST(Recording, TurnsLaunchesOfThisHostBackToTheirSlots) {
  const tests::TemporaryDirectory directory;
  std::filesystem::create_directories(directory.path() / "launches");
  std::ofstream file(directory.path() / "launches/live.tsv");
  for (std::size_t i = 0; i < 50; ++i) {
    LaunchRow row = saying(0.25);
    if (i % 2 == 0) row = exchanged(row);
    file << line_of(Sample{{"sort", "alternate"}, i, row}) << '\n';
    if (i < 10) file << line_of(Sample{{"hash", "alternate"}, i, row}) << '\n';
  }
  file.close();
  const auto all = recordings(brief(directory.path()));
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.back().name, "sort.alternate live") << "hash has too few";
  for (const LaunchRow& row : all.back().launches) EXPECT_EQ(row.statistics.median, 0.25);
  EXPECT_EQ(all.front().name, "chase16mb.alternate");
}

TEST(Recording, SaysWhatCalibrationWouldSay) {
  const Recording fair = uneven(0.01, 0);
  std::vector<double> sizes;
  for (const LaunchRow& row : fair.tuning()) sizes.push_back(std::abs(row.statistics.median));
  EXPECT_NEAR(noise_of(fair.tuning()).sigma, 1.4826 * *analysis::median(sizes), 1e-12);
  EXPECT_EQ(refusal(fair, 0.01), "");
  EXPECT_NE(refusal(uneven(0.01, 0.03), 0.01).find("slot"), std::string::npos);
  const std::vector<Recording> all = {uneven(0.01, 0.03), fair, uneven(0, 0)};
  EXPECT_EQ(sound_ones(all, 0.01).size(), 1U) << "one is refused, one does not scatter";
}

TEST(Recording, CanBeMadeAsNoisyAsOneLikes) {
  Recording recording = uneven(0.01, 0);
  for (LaunchRow& row : recording.launches) row.statistics.total *= 3;
  EXPECT_NEAR(noise_of(with_sigma(recording, 0.004).judged()).sigma, 0.004, 1e-12);
  const auto both = noise_of(with_sigma(recording, 0.004, SigmaOf::both).judged());
  EXPECT_NEAR(both.sigma_total, 0.004, 1e-12);
  EXPECT_NEAR(both.sigma, 0.004 / 3, 1e-12);
}

TEST(Trial, SuspectsAndRecordsWhatIsSlower) {
  const Recording recording = uneven(0.005, 0);
  const TrialTally slower = planted_trials(recording, 0.03, 20, Confirming::yes, 1);
  EXPECT_EQ(slower.slower, 20U);
  EXPECT_EQ(slower.recorded_slower, 20U);
  const TrialTally faster = planted_trials(recording, -0.03, 20, Confirming::no, 1);
  EXPECT_EQ(faster.faster, 20U);
  EXPECT_EQ(faster.records(), 0U) << "nobody asked";
}

TEST(Trial, SuspectsNothingOfEqualBuildsWhateverTheSlotsDo) {
  const TrialTally tally = null_trials(uneven(0.005, 0.02), 200, 1);
  EXPECT_EQ(tally.trials(), 200U);
  EXPECT_LE(tally.suspects(), 2U);
  EXPECT_EQ(tally.records(), 0U);
  EXPECT_EQ(null_confirmations(uneven(0.005, 0.02), 40, 1), 0U);
}

TEST(Trial, WithoutTheCoinABiasedSlotIsSuspectedAndRecorded) {
  const Recording recording = uneven(0.005, 0.02);
  Random random(1);
  const Resampling from(recording.judged(), recording.block(), random);
  const TrialSource bare{[&] { return launches_of(from, Coin::none); },
                         [&] { return units_of(from, Coin::none); }};
  const TrialTally tally = run_trials(20, screen_settings(noise_of(recording.tuning())), bare);
  EXPECT_EQ(tally.slower, 20U);
  EXPECT_EQ(tally.recorded_slower, 20U);
}

TEST(Trial, ComesOutTheSameWithTheSameSeedOnly) {
  const Recording recording = uneven(0.02, 0);
  EXPECT_EQ(null_trials(recording, 20, 1).launches, null_trials(recording, 20, 1).launches);
  EXPECT_NE(null_trials(recording, 20, 1).launches, null_trials(recording, 20, 2).launches);
}

TEST(Trial, CountsBothDirectionsOfAPlantedEffect) {
  const TrialTally tally = both_directions(uneven(0.005, 0), 0.03, 10, Confirming::yes, 1);
  EXPECT_EQ(tally.trials(), 20U);
  EXPECT_EQ(tally.slower, 20U);
  EXPECT_EQ(tally.recorded_slower, 20U);
  EXPECT_EQ(tally.faster, 0U);
}

TEST(Trial, TakesRealWorkAsItWasMeasured) {
  Recording recording = uneven(0.005, 0);
  for (LaunchRow& row : recording.launches) row = slowed(row, 1.03);
  EXPECT_EQ(real_trials(recording.launches, 10, 1).slower, 10U);
}

TEST(Trial, SeesRareSlicesByTheTotalsOnly) {
  const auto rare = [](const LaunchRow& row) { return slowed_in_total(row, 1.03); };
  const Recording recording = uneven(0.004, 0);
  Random random(1);
  const Resampling from(recording.judged(), recording.block(), random);
  const auto settings = screen_settings(noise_of(recording.tuning()));
  const Screened both = screen_once(settings, launches_of(from, Coin::fresh, rare));
  EXPECT_EQ(both.outcome, Outcome::slower);
  EXPECT_EQ(both.by, Statistic::total);
  const Screened alone = screen_once(settings, launches_of(from, Coin::fresh));
  EXPECT_EQ(alone.outcome, Outcome::unchanged);
}

TEST(PooledTest, TakesSlicesOfFewLaunchesForManyWitnesses) {
  std::vector<LaunchRow> rows;
  for (const double mean : {0.02, 0.01, -0.005, 0.015, -0.01, 0.005}) {
    rows.push_back(saying(mean));
    rows.back().pairs = 60;
    rows.back().log_deviation = 0.01;
  }
  EXPECT_EQ(pooled_test(rows, TestUnit::slices), analysis::Direction::slower);
  EXPECT_EQ(pooled_test(rows, TestUnit::launches), std::nullopt);
  for (LaunchRow& row : rows) row = exchanged(row);
  EXPECT_EQ(pooled_test(rows, TestUnit::slices), analysis::Direction::faster);
  EXPECT_EQ(pooled_test({}, TestUnit::slices), std::nullopt);
}

TEST(LayoutEffects, AreRecordedWhenTheLayoutsStayAndNotWhenTheyAreFresh) {
  const Recording recording = uneven(0.004, 0);
  Random random(1);
  const Resampling from(recording.judged(), recording.block(), random);
  const auto records = [&](UnitLayouts units) {
    const TrialSource source = with_layouts(from, {0.01, 1, units}, random);
    return run_trials(60, screen_settings(noise_of(recording.tuning())), source).records();
  };
  EXPECT_GE(records(UnitLayouts::same), 20U);
  EXPECT_EQ(records(UnitLayouts::fresh), 0U);
}

/// Every row as wide as its table, every bar in its place.
void expect_well_formed(const PartResult& result) {
  EXPECT_FALSE(result.says.empty());
  EXPECT_FALSE(result.goals.empty());
  EXPECT_FALSE(result.figures.empty());
  for (const Table& table : result.tables) {
    EXPECT_FALSE(table.rows.empty()) << table.title;
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.title;
  }
  for (const Plot& plot : result.plots) EXPECT_NO_THROW((void)svg_of(plot)) << plot.name;
}

TEST(ReplayPart, GoesThroughInItsBriefForm) {
  const tests::TemporaryDirectory directory;
  const PartResult result = replay(brief(directory.path()));
  EXPECT_EQ(result.part, "replay");
  EXPECT_EQ(result.figures.at("false records"), 0);
  expect_well_formed(result);
}

TEST(AblationsPart, GoesThroughInItsBriefForm) {
  const tests::TemporaryDirectory directory;
  const PartResult result = ablations(brief(directory.path()));
  EXPECT_EQ(result.part, "ablations");
  EXPECT_EQ(result.figures.at("quiet, median only, 2 % in the totals only: found"), 0);
  expect_well_formed(result);
}

}  // namespace
}  // namespace tandem::evaluation
