#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/daemon/reporters/remote_fixture.hpp"
#include "tests/daemon/reporters/sample_run.hpp"

namespace tandem::daemon::harness {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

bool has(const std::optional<std::string>& said, const std::string& part) {
  return said && said->find(part) != std::string::npos;
}

/// What the server does to the first request, and what is said about it. The second is taken.
struct Trouble {
  const char* plan;
  const char* said;
};

class RemoteTrouble : public testing::TestWithParam<Trouble> {};

TEST_P(RemoteTrouble, CostsATryAndTheResultIsDeliveredOnce) {
  const Receiver receiver(GetParam().plan);
  Sender sender(receiver.server.url("/"));
  sender.surroundings.time_out = std::chrono::milliseconds(500);
  Reporters reporters = sender.reporters();
  sender.report(reporters, "a");
  const auto said = reporters.deliver({});
  EXPECT_TRUE(has(said, GetParam().said)) << said.value_or("nothing");
  EXPECT_TRUE(has(said, receiver.server.url("/") + ": ")) << said.value_or("nothing");
  EXPECT_TRUE(has(said, "1 result waits for the server")) << said.value_or("nothing");
  EXPECT_EQ(reporters.waiting(), 1u);

  sender.now += std::chrono::seconds(2);
  // A slow machine may need longer for the good answer than the time-out that the bad one is given.
  sender.surroundings.time_out = std::chrono::seconds(60);
  Reporters patient = sender.reporters();
  EXPECT_EQ(patient.deliver({}), std::nullopt);
  EXPECT_EQ(patient.waiting(), 0u);
  EXPECT_EQ(receiver.kept_ids(), Names{"a/NET latency"});
  EXPECT_EQ(receiver.requests().size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RemoteTrouble,
    testing::Values(Trouble{"500", "answers with status 500"}, Trouble{"503", "answers with status 503"},
                    Trouble{"429", "answers with status 429"}, Trouble{"late", "answers with status 500"},
                    Trouble{"hang", "no whole answer"}, Trouble{"half", "no whole answer"},
                    Trouble{"close", "no whole answer"}, Trouble{"garbage", "no JSON object"},
                    Trouble{"short", "took 0 of 1 logs"}, Trouble{"moved", "check --remote_reporter"}),
    [](const auto& kind) { return "Server_" + std::string(kind.param.plan); });

TEST(RemoteFaults, KnownIdsAreDelivered) {
  for (const char* plan : {"409", "known"}) {
    const Receiver receiver(plan);
    Sender sender(receiver.server.url("/"));
    Reporters reporters = sender.reporters();
    sender.report(reporters, "a");
    EXPECT_EQ(reporters.deliver({}), std::nullopt) << plan;
    EXPECT_EQ(reporters.waiting(), 0u) << plan;
  }
}

TEST(RemoteFaults, AServerThatIsAwayGetsEverythingWhenItIsBack) {
  Receiver receiver;
  Sender sender(receiver.server.url("/"));
  Reporters reporters = sender.reporters();
  sender.report(reporters, "a");
  EXPECT_EQ(reporters.deliver({}), std::nullopt);
  receiver.server.stop();
  sender.report(reporters, "b");
  sender.report(reporters, "c");
  const auto said = reporters.deliver({});
  EXPECT_TRUE(has(said, "2 results wait for the server")) << said.value_or("nothing");

  receiver.server.restart();
  sender.now += std::chrono::seconds(2);
  EXPECT_EQ(reporters.deliver({}), std::nullopt);
  EXPECT_EQ(reporters.waiting(), 0u);
  Names ids = receiver.kept_ids();
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids, (Names{"a/NET latency", "b/NET latency", "c/NET latency"}));
}

TEST(RemoteFaults, AreFollowedByWaitsThatDoubleUpToTenMinutes) {
  const Receiver receiver;
  Sender sender(receiver.server.url("/"));
  sender.settings.remote_reporter = "http://127.0.0.1:1/|perf";  // where nobody listens
  Reporters reporters = sender.reporters();
  sender.report(reporters, "a");
  for (const int seconds : {2, 4, 8, 16, 32, 64, 128, 256, 512, 512, 512}) {
    EXPECT_TRUE(reporters.deliver({})) << seconds;
    sender.now += std::chrono::seconds(seconds) - std::chrono::milliseconds(1);
    EXPECT_EQ(reporters.deliver({}), std::nullopt) << seconds;
    sender.now += std::chrono::milliseconds(1);
  }
  EXPECT_EQ(reporters.waiting(), 1u);
}

TEST(RemoteFaults, EndWithASuccessAndWaitsBeginAnew) {
  const Receiver receiver("500,500,ok,500");
  Sender sender(receiver.server.url("/"));
  Reporters reporters = sender.reporters();
  sender.report(reporters, "a");
  EXPECT_TRUE(reporters.deliver({}));
  sender.now += std::chrono::seconds(2);
  EXPECT_TRUE(reporters.deliver({}));
  sender.now += std::chrono::seconds(4);
  EXPECT_EQ(reporters.deliver({}), std::nullopt);
  sender.report(reporters, "b");
  EXPECT_TRUE(reporters.deliver({}));
  sender.now += std::chrono::seconds(2);
  EXPECT_EQ(reporters.deliver({}), std::nullopt);
  EXPECT_EQ(reporters.waiting(), 0u);
}

TEST(RemoteFaults, OfOneResultDoNotHoldUpTheOthers) {
  const Receiver receiver("500,ok,ok,500");
  Sender sender(receiver.server.url("/"));
  Reporters reporters = sender.reporters();
  for (const char* id : {"a", "b", "c"}) sender.report(reporters, id);
  EXPECT_TRUE(reporters.deliver({}));
  sender.now += std::chrono::seconds(2);
  EXPECT_TRUE(has(reporters.deliver({}), "1 result waits"));
  EXPECT_EQ(receiver.kept_ids(), (Names{"b/NET latency", "c/NET latency"}));
}

TEST(RemoteFaults, AWrongTokenLosesNothing) {
  const Receiver receiver;
  Sender sender(receiver.server.url("/"));
  sender.settings.remote_access_token = "wrong";
  Reporters reporters = sender.reporters();
  sender.report(reporters, "a");
  const auto said = reporters.deliver({});
  EXPECT_TRUE(has(said, "answers with status 401; check --remote_access_token")) << said.value_or("nothing");
  EXPECT_FALSE(has(said, "wrong"));
  EXPECT_EQ(receiver.kept().size(), 0u);

  sender.settings.remote_access_token = "secret";
  Reporters corrected = sender.reporters();
  EXPECT_EQ(corrected.deliver({}), std::nullopt);
  EXPECT_EQ(receiver.kept_ids(), Names{"a/NET latency"});
}

TEST(RemoteFaults, WhatIsRefusedForGoodIsPutAside) {
  const Receiver receiver("422");
  Sender sender(receiver.server.url("/"));
  Reporters reporters = sender.reporters();
  sender.report(reporters, "a");
  sender.report(reporters, "b");
  const auto said = reporters.deliver({});
  EXPECT_TRUE(has(said, "answers with status 422")) << said.value_or("nothing");
  EXPECT_TRUE(has(said, "-a.json was put aside")) << said.value_or("nothing");
  EXPECT_EQ(receiver.kept_ids(), Names{"b/NET latency"});
  EXPECT_EQ(reporters.waiting(), 0u);
  EXPECT_EQ(names_in(sender.spool()).back(), "20240108T100000Z-250000-a.json.refused");
}

TEST(RemoteFaults, ADamagedResultIsPutAside) {
  const Receiver receiver;
  Sender sender(receiver.server.url("/"));
  Reporters reporters = sender.reporters();
  for (const char* id : {"a", "b", "c", "d"}) sender.report(reporters, id);
  const fs::path spool = sender.spool();
  std::ofstream(spool / "20240108T100000Z-250000-a.json") << "";
  fs::resize_file(spool / "20240108T100001Z-250000-b.json", 100);
  fs::remove(spool / "20240108T100002Z-250000-c.json");
  fs::create_directory(spool / "20240108T100002Z-250000-c.json");
  const auto said = reporters.deliver({});
  for (const char* name : {"-a.json is damaged", "-b.json is damaged", "-c.json is damaged"})
    EXPECT_TRUE(has(said, name)) << said.value_or("nothing");
  EXPECT_EQ(receiver.kept_ids(), Names{"d/NET latency"});
  EXPECT_EQ(reporters.waiting(), 0u);
  EXPECT_EQ(reporters.deliver({}), std::nullopt);
}

TEST(RemoteFaults, AStopEndsARequestThatHangs) {
  const Receiver receiver("hang");
  Sender sender(receiver.server.url("/"));
  // Longer than the test may take: only the stop can end it.
  sender.surroundings.time_out = std::chrono::hours(1);
  Reporters reporters = sender.reporters();
  sender.report(reporters, "a");
  std::stop_source stop;
  const std::jthread stopper([&] {
    while (receiver.requests().empty()) std::this_thread::yield();
    stop.request_stop();
  });
  const auto said = reporters.deliver(stop.get_token());
  EXPECT_TRUE(has(said, "the request was stopped")) << said.value_or("nothing");
  EXPECT_EQ(reporters.waiting(), 1u);
  // It was nobody's fault, so the next try is at once.
  EXPECT_EQ(reporters.deliver({}), std::nullopt);
  EXPECT_EQ(receiver.kept_ids(), Names{"a/NET latency"});
}

TEST(RemoteFaults, AFullSpoolRefusesTheNewest) {
  Sender sender("http://127.0.0.1:1/");
  sender.surroundings.most_waiting = 1;
  Reporters reporters = sender.reporters();
  sender.report(reporters, "a");
  RunRecord run = sample_run();
  run.id = "b";
  const auto failures = reporters.report(run);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_TRUE(failures[0].starts_with("--remote_reporter: 1 results wait in ")) << failures[0];
}

}  // namespace
}  // namespace tandem::daemon::harness
