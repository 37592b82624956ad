#include <gtest/gtest.h>

#include "daemon/records/verdict_json.hpp"
#include "daemon/report/comparison_report.hpp"
#include "daemon/report/sample_calibration.hpp"
#include "daemon/store/store_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::store {
namespace {

using tests::sample_calibration;
using tests::sample_key;

class StoreCalibrations : public tests::StoreTest {};

TEST_F(StoreCalibrations, GivesBackWhatWasSaved) {
  writer().save_calibration(sample_key, sample_calibration("matmul"));
  const Store store = reader();
  const auto found = store.calibration(sample_key, "matmul");
  ASSERT_TRUE(found);
  EXPECT_EQ(report::calibration_line(*found), report::calibration_line(sample_calibration("matmul")));
  EXPECT_FALSE(store.calibration(sample_key, "softmax"));
  EXPECT_FALSE(store.calibration({"pebble", "other"}, "matmul"));
}

TEST_F(StoreCalibrations, KeepsTheNewestOfABenchmark) {
  Store store = writer();
  auto calibration = sample_calibration("matmul");
  store.save_calibration(sample_key, calibration);
  store.save_calibration({"by hand", "program"}, sample_calibration("matmul"));
  calibration.noise.sigma = 0.5;
  store.save_calibration(sample_key, calibration);
  EXPECT_EQ(store.calibration(sample_key, "matmul")->noise.sigma, 0.5);
  EXPECT_EQ(store.calibrations(sample_key).size(), 1u);
  const auto all = store.calibrations();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].key.watch, "by hand");
  EXPECT_EQ(all[1].key, sample_key);
}

TEST_F(StoreCalibrations, KeepsNamesThatAreNotUtf8) {
  Store store = writer();
  store.save_calibration(sample_key, sample_calibration("a\xff"));
  EXPECT_EQ(store.calibration(sample_key, "a\xff")->benchmark, "a\xff");
  EXPECT_EQ(store.calibrations(sample_key).front().calibration.benchmark, "a\xff");
}

TEST_F(StoreCalibrations, GivesTheSpreadsOfNewScreensOnly) {
  Store store = writer();
  const auto save = [&](int commit, analysis::Outcome outcome, std::int64_t at, double sigma,
                        std::size_t launches) {
    StoredVerdict verdict = tests::sample_verdict(tests::step_commit(commit), "matmul");
    verdict.metric = {};
    verdict.outcome = outcome;
    verdict.at = at;
    verdict.verdict.sigma = sigma;
    verdict.verdict.launches = launches;
    verdict.verdict.decided_by_total = commit == 5;
    store.save_step(sample_key, {verdict, {}});
  };
  save(1, analysis::Outcome::unchanged, 100, 0.1, 20);
  save(2, analysis::Outcome::unchanged, 200, 0.2, 20);
  save(3, analysis::Outcome::identical, 300, 0.3, 20);
  save(4, analysis::Outcome::slower, 400, 0.4, 20);
  save(5, analysis::Outcome::slower, 500, 0.5, 20);
  save(6, analysis::Outcome::inconclusive, 600, 0.6, 3);
  EXPECT_EQ(store.newest_sigmas(sample_key, "matmul", "time", 100, 10), (std::vector<double>{0.4, 0.2}));
  EXPECT_EQ(store.newest_sigmas(sample_key, "matmul", "time", 0, 10), (std::vector<double>{0.4, 0.2, 0.1}));
  EXPECT_TRUE(store.newest_sigmas(sample_key, "softmax", "time", 0, 10).empty());
  EXPECT_TRUE(store.newest_sigmas(sample_key, "matmul", "peak_memory", 0, 10).empty());
}

TEST_F(StoreCalibrations, AnUnreadableOneIsAnErrorThatNamesTheFile) {
  Store store = writer();
  store.save_calibration(sample_key, sample_calibration("matmul"));
  tests::tell_sqlite(file(), "UPDATE calibration SET calibration = '{}'");
  const std::string message =
      tests::thrown_message([&] { static_cast<void>(store.calibration(sample_key, "matmul")); });
  EXPECT_NE(message.find(file().string()), std::string::npos) << message;
}

TEST_F(StoreCalibrations, AFileOfTheSecondVersionGetsATableForThem) {
  writer().set_done(sample_key, "a", 1);
  tests::tell_sqlite(file(), "DROP TABLE calibration; " + std::string(tests::without_fourth_step) +
                                 "PRAGMA user_version = 2");
  writer().save_calibration(sample_key, sample_calibration("matmul"));
  EXPECT_EQ(reader().calibrations().size(), 1u);
  EXPECT_EQ(reader().last_done(sample_key), "a");
}

}  // namespace
}  // namespace tandem::daemon::store
