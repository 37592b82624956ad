#include "daemon/idle/status_facts.hpp"

#include <gtest/gtest.h>

#include "support/temporary_directory.hpp"

namespace tandem::daemon {
namespace {

constexpr std::int64_t day = 24 * 60 * 60;
constexpr std::int64_t now = 1'704'705'120;

class StatusFacts : public testing::Test {
 protected:
  void screen(const std::string& commit, analysis::Outcome outcome, std::int64_t at) {
    store::StoredVerdict verdict;
    verdict.commit = commit;
    verdict.control = "c0";
    verdict.benchmark = "work";
    verdict.outcome = outcome;
    verdict.verdict.launches = 20;
    verdict.at = at;
    store_.save_step(key_, {verdict, {}});
  }

  const tests::TemporaryDirectory directory_;
  store::Store store_{directory_.path() / "tandem.db", store::Store::Mode::write};
  WatchKey key_{"pebble", "linux"};
  Status status_;
};

TEST_F(StatusFacts, ExpectNoFalseRecordWithoutScreens) {
  show_false_records(status_, store_, now);
  EXPECT_EQ(status_.false_records.screens, 0u);
  EXPECT_EQ(status_.false_records.per_month, 0);
  EXPECT_EQ(status_.false_records.at_most, 0);
}

TEST_F(StatusFacts, CountTheScreensOfThirtyDays) {
  for (int i = 0; i < 40; ++i)
    screen("c" + std::to_string(i + 1), analysis::Outcome::unchanged, now - 15 * day);
  screen("old", analysis::Outcome::unchanged, now - 31 * day);
  for (int i = 0; i < 10; ++i)
    store_.add_null_screen(key_, {"work", analysis::Outcome::unchanged, 1, now - day});
  store_.add_null_screen(key_, {"work", analysis::Outcome::slower, 120, now - day});
  show_false_records(status_, store_, now);
  EXPECT_EQ(status_.false_records.screens, 51u);
  EXPECT_EQ(status_.false_records.null_screens, 51u);
  EXPECT_EQ(status_.false_records.null_suspects, 1u);
  EXPECT_NEAR(status_.false_records.suspect_rate, 1.0 / 51, 1e-12);
  EXPECT_NEAR(status_.false_records.tests_per_month, 80, 3);
  EXPECT_NEAR(status_.false_records.per_month, 80.0 / 51 * 1e-4, 1e-5);
  EXPECT_GT(status_.false_records.at_most, status_.false_records.per_month);
}

TEST_F(StatusFacts, ShowTheNewestChangesOfTheEnvironmentAlone) {
  for (int i = 0; i < 7; ++i) {
    store_.add_event({"", "environment", "the kernel changed, " + std::to_string(i), now + i});
    store_.add_event({"", "fetch", "no network", now + i});
  }
  show_environment(status_, store_);
  ASSERT_EQ(status_.environment_changes.size(), 5u);
  EXPECT_EQ(status_.environment_changes.front().sentence, "the kernel changed, 6");
}

TEST_F(StatusFacts, ShowDriftsAndMarginsApartFromTheSurroundings) {
  store_.add_event({"pebble", "margin", "a margin", 1});
  store_.add_event({"pebble", "environment", "a kernel", 2});
  store_.add_event({"pebble", "drift", "a drift", 3});
  for (int i = 0; i < 300; ++i) store_.add_event({"pebble", "fetch", "it failed", 4});
  show_environment(status_, store_);
  ASSERT_EQ(status_.environment_changes.size(), 1u);
  EXPECT_EQ(status_.environment_changes.front().sentence, "a kernel");
  ASSERT_EQ(status_.notices.size(), 2u);
  EXPECT_EQ(status_.notices.front().sentence, "a drift");
}

TEST_F(StatusFacts, ShowWhatWaits) {
  Request request;
  request.key = key_;
  request.commit = "c7";
  request.by = "mira";
  request.at = now - 90;
  store_.add_request(request);
  show_requests(status_, store_);
  ASSERT_EQ(status_.requests.size(), 1u);
  EXPECT_EQ(status_.requests.front().kind, "measure");
  EXPECT_EQ(status_.requests.front().commit, "c7");
  EXPECT_EQ(status_.requests.front().at, now - 90);
}

}  // namespace
}  // namespace tandem::daemon
