#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "tests/daemon/reporters/remote_fixture.hpp"
#include "tests/daemon/reporters/sample_run.hpp"

namespace tandem::daemon::harness {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

TEST(RemoteReporter, DeliversWhatWasReported) {
  const Receiver receiver;
  Sender sender(receiver.server.url("/log"));
  Reporters reporters = sender.reporters();
  EXPECT_TRUE(reporters.report(sample_comparison()).empty());
  EXPECT_EQ(reporters.waiting(), 1u);
  EXPECT_EQ(receiver.requests().size(), 0u);

  EXPECT_EQ(reporters.deliver({}), std::nullopt);
  EXPECT_EQ(reporters.waiting(), 0u);
  EXPECT_EQ(receiver.kept_ids(), (Names{"run-1/NET latency", "run-1/ID_0_Conv latency"}));
  const auto kept = receiver.kept();
  EXPECT_EQ(kept[0]["category"], "perf");
  EXPECT_EQ(kept[0]["message"]["double"]["p0"], 0.8);
  EXPECT_EQ(kept[0]["message"]["normal"]["verdict"], "slower");
  EXPECT_EQ(receiver.requests()[0]["key"], "run-1");
  EXPECT_EQ(receiver.requests()[0]["path"], "/log");
}

TEST(RemoteReporter, DeliversOldestFirst) {
  const Receiver receiver;
  Sender sender(receiver.server.url("/"));
  Reporters reporters = sender.reporters();
  for (const char* id : {"c", "a", "b"}) sender.report(reporters, id);
  EXPECT_EQ(reporters.deliver({}), std::nullopt);
  EXPECT_EQ(receiver.kept_ids(), (Names{"c/NET latency", "a/NET latency", "b/NET latency"}));
}

TEST(RemoteReporter, DeliversEveryDigitOfManyValues) {
  const Receiver receiver;
  Sender sender(receiver.server.url("/"));
  Reporters reporters = sender.reporters();
  RunRecord run = sample_run();
  std::vector<double> values = {0.8, 1e-9, 9007199254740992.0, 0.1 + 0.2};
  for (int i = 0; i < 3000; ++i) values.push_back(i / 7.0);
  run.series = {series_of("NET", "latency", values)};
  EXPECT_TRUE(reporters.report(run).empty());
  EXPECT_EQ(reporters.deliver({}), std::nullopt);
  EXPECT_EQ(receiver.kept()[0]["message"]["normvector"]["values"].get<std::vector<double>>(), values);
}

TEST(RemoteReporter, DeliversWhatAnEarlierProcessLeft) {
  const Receiver receiver;
  Sender sender(receiver.server.url("/"));
  {
    Reporters before = sender.reporters();
    sender.report(before, "a");
  }
  Reporters after = sender.reporters();
  EXPECT_EQ(after.waiting(), 1u);
  EXPECT_EQ(after.deliver({}), std::nullopt);
  EXPECT_EQ(receiver.kept_ids(), Names{"a/NET latency"});
}

TEST(RemoteReporter, KilledBetweenAnswerAndRemovalDeliversOnce) {
  const Receiver receiver;
  Sender sender(receiver.server.url("/"));
  Reporters reporters = sender.reporters();
  sender.report(reporters, "a");
  const fs::path spool = sender.spool();
  fs::copy(spool, sender.home.path() / "before");
  EXPECT_EQ(reporters.deliver({}), std::nullopt);
  fs::copy(sender.home.path() / "before", spool,
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  ASSERT_EQ(reporters.waiting(), 1u);

  EXPECT_EQ(reporters.deliver({}), std::nullopt);
  EXPECT_EQ(reporters.waiting(), 0u);
  EXPECT_EQ(receiver.requests().size(), 2u);
  EXPECT_EQ(receiver.kept_ids(), Names{"a/NET latency"});
}

TEST(RemoteReporter, DoesNotSendToOneServerWhatWaitsForAnother) {
  const Receiver first;
  const Receiver second;
  Sender sender(first.server.url("/"));
  Reporters to_first = sender.reporters();
  sender.report(to_first, "a");
  sender.settings.remote_reporter = second.server.url("/") + "|perf";
  Reporters to_second = sender.reporters();
  EXPECT_EQ(to_second.waiting(), 0u);
  EXPECT_EQ(to_second.deliver({}), std::nullopt);
  EXPECT_EQ(second.requests().size(), 0u);
  EXPECT_EQ(to_first.deliver({}), std::nullopt);
  EXPECT_EQ(first.kept_ids(), Names{"a/NET latency"});
}

TEST(RemoteReporter, NeverWritesTheTokenDown) {
  const Receiver receiver("echo,500");
  Sender sender(receiver.server.url("/"));
  sender.settings.remote_access_token = "secret";
  Reporters reporters = sender.reporters();
  sender.report(reporters, "a");
  std::string said = reporters.deliver({}).value_or("");
  sender.now += std::chrono::hours(1);
  said += reporters.deliver({}).value_or("");
  EXPECT_FALSE(said.empty());
  EXPECT_EQ(said.find("secret"), std::string::npos) << said;
  for (const auto& entry : fs::recursive_directory_iterator(sender.home.path())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(content(entry.path()).find("secret"), std::string::npos) << entry.path();
  }
}

/// Delivers until nothing waits.
void drain(Reporters& reporters) {
  while (reporters.waiting() > 0) static_cast<void>(reporters.deliver({}));
}

std::set<std::string> keys_of_requests(const Receiver& receiver) {
  std::set<std::string> keys;
  for (const auto& request : receiver.requests()) keys.insert(request["key"]);
  return keys;
}

TEST(RemoteReporter, SendsOnceFromTwoThreadsWithOneSpool) {
  const Receiver receiver;
  Sender sender(receiver.server.url("/"));
  Reporters one = sender.reporters();
  Reporters other = sender.reporters();
  for (int i = 0; i < 20; ++i) sender.report(one, "r" + std::to_string(i));
  {
    const std::jthread beside([&] { drain(other); });
    drain(one);
  }
  EXPECT_EQ(receiver.requests().size(), 20u);
  EXPECT_EQ(keys_of_requests(receiver).size(), 20u);
  EXPECT_EQ(receiver.kept().size(), 20u);
}

TEST(RemoteReporter, SendsOnceFromTwoProcessesWithOneSpool) {
  const Receiver receiver;
  Sender sender(receiver.server.url("/"));
  Reporters mine = sender.reporters();
  for (int i = 0; i < 20; ++i) sender.report(mine, "r" + std::to_string(i));
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Reporters reporters = sender.reporters();
      drain(reporters);
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(receiver.requests().size(), 20u);
  EXPECT_EQ(keys_of_requests(receiver).size(), 20u);
}

TEST(RemoteReporter, ReportsWhileItDelivers) {
  const Receiver receiver;
  Sender sender(receiver.server.url("/"));
  Reporters reporters = sender.reporters();
  {
    const std::jthread deliverer([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) static_cast<void>(reporters.deliver({}));
    });
    for (int i = 0; i < 20; ++i) sender.report(reporters, "r" + std::to_string(i));
  }
  drain(reporters);
  EXPECT_EQ(receiver.kept().size(), 20u);
}

}  // namespace
}  // namespace tandem::daemon::harness
