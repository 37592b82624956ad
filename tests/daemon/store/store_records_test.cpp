#include "daemon/store/store_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::store {
namespace {

using tests::sample_key;
using tests::sample_verdict;
using tests::thrown_message;

/// A store with five records of different kinds, watches and benchmarks, with ids that begin alike.
class StoreRecords : public tests::StoreTest {
 protected:
  StoreRecords() : store_(file(), Store::Mode::write) {
    records_ = {tests::sample_regression(), tests::sample_improvement(), tests::sample_fixed(),
                tests::sample_not_reproduced(), tests::sample_throughput()};
    const char* const ids[] = {"f000000000000001", "aaaa000000000002", "aaaa000000000003", "aaab000000000004",
                               "0123456789abcdef"};
    for (std::size_t i = 0; i < records_.size(); ++i) records_[i].id = ids[i];
    records_[3].key.platform = "arm";
    records_[4].key.watch = "granite";
    for (const Record& record : records_) save(record);
  }

  void save(const Record& record) {
    store_.save_step(record.key, {sample_verdict(record.treatment.id, record.benchmark), {record}});
  }

  [[nodiscard]] std::vector<std::string> ids(const Store::RecordFilter& filter) const {
    std::vector<std::string> found;
    for (const Record& record : store_.records(filter)) found.push_back(record.id);
    return found;
  }

  Store store_;
  std::vector<Record> records_;
};

TEST_F(StoreRecords, ComeBackWholeAndInTheOrderTheyWereFirstWritten) {
  const auto found = store_.records({});
  ASSERT_EQ(found.size(), records_.size());
  for (std::size_t i = 0; i < found.size(); ++i) tests::expect_same(found[i], records_[i]);
}

TEST_F(StoreRecords, AreFilteredByEachColumnAndAllTogether) {
  using Ids = std::vector<std::string>;
  const auto id = [&](std::size_t i) { return records_[i].id; };
  EXPECT_EQ(ids({.key = WatchKey{"pebble", "linux"}, .benchmark = {}, .kind = {}, .state = {}}),
            (Ids{id(0), id(1), id(2)}));
  EXPECT_EQ(ids({.key = WatchKey{"pebble", "arm"}, .benchmark = {}, .kind = {}, .state = {}}), Ids{id(3)});
  EXPECT_EQ(ids({.key = {}, .benchmark = "conv2d_3x3", .kind = {}, .state = {}}), Ids{id(1)});
  EXPECT_EQ(ids({.key = {}, .benchmark = {}, .kind = RecordKind::regression, .state = {}}),
            (Ids{id(0), id(2), id(4)}));
  EXPECT_EQ(ids({.key = {}, .benchmark = {}, .kind = {}, .state = RecordState::noted}), (Ids{id(1), id(3)}));
  EXPECT_EQ(ids({.key = sample_key,
                 .benchmark = "softmax/1000",
                 .kind = RecordKind::regression,
                 .state = RecordState::fixed}),
            Ids{id(2)});
  EXPECT_EQ(ids({.key = WatchKey{"granite", "arm"}, .benchmark = {}, .kind = {}, .state = {}}), Ids{});
}

TEST_F(StoreRecords, AreReplacedWhenSavedAgainAndStayInTheirPlace) {
  Record changed = tests::sample_fixed();
  changed.id = records_[0].id;
  save(changed);
  const auto found = store_.records({});
  ASSERT_EQ(found.size(), records_.size());
  tests::expect_same(found[0], changed);
  EXPECT_TRUE(ids({.key = {}, .benchmark = {}, .kind = {}, .state = RecordState::open}).empty());
}

RecordChange event_for(const std::string& id, RecordState state) {
  return {id, [state](Record record) {
            record.state = state;
            record.life.push_back({state, 7, "someone", "", ""});
            return record;
          }};
}

TEST_F(StoreRecords, AreChangedAsTheyAreNow) {
  const std::string id = records_[0].id;
  Store other(file(), Store::Mode::write);
  const auto acknowledged = other.save_records({}, {event_for(id, RecordState::acknowledged)});
  ASSERT_EQ(acknowledged.size(), 1u);
  EXPECT_EQ(acknowledged.front().life.size(), 2u);
  const auto partly = store_.save_records({}, {event_for(id, RecordState::partly_fixed)});
  ASSERT_EQ(partly.front().life.size(), 3u) << "what the other process did is kept";
  tests::expect_same(*other.record(id), partly.front());
  const auto both = store_.save_records(
      {}, {event_for(id, RecordState::fixed), event_for(records_[1].id, RecordState::superseded)});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].state, RecordState::fixed);
  EXPECT_EQ(both[1].id, records_[1].id);
}

TEST_F(StoreRecords, KeepANameThatIsNotUtf8) {
  Record record = records_[0];
  record.id = "eeee000000000003";
  record.benchmark = "sum\xff";
  store_.save_records({record}, {});
  EXPECT_EQ(store_.record(record.id)->benchmark, "sum\xff");
  EXPECT_EQ(store_.records({{}, "sum\xff", {}, {}}).front().benchmark, "sum\xff");
  const auto changed = store_.save_records({}, {event_for(record.id, RecordState::fixed)});
  EXPECT_EQ(changed.front().benchmark, "sum\xff");
  EXPECT_EQ(store_.record(record.id)->benchmark, "sum\xff");
}

TEST_F(StoreRecords, AreChangedTogetherOrNotAtAll) {
  Record fresh = tests::sample_regression();
  fresh.id = "eeee000000000001";
  const std::string id = records_[0].id;
  const RecordChange refused = {id, [](Record) -> Record { throw InputError("it may not"); }};
  EXPECT_THROW(store_.save_records({fresh}, {event_for(id, RecordState::fixed), refused}), InputError);
  EXPECT_EQ(store_.record(id)->state, RecordState::open);
  EXPECT_FALSE(store_.record(fresh.id));
  EXPECT_THROW(store_.save_records({fresh}, {event_for("eeee000000000002", RecordState::fixed)}), Error);
  EXPECT_FALSE(store_.record(fresh.id));
  store_.save_records({fresh}, {event_for(fresh.id, RecordState::fixed)});
  EXPECT_EQ(store_.record(fresh.id)->state, RecordState::fixed) << "a new one can be changed at once";
}

TEST_F(StoreRecords, AreChangedWithTheVerdictThatChangesThem) {
  Store::Step step{sample_verdict("a", "softmax/1000"), {}, {}};
  step.changes = {event_for(records_[0].id, RecordState::fixed)};
  const auto changed = store_.save_step(sample_key, step);
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed.front().state, RecordState::fixed);
  EXPECT_EQ(store_.record(records_[0].id)->state, RecordState::fixed);
  step.verdict = sample_verdict("b", "softmax/1000");
  step.changes = {event_for("eeee000000000002", RecordState::fixed)};
  EXPECT_THROW(store_.save_step(sample_key, step), Error);
  EXPECT_TRUE(store_.verdicts(sample_key, "b").empty());
}

TEST_F(StoreRecords, AreChangedByTwoProcessesWithoutLoss) {
  constexpr int rounds = 40;
  const std::string id = records_[0].id;
  tests::Child child([&] {
    Store other(file(), Store::Mode::write);
    for (int i = 0; i < rounds; ++i) other.save_records({}, {event_for(id, RecordState::acknowledged)});
  });
  Store ours(file(), Store::Mode::write);
  for (int i = 0; i < rounds; ++i) ours.save_records({}, {event_for(id, RecordState::partly_fixed)});
  ASSERT_TRUE(child.succeeds());
  EXPECT_EQ(store_.record(id)->life.size(), 1u + 2 * rounds);
}

TEST_F(StoreRecords, AreAliveWhileTheyAreOpenAcknowledgedOrPartlyFixed) {
  const auto living = [&](const std::optional<WatchKey>& key) {
    std::vector<std::string> found;
    for (const Record& record : store_.living(key)) found.push_back(record.id);
    return found;
  };
  EXPECT_EQ(living({}), std::vector<std::string>{records_[0].id});
  for (const RecordState alive : {RecordState::acknowledged, RecordState::partly_fixed}) {
    store_.save_records({}, {event_for(records_[0].id, alive)});
    EXPECT_EQ(living(sample_key), std::vector<std::string>{records_[0].id}) << name_of(alive);
    EXPECT_TRUE(living(WatchKey{"granite", "linux"}).empty());
  }
  for (const RecordState ended : {RecordState::fixed, RecordState::recovered, RecordState::accepted,
                                  RecordState::false_alarm, RecordState::superseded, RecordState::noted}) {
    store_.save_records({}, {event_for(records_[0].id, ended)});
    EXPECT_TRUE(living({}).empty()) << name_of(ended);
    EXPECT_EQ(store_.record(records_[0].id)->state, ended);
  }
}

TEST_F(StoreRecords, AreFoundByTheBeginningOfTheirId) {
  EXPECT_EQ(store_.record("f000")->id, records_[0].id);
  EXPECT_EQ(store_.record("aaaa000000000002")->id, "aaaa000000000002");
  EXPECT_EQ(store_.record("AAAB")->id, "aaab000000000004");
  EXPECT_EQ(store_.record("0123456789abcdef")->id, "0123456789abcdef");
}

TEST_F(StoreRecords, SayWhichOnesABeginningFits) {
  EXPECT_THROW(static_cast<void>(store_.record("aaaa")), InputError);
  const std::string message = thrown_message([&] { static_cast<void>(store_.record("aaaa")); });
  EXPECT_EQ(message, "\"aaaa\" fits several reports: aaaa000000000002, aaaa000000000003; write more digits");
}

TEST_F(StoreRecords, AreMissedWithASentenceExceptByAWholeId) {
  EXPECT_THROW(static_cast<void>(store_.record("beef")), InputError);
  EXPECT_EQ(thrown_message([&] { static_cast<void>(store_.record("beef")); }),
            "no report's id begins with \"beef\"");
  EXPECT_FALSE(store_.record("beefbeefbeefbeef").has_value());
}

TEST_F(StoreRecords, RefuseWhatIsNoBeginningOfAnId) {
  for (const char* text : {"", "f00", "f00g", "%", "f000%", "aaaa'", "0123456789abcdef0"}) {
    EXPECT_THROW(static_cast<void>(store_.record(text)), InputError) << text;
  }
}

TEST_F(StoreRecords, NameAtMostEightOfThoseThatFit) {
  for (int i = 0; i < 9; ++i) {
    Record record = tests::sample_regression();
    record.id = "cccc00000000000" + std::to_string(i);
    save(record);
  }
  const std::string message = thrown_message([&] { static_cast<void>(store_.record("cccc")); });
  EXPECT_NE(message.find("cccc000000000007 and others;"), std::string::npos) << message;
}

}  // namespace
}  // namespace tandem::daemon::store
