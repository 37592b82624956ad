#include "evaluation/evidence/recorded/launches.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "specs/foundation/error.hpp"
#include "specs/foundation/random.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::evaluation {
namespace {

using runners::Launch;
using runners::Side;

/// Pairs of slices about 1000 ns, the treatment 1 % slower, one slice interrupted.
Launch some_launch() {
  Launch launch;
  launch.first_slot = Side::treatment;
  tandem::Random random(3);
  for (int i = 0; i < 20; ++i) {
    const double shared = 1000 + static_cast<double>(random.below(50));
    launch.control.push_back(shared + static_cast<double>(random.below(10)));
    launch.treatment.push_back(1.01 * shared + static_cast<double>(random.below(10)));
    launch.first.push_back(i % 2 == 0 ? Side::control : Side::treatment);
  }
  launch.treatment[7] = 9000;
  return launch;
}

TEST(LaunchRow, KeepsWhatTandemJudgesAndTheMomentsOfThePairs) {
  Launch launch;
  launch.control = {100, 100, 200, 200};
  launch.treatment = {110, 110, 220, 220};
  launch.first = {Side::control, Side::treatment, Side::control, Side::treatment};
  const LaunchRow row = summarise(launch).value();
  EXPECT_EQ(row.statistics, *analysis::launch_statistics(launch));
  EXPECT_EQ(row.pairs, 4U);
  EXPECT_NEAR(row.log_mean, std::log(1.1), 1e-12);
  EXPECT_NEAR(row.log_deviation, 0, 1e-12);
  EXPECT_EQ(row.differences, 4U);
  EXPECT_DOUBLE_EQ(row.difference_mean, 15);
  EXPECT_DOUBLE_EQ(row.difference_deviation, std::sqrt(100.0 / 3));
  EXPECT_EQ(row.control, (SideRow{150, 150, 100, 200}));
}

TEST(LaunchRow, LeavesAsManyDifferencesOutAtEachEnd) {
  Launch launch = some_launch();
  const LaunchRow one_sided = summarise(launch).value();
  EXPECT_EQ(one_sided.pairs, 20U);
  EXPECT_EQ(one_sided.differences, 20U);
  EXPECT_GT(one_sided.difference_mean, 200);
  launch.control[3] = launch.control[5] = 100000;
  const LaunchRow on_both_sides = summarise(launch).value();
  EXPECT_EQ(on_both_sides.differences, 18U);
  EXPECT_LT(on_both_sides.difference_mean, 0);
}

TEST(LaunchRow, IsNoneOfALaunchWithoutPairs) {
  EXPECT_FALSE(summarise(Launch{}));
  Launch unequal;
  unequal.control = {100, 101};
  unequal.treatment = {100};
  EXPECT_FALSE(summarise(unequal));
}

TEST(LaunchRow, ExchangedIsTheRowOfTheLaunchWithItsSidesExchanged) {
  Launch turned = some_launch();
  std::swap(turned.control, turned.treatment);
  turned.first_slot = runners::other(turned.first_slot);
  for (Side& side : turned.first) side = runners::other(side);
  const LaunchRow row = summarise(some_launch()).value();
  const LaunchRow expected = summarise(turned).value();
  const LaunchRow other = exchanged(row);
  EXPECT_EQ(other.statistics, expected.statistics);
  EXPECT_EQ(other.first_slot, expected.first_slot);
  EXPECT_EQ(other.control, expected.control);
  EXPECT_EQ(other.treatment, expected.treatment);
  EXPECT_NEAR(other.log_mean, expected.log_mean, 1e-12);
  EXPECT_NEAR(other.difference_mean, expected.difference_mean, 1e-9);
  EXPECT_EQ(exchanged(other), row);
}

TEST(LaunchRow, SlowedIsTheRowOfTheLaunchWithSlowerSlices) {
  Launch slower = some_launch();
  for (double& value : slower.treatment) value *= 1.03;
  const LaunchRow expected = summarise(slower).value();
  const LaunchRow row = slowed(summarise(some_launch()).value(), 1.03);
  EXPECT_NEAR(row.statistics.median, expected.statistics.median, 1e-12);
  EXPECT_NEAR(row.statistics.total, expected.statistics.total, 1e-3);
  EXPECT_NEAR(row.log_mean, expected.log_mean, 1e-12);
  EXPECT_NEAR(row.treatment.median, expected.treatment.median, 1e-9);
  EXPECT_NEAR(row.treatment.mean, expected.treatment.mean, 1e-9);
  EXPECT_NEAR(row.treatment.p90, expected.treatment.p90, 1e-9);
  EXPECT_EQ(row.control, expected.control);
}

TEST(LaunchRow, ComesBackFromItsLine) {
  const LaunchRow row = summarise(some_launch()).value();
  const auto back = row_in(line_of(row));
  ASSERT_TRUE(back);
  EXPECT_EQ(line_of(*back), line_of(row));
  EXPECT_EQ(back->first_slot, Side::treatment);
  EXPECT_EQ(back->pairs, row.pairs);
  EXPECT_NEAR(back->statistics.median, row.statistics.median, 1e-8);
  EXPECT_NEAR(back->treatment.p90, row.treatment.p90, 1e-2);
}

TEST(LaunchRow, IsNoneOfALineThatIsNotWhole) {
  const std::string line = line_of(summarise(some_launch()).value());
  EXPECT_FALSE(row_in(""));
  EXPECT_FALSE(row_in(line.substr(0, line.rfind('\t'))));
  EXPECT_FALSE(row_in(line + "\t1"));
  EXPECT_FALSE(row_in("2" + line.substr(1)));
}

TEST(SampleFile, GivesTheLaunchesOfAnOriginInTheirOrder) {
  const tests::TemporaryDirectory directory;
  const LaunchRow row = summarise(some_launch()).value();
  const Sample sort{{"sort", "alternate", "other", 2.5}, 7, row};
  const Sample hash{{"hash", "duet", "same", 0}, 8, exchanged(row)};
  std::ofstream(directory.path() / "launches.tsv") << line_of(sort) << '\n'
                                                   << line_of(hash) << '\n'
                                                   << line_of(Sample{sort.origin, 9, exchanged(row)}) << '\n'
                                                   << line_of(hash).substr(0, 20);
  const auto samples = read_samples(directory.path() / "launches.tsv");
  ASSERT_EQ(samples.size(), 3U) << "the line that was cut off does not count";
  EXPECT_EQ(samples[0].origin, sort.origin);
  EXPECT_EQ(samples[2].decision, 9U);
  const auto launches = by_origin(samples);
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches.at(sort.origin).size(), 2U);
  EXPECT_EQ(launches.at(sort.origin)[1].first_slot, Side::control);
}

TEST(SampleFile, NamesTheLineThatIsNoLaunch) {
  const tests::TemporaryDirectory directory;
  std::ofstream(directory.path() / "launches.tsv") << "sort\talternate\n";
  EXPECT_THROW((void)read_samples(directory.path() / "launches.tsv"), Error);
  EXPECT_TRUE(read_samples(directory.path() / "nothing.tsv").empty());
}

TEST(TraceFile, MakesLaunchesOfSlices) {
  const tests::TemporaryDirectory directory;
  const auto file = directory.path() / "sort10k.duet.csv";
  std::ofstream(file) << "launch,slice,swap,control_ns,treatment_ns\n"
                         "0,0,1,100,110\n0,1,0,100,110\n1,0,0,200,200\n1,1,1,200,200\n";
  const auto samples = samples_of_trace(file);
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].origin, (Origin{"sort10k", "duet", "same", 0}));
  EXPECT_NEAR(samples[0].launch.statistics.median, std::log(1.1), 1e-12);
  EXPECT_EQ(samples[0].launch.first_slot, Side::treatment);
  EXPECT_EQ(samples[1].launch.statistics.median, 0);
  std::ofstream(file, std::ios::app) << "2,0,0,100\n";
  EXPECT_THROW((void)samples_of_trace(file), Error);
}

}  // namespace
}  // namespace tandem::evaluation
