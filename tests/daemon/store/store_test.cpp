#include "daemon/store/store.hpp"

#include <cmath>

#include "daemon/store/store_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::store {
namespace {

using tests::sample_key;
using tests::sample_verdict;

using StoreContents = tests::StoreTest;

const WatchKey other_platform = {"pebble", "arm"};
const WatchKey other_watch = {"granite", "linux"};

TEST_F(StoreContents, IsEmptyAtFirst) {
  const Store store = writer();
  EXPECT_EQ(store.last_done(sample_key), std::nullopt);
  EXPECT_TRUE(store.done(sample_key).empty());
  EXPECT_EQ(store.start(sample_key), std::nullopt);
  EXPECT_FALSE(store.build(sample_key, "a").has_value());
  EXPECT_TRUE(store.failed_builds(sample_key, 10).empty());
  EXPECT_TRUE(store.verdicts(sample_key, "a").empty());
  EXPECT_TRUE(store.newest_verdicts(sample_key, 10).empty());
  EXPECT_TRUE(store.null_effects(sample_key, "b", "time", 10).empty());
  EXPECT_TRUE(store.records({}).empty());
  EXPECT_TRUE(store.newest_events(10).empty());
}

TEST_F(StoreContents, RemembersWhatWasDoneInItsOrderForEachWatchApart) {
  {
    Store store = writer();
    store.set_done(sample_key, "a", 30);
    store.set_done(sample_key, "b", 20);
    store.set_done(other_platform, "c", 10);
    store.set_done(other_watch, "d", 10);
  }
  const Store store = reader();
  EXPECT_EQ(store.done(sample_key), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(store.last_done(sample_key), "b");
  EXPECT_EQ(store.last_done(other_platform), "c");
  EXPECT_EQ(store.last_done(other_watch), "d");
}

TEST_F(StoreContents, MovesACommitThatWasDoneAgainToTheEnd) {
  Store store = writer();
  for (const char* commit : {"a", "b", "b", "c", "a"}) store.set_done(sample_key, commit, 1);
  EXPECT_EQ(store.done(sample_key), (std::vector<std::string>{"b", "c", "a"}));
}

TEST_F(StoreContents, KeepsTheStartOfEachPlatformUntilItIsMoved) {
  Store store = writer();
  store.set_start(sample_key, "c");
  store.set_start(sample_key, "a");
  EXPECT_EQ(store.start(sample_key), "a");
  EXPECT_EQ(store.start(other_platform), std::nullopt);
  store.set_start(other_platform, "b");
  EXPECT_EQ(store.start(other_platform), "b");
}

TEST_F(StoreContents, ReplacesTheBuildOfACommitAndListsTheFailedOnesNewestFirst) {
  Store store = writer();
  store.save_build(sample_key, {"a", false, "source", "it does not compile", "/logs/a", 1});
  store.save_build(sample_key, {"b", false, "timed_out", "it took too long", "/logs/b", 2});
  store.save_build(sample_key, {"c", true, "", "", "", 3});
  store.save_build(other_watch, {"d", false, "disk", "no room", "", 4});
  auto failed = store.failed_builds(sample_key, 10);
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_EQ(failed[0].commit, "b");
  EXPECT_EQ(failed[1].commit, "a");
  EXPECT_EQ(failed[1].kind, "source");
  EXPECT_EQ(failed[1].sentence, "it does not compile");
  EXPECT_EQ(failed[1].log, "/logs/a");
  EXPECT_EQ(failed[1].at, 1);
  EXPECT_EQ(store.failed_builds(sample_key, 1).size(), 1u);
  EXPECT_TRUE(store.failed_builds(sample_key, 0).empty());

  store.save_build(sample_key, {"b", true, "", "", "", 5});
  EXPECT_TRUE(store.build(sample_key, "b")->succeeded);
  EXPECT_FALSE(store.build(sample_key, "a")->succeeded);
  EXPECT_FALSE(store.build(sample_key, "d").has_value());
  failed = store.failed_builds(sample_key, 10);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].commit, "a");
}

void expect_same(const StoredVerdict& found, const StoredVerdict& wanted) {
  EXPECT_EQ(found.commit, wanted.commit);
  EXPECT_EQ(found.control, wanted.control);
  EXPECT_EQ(found.benchmark, wanted.benchmark);
  EXPECT_EQ(found.metric.name, wanted.metric.name);
  EXPECT_EQ(found.metric.unit, wanted.metric.unit);
  EXPECT_EQ(found.metric.direction, wanted.metric.direction);
  EXPECT_EQ(found.outcome, wanted.outcome);
  EXPECT_EQ(found.note, wanted.note);
  tests::expect_same(found.verdict, wanted.verdict);
  EXPECT_EQ(found.history.settings.margin, wanted.history.settings.margin);
  EXPECT_EQ(found.history.settings.prior_sigma, wanted.history.settings.prior_sigma);
  EXPECT_EQ(found.history.settings.prior_sigma_total, wanted.history.settings.prior_sigma_total);
  EXPECT_EQ(found.history.settings.max_launches, wanted.history.settings.max_launches);
  EXPECT_EQ(found.history.launches, wanted.history.launches);
  EXPECT_EQ(found.seed, wanted.seed);
  EXPECT_EQ(found.at, wanted.at);
  EXPECT_EQ(found.definition.spec, wanted.definition.spec);
  EXPECT_EQ(found.definition.version, wanted.definition.version);
}

TEST_F(StoreContents, KeepsAVerdictExactly) {
  const StoredVerdict verdict = sample_verdict("a", "softmax");
  StoredVerdict added = sample_verdict("a", "new one");
  added.metric = {};
  added.outcome = analysis::Outcome::added;
  added.control.clear();
  added.history = {};
  {
    Store store = writer();
    store.save_step(sample_key, {verdict, {}});
    store.save_step(sample_key, {added, {}});
  }
  const auto found = reader().verdicts(sample_key, "a");
  ASSERT_EQ(found.size(), 2u);
  expect_same(found[0], verdict);
  expect_same(found[1], added);
  EXPECT_TRUE(std::signbit(found[0].history.launches[0]->total));
  EXPECT_TRUE(reader().verdicts(other_platform, "a").empty());
}

TEST_F(StoreContents, ReplacesTheVerdictOfTheSameCommitBenchmarkAndMetric) {
  Store store = writer();
  StoredVerdict verdict = sample_verdict("a", "softmax");
  store.save_step(sample_key, {verdict, {}});
  store.save_step(sample_key, {sample_verdict("b", "softmax"), {}});
  verdict.note = "again";
  store.save_step(sample_key, {verdict, {}});
  verdict.metric.name = "memory";
  store.save_step(sample_key, {verdict, {}});
  ASSERT_EQ(store.verdicts(sample_key, "a").size(), 2u);
  EXPECT_EQ(store.verdicts(sample_key, "a")[0].note, "again");
  const auto newest = store.newest_verdicts(sample_key, 2);
  ASSERT_EQ(newest.size(), 2u);
  EXPECT_EQ(newest[0].metric.name, "memory");
  EXPECT_EQ(newest[1].note, "again");
}

TEST_F(StoreContents, GivesTheEffectsOfUnchangedCommitsNewestFirst) {
  Store store = writer();
  const auto save = [&](const std::string& commit, analysis::Outcome outcome, double ratio) {
    StoredVerdict verdict = sample_verdict(commit, "softmax");
    verdict.outcome = outcome;
    verdict.verdict.ratio.estimate = ratio;
    store.save_step(sample_key, {verdict, {}});
  };
  save("a", analysis::Outcome::unchanged, 1.001);
  save("b", analysis::Outcome::slower, 1.08);
  save("c", analysis::Outcome::unchanged, 0.998);
  save("d", analysis::Outcome::identical, 1);
  save("e", analysis::Outcome::unchanged, 1.002);
  EXPECT_EQ(store.null_effects(sample_key, "softmax", "throughput", 2),
            (std::vector<double>{std::log(1.002), std::log(0.998)}));
  EXPECT_EQ(store.null_effects(sample_key, "softmax", "throughput", 9).size(), 3u);
  EXPECT_TRUE(store.null_effects(sample_key, "softmax", "time", 9).empty());
  EXPECT_TRUE(store.null_effects(sample_key, "conv", "throughput", 9).empty());
}

TEST_F(StoreContents, KeepsTheNewestTenThousandEvents) {
  Store store = writer();
  // Written past the store, because ten thousand transactions that reach the disk take their time.
  tests::tell_sqlite(file(),
                     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10005) "
                     "INSERT INTO event (watch, kind, sentence, at) SELECT 'w', 'fetch', 'old', i FROM n");
  store.add_event({"w", "fetch", "the newest", 20'000});
  EXPECT_EQ(tests::ask_sqlite(file(), "SELECT count(*) FROM event"), "10000");
  const auto events = store.newest_events(2);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].watch, "w");
  EXPECT_EQ(events[0].kind, "fetch");
  EXPECT_EQ(events[0].sentence, "the newest");
  EXPECT_EQ(events[0].at, 20'000);
  EXPECT_EQ(events[1].at, 10'005);
}

TEST_F(StoreContents, TakesForeignTextAsTextAndNeverAsSql) {
  const std::string hostile = "'); DROP TABLE verdict; --\n\"x\" % _ ? \xff";
  const std::string with_nul("a\0b", 3);
  const WatchKey key = {hostile, with_nul};
  {
    Store store = writer();
    store.set_start(key, hostile);
    store.set_done(key, with_nul, 1);
    store.save_build(key, {hostile, false, hostile, with_nul, hostile, 1});
    StoredVerdict verdict = sample_verdict(hostile, with_nul);
    verdict.note = hostile;
    store.save_step(key, {verdict, {}});
    store.add_event({hostile, with_nul, hostile, 1});
  }
  const Store store = reader();
  EXPECT_EQ(store.start(key), hostile);
  EXPECT_EQ(store.last_done(key), with_nul);
  EXPECT_EQ(store.build(key, hostile)->sentence, with_nul);
  ASSERT_EQ(store.verdicts(key, hostile).size(), 1u);
  EXPECT_EQ(store.verdicts(key, hostile)[0].benchmark, with_nul);
  EXPECT_EQ(store.newest_events(1)[0].kind, with_nul);
}

TEST_F(StoreContents, IsAWriteAheadFileThatSaysWhatItIs) {
  const Store store = writer();
  EXPECT_EQ(tests::ask_sqlite(file(), "PRAGMA journal_mode"), "wal");
  EXPECT_EQ(tests::ask_sqlite(file(), "PRAGMA user_version"), "5");
  EXPECT_EQ(tests::ask_sqlite(file(), "PRAGMA application_id"), std::to_string(0x54414e44));
  EXPECT_EQ(tests::ask_sqlite(file(), "PRAGMA foreign_key_check"), "");
}

}  // namespace
}  // namespace tandem::daemon::store
