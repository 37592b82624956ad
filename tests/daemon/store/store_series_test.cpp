#include <limits>

#include "daemon/store/store_fixture.hpp"

namespace tandem::daemon::store {
namespace {

using tests::sample_key;
using tests::sample_verdict;

using StoreSeries = tests::StoreTest;

StoredPoint sample_point(const std::string& commit, double value) {
  return {"softmax", "time", "week", "anchor", commit, value, 0.001, "kernel 6.1", 1'704'705'120};
}

TEST_F(StoreSeries, GivesThePointsOfOneSeriesOldestFirst) {
  Store store = writer();
  store.add_point(sample_key, sample_point("a", 1.0 / 3));
  store.add_point(sample_key, sample_point("b", -5e-324));
  StoredPoint other = sample_point("a", 7);
  other.span = "month";
  store.add_point(sample_key, other);
  store.add_point({"pebble", "arm"}, sample_point("a", 8));
  const auto points = reader().points(sample_key, "softmax", "time", "week");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].commit, "a");
  EXPECT_EQ(points[0].value, 1.0 / 3);
  EXPECT_EQ(points[1].value, -5e-324);
  EXPECT_EQ(points[1].deviation, 0.001);
  EXPECT_EQ(points[1].anchor, "anchor");
  EXPECT_EQ(points[1].environment, "kernel 6.1");
  EXPECT_EQ(points[1].at, 1'704'705'120);
  EXPECT_EQ(points[1].benchmark, "softmax");
  EXPECT_EQ(points[1].metric, "time");
  EXPECT_EQ(points[1].span, "week");
  EXPECT_TRUE(reader().points(sample_key, "softmax", "memory", "week").empty());
}

TEST_F(StoreSeries, GivesTheNewestPointsAndKnowsWhetherThereIsOne) {
  Store store = writer();
  for (const char* commit : {"a", "b", "c"}) store.add_point(sample_key, sample_point(commit, 1));
  const auto points = store.points(sample_key, "softmax", "time", "week", 2);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].commit, "b");
  EXPECT_EQ(points[1].commit, "c");
  EXPECT_TRUE(store.has_point(sample_key, sample_point("a", 2)));
  EXPECT_FALSE(store.has_point(sample_key, sample_point("d", 1)));
  EXPECT_FALSE(store.has_point({"pebble", "arm"}, sample_point("a", 1)));
  StoredPoint elsewhere = sample_point("a", 1);
  elsewhere.environment = "kernel 6.6";
  EXPECT_FALSE(store.has_point(sample_key, elsewhere));
}

TEST_F(StoreSeries, FindsEventsByTheirKindHoweverManyOthersThereAre) {
  Store store = writer();
  store.add_event({"pebble", "environment", "a kernel", 1});
  store.add_event({"pebble", "drift", "a drift", 2});
  for (int i = 0; i < 300; ++i) store.add_event({"pebble", "fetch", "it failed", 3});
  const auto found = store.newest_events_of({"environment", "drift"}, 5);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].sentence, "a drift");
  EXPECT_EQ(found[1].sentence, "a kernel");
  EXPECT_EQ(store.newest_events_of({"environment", "drift"}, 1).size(), 1u);
  EXPECT_TRUE(store.newest_events_of({}, 5).empty());
}

TEST_F(StoreSeries, ReplacesAPointThatIsMeasuredAgainInItsPlace) {
  Store store = writer();
  store.add_point(sample_key, sample_point("a", 1));
  store.add_point(sample_key, sample_point("b", 2));
  store.add_point(sample_key, sample_point("a", 3));
  auto points = store.points(sample_key, "softmax", "time", "week");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].value, 3);
  StoredPoint elsewhere = sample_point("a", 4);
  elsewhere.environment = "kernel 6.6";
  store.add_point(sample_key, elsewhere);
  EXPECT_EQ(store.points(sample_key, "softmax", "time", "week").size(), 3u);
}

TEST_F(StoreSeries, KeepsTheNewestFactsOfTheSurroundings) {
  Store store = writer();
  EXPECT_EQ(store.environment("kernel"), std::nullopt);
  store.set_environment("kernel", "6.1");
  store.set_environment("compiler", "gcc 12");
  store.set_environment("kernel", "6.6");
  EXPECT_EQ(store.environment("kernel"), "6.6");
  EXPECT_EQ(store.environment("compiler"), "gcc 12");
}

TEST_F(StoreSeries, KnowsTheWatchesThatWereWalkedAndNoOthers) {
  Store store = writer();
  EXPECT_TRUE(store.scopes().empty());
  store.save_build({"by hand", "x"}, {"a", true, {}, {}, {}, 1});
  store.set_start({"pebble", "linux"}, "a");
  store.set_done({"pebble", "arm"}, "a", 1);
  EXPECT_EQ(store.scopes(), (std::vector<WatchKey>{{"pebble", "linux"}, {"pebble", "arm"}}));
}

void save(Store& store, const std::string& commit, analysis::Outcome outcome, std::int64_t at) {
  StoredVerdict verdict = sample_verdict(commit, "softmax");
  verdict.outcome = outcome;
  verdict.at = at;
  store.save_step(sample_key, {verdict, {}});
}

TEST_F(StoreSeries, CountsScreensAndTheirSuspects) {
  Store store = writer();
  EXPECT_EQ(store.screen_counts(0).first_at, 0);
  save(store, "a", analysis::Outcome::slower, 10);
  save(store, "b", analysis::Outcome::unchanged, 20);
  save(store, "c", analysis::Outcome::faster, 30);
  save(store, "d", analysis::Outcome::inconclusive, 40);
  save(store, "e", analysis::Outcome::identical, 5);
  save(store, "f", analysis::Outcome::added, 5);
  store.add_null_screen(sample_key, {"softmax", analysis::Outcome::unchanged, 1.5, 15});
  store.add_null_screen(sample_key, {"softmax", analysis::Outcome::slower, 150, 25});
  ScreenCounts counts = store.screen_counts(0);
  EXPECT_EQ(counts.screens, 4u);
  EXPECT_EQ(counts.suspects, 2u);
  EXPECT_EQ(counts.false_suspects, 0u);
  EXPECT_EQ(counts.null_screens, 2u);
  EXPECT_EQ(counts.null_suspects, 1u);
  EXPECT_EQ(counts.first_at, 10);
  counts = store.screen_counts(20);
  EXPECT_EQ(counts.screens, 3u);
  EXPECT_EQ(counts.suspects, 1u);
  EXPECT_EQ(counts.null_screens, 1u);
  EXPECT_EQ(counts.first_at, 20);
  EXPECT_EQ(store.screen_counts(41).first_at, 0);
}

TEST_F(StoreSeries, CountsNullScreensAloneWhereThereAreNoOthers) {
  Store store = writer();
  store.add_null_screen(sample_key, {"softmax", analysis::Outcome::faster, 120, 25});
  EXPECT_EQ(store.screen_counts(0).first_at, 25);
  EXPECT_EQ(store.screen_counts(0).null_suspects, 1u);
  EXPECT_EQ(store.screen_counts(26).null_screens, 0u);
}

TEST_F(StoreSeries, ForgetsNullScreensAfterSixtyDays) {
  Store store = writer();
  constexpr std::int64_t day = 24 * 60 * 60;
  store.add_null_screen(sample_key, {"softmax", analysis::Outcome::unchanged, 1, 0});
  store.add_null_screen(sample_key, {"softmax", analysis::Outcome::unchanged, 1, 60 * day});
  EXPECT_EQ(store.screen_counts(0).null_screens, 2u);
  store.add_null_screen(sample_key, {"softmax", analysis::Outcome::unchanged, 1, 60 * day + 1});
  EXPECT_EQ(store.screen_counts(0).null_screens, 2u);
}

TEST_F(StoreSeries, CountsSuspectsThatWereNotReproducedAsFalse) {
  Store store = writer();
  const auto add = [&](const std::string& commit, RecordKind kind, std::int64_t at) {
    Record record = tests::sample_not_reproduced();
    record.kind = kind;
    record.treatment.id = commit;
    record.id = record_id(record.key, record.benchmark, "time", commit);
    StoredVerdict verdict = sample_verdict(commit, record.benchmark);
    verdict.metric = record.metric;
    verdict.outcome = analysis::Outcome::slower;
    verdict.at = at;
    store.save_step(record.key, {verdict, {record}});
  };
  add("a", RecordKind::not_reproduced, 10);
  add("b", RecordKind::layout, 20);
  add("c", RecordKind::regression, 30);
  add("d", RecordKind::postponed, 30);
  EXPECT_EQ(store.screen_counts(0).suspects, 4u);
  EXPECT_EQ(store.screen_counts(0).false_suspects, 2u);
  EXPECT_EQ(store.screen_counts(11).false_suspects, 1u);
}

TEST_F(StoreSeries, GivesTheMarginOfTheNewestScreen) {
  Store store = writer();
  EXPECT_EQ(store.newest_margin(sample_key, "softmax", "time"), std::nullopt);
  const auto add = [&](const std::string& commit, analysis::Outcome outcome, double margin) {
    StoredVerdict verdict = sample_verdict(commit, "softmax");
    verdict.metric = {};
    verdict.outcome = outcome;
    verdict.verdict.margin = margin;
    store.save_step(sample_key, {verdict, {}});
  };
  add("a", analysis::Outcome::unchanged, 0.01);
  add("b", analysis::Outcome::slower, 0.016);
  add("c", analysis::Outcome::identical, 0.5);
  EXPECT_EQ(store.newest_margin(sample_key, "softmax", "time"), 0.016);
  EXPECT_EQ(store.newest_margin(sample_key, "softmax", "memory"), std::nullopt);
  EXPECT_EQ(store.newest_margin({"pebble", "arm"}, "softmax", "time"), std::nullopt);
}

}  // namespace
}  // namespace tandem::daemon::store
