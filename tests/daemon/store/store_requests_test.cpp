#include "daemon/store/store_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::store {
namespace {

using StoreRequests = tests::StoreTest;

Request sample_request(const std::string& watch = "pebble") {
  Request request;
  request.kind = Request::Kind::bisect;
  request.key = {watch, "linux"};
  request.commit = "main";
  request.against = "v1'--";
  request.benchmark = "softmax/1000";
  request.record = "0123456789abcdef";
  request.by = "ada";
  request.at = 1'704'705'120;
  return request;
}

TEST_F(StoreRequests, ComeBackWhole) {
  const std::int64_t id = writer().add_request(sample_request());
  const auto found = reader().request(id);
  ASSERT_TRUE(found);
  const Request wanted = sample_request();
  EXPECT_EQ(found->id, id);
  EXPECT_EQ(found->kind, wanted.kind);
  EXPECT_EQ(found->key, wanted.key);
  EXPECT_EQ(found->commit, wanted.commit);
  EXPECT_EQ(found->against, wanted.against);
  EXPECT_EQ(found->benchmark, wanted.benchmark);
  EXPECT_EQ(found->record, wanted.record);
  EXPECT_EQ(found->by, wanted.by);
  EXPECT_EQ(found->at, wanted.at);
  EXPECT_EQ(found->state, Request::State::waiting);
  EXPECT_EQ(found->progress, "");
  EXPECT_EQ(found->answer, "");
  EXPECT_FALSE(reader().request(id + 1));
}

TEST_F(StoreRequests, WaitInTheirOrderUntilTheyAreAnswered) {
  Store store = writer();
  const auto first = store.add_request(sample_request());
  const auto second = store.add_request(sample_request("granite"));
  const auto third = store.add_request(sample_request());
  const auto ids = [](const std::vector<Request>& requests) {
    std::vector<std::int64_t> list;
    for (const Request& one : requests) list.push_back(one.id);
    return list;
  };
  using Ids = std::vector<std::int64_t>;
  EXPECT_EQ(ids(store.waiting_requests()), (Ids{first, second, third}));
  EXPECT_EQ(ids(store.waiting_requests("pebble")), (Ids{first, third}));
  EXPECT_TRUE(store.waiting_requests("nobody").empty());
  Request running = *store.request(first);
  running.state = Request::State::running;
  running.progress = "half";
  store.update_request(running);
  EXPECT_EQ(ids(store.waiting_requests()), (Ids{second, third}));
  EXPECT_EQ(store.request(first)->progress, "half");
  running.state = Request::State::done;
  running.progress.clear();
  running.answer = "unchanged";
  store.update_request(running);
  EXPECT_EQ(store.request(first)->state, Request::State::done);
  EXPECT_EQ(store.request(first)->answer, "unchanged");
  EXPECT_EQ(ids(store.newest_requests(2)), (Ids{third, second}));
}

TEST_F(StoreRequests, AreTakenOrEndedOnlyWhileTheyWait) {
  Store store = writer();
  Request request = *store.request(store.add_request(sample_request()));
  request.state = Request::State::failed;
  request.answer = "cancelled";
  EXPECT_TRUE(store.update_waiting_request(request));
  request.state = Request::State::running;
  EXPECT_FALSE(store.update_waiting_request(request)) << "the daemon comes too late";
  EXPECT_EQ(store.request(request.id)->state, Request::State::failed);
  request.id += 1;
  EXPECT_FALSE(store.update_waiting_request(request)) << "there is none";
}

TEST_F(StoreRequests, WaitAgainAfterACrash) {
  Store store = writer();
  Request request = *store.request(store.add_request(sample_request()));
  const auto done = store.add_request(sample_request());
  request.state = Request::State::running;
  request.progress = "half";
  store.update_request(request);
  Request ended = *store.request(done);
  ended.state = Request::State::done;
  store.update_request(ended);
  store.let_running_requests_wait();
  EXPECT_EQ(store.request(request.id)->state, Request::State::waiting);
  EXPECT_EQ(store.request(request.id)->progress, "");
  EXPECT_EQ(store.request(done)->state, Request::State::done);
}

TEST_F(StoreRequests, FailsWhenTheDaemonEndedThreeTimesWithIt) {
  Store store = writer();
  const auto id = store.add_request(sample_request());
  for (int attempt = 1; attempt <= 3; ++attempt) {
    Request request = *store.request(id);
    EXPECT_EQ(request.state, Request::State::waiting);
    request.state = Request::State::running;
    store.update_request(request);
    store.let_running_requests_wait();
    EXPECT_EQ(store.request(id)->attempts, attempt);
  }
  EXPECT_EQ(store.request(id)->state, Request::State::failed);
  EXPECT_EQ(store.request(id)->answer, "the daemon ended three times while it worked on this");
  EXPECT_EQ(store.request(id)->code, 4);
}

TEST_F(StoreRequests, AreAddedWithTheRecordsTheyAreForOrNotAtAll) {
  Store store = writer();
  const Record record = tests::sample_regression();
  const std::vector<Request> wanted = {sample_request(), sample_request()};
  store.save_records({record}, {}, wanted);
  ASSERT_EQ(store.waiting_requests().size(), 2u);
  EXPECT_NE(store.waiting_requests()[0].id, store.waiting_requests()[1].id);
  const RecordChange refused{record.id, [](const Record&) -> Record { throw InputError("no"); }};
  EXPECT_THROW(store.save_records({}, {refused}, wanted), InputError);
  EXPECT_EQ(store.waiting_requests().size(), 2u);
  Store::Step step = tests::sample_step(1);
  step.requests = wanted;
  store.save_step(tests::sample_key, step);
  EXPECT_EQ(store.waiting_requests().size(), 4u);
}

TEST_F(StoreRequests, MayBeAddedByTheChangeOfARecord) {
  Store store = writer();
  const Record record = tests::sample_regression();
  store.save_records({record}, {});
  std::vector<Request> wanted;
  const RecordChange change{record.id, [&](Record one) {
                              wanted.push_back(sample_request());
                              return one;
                            }};
  store.save_records({}, {change}, wanted);
  EXPECT_EQ(store.waiting_requests().size(), 1u);
}

TEST_F(StoreRequests, AnUnreadableOneIsAnErrorThatNamesTheFile) {
  Store store = writer();
  const auto id = store.add_request(sample_request());
  tests::tell_sqlite(file(), "UPDATE request SET state = 'asleep'");
  const std::string message = tests::thrown_message([&] { static_cast<void>(store.request(id)); });
  EXPECT_NE(message.find(file().string()), std::string::npos) << message;
}

}  // namespace
}  // namespace tandem::daemon::store
