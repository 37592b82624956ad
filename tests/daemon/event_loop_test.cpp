#include "daemon/service/event_loop.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "specs/foundation/error.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::daemon {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using Clock = EventLoop::Clock;

/// Whether a stop is requested, soon.
bool is_stopped(const EventLoop& events) {
  static_cast<void>(pause_unless_stopped(std::chrono::minutes{1}, events.stop_token()));
  return events.stop_token().stop_requested();
}

TEST(EventLoopTest, GivesTheResultOfTheCommand) {
  EventLoop events;
  EXPECT_EQ(events.run([] { return 3; }), 3);
}

TEST(EventLoopTest, ThrowsWhatTheCommandThrows) {
  EventLoop events;
  EXPECT_THROW(events.run([]() -> int { throw InputError("wrong"); }), InputError);
}

TEST(EventLoopTest, WaitsUntilTheTime) {
  EventLoop events;
  const auto time = Clock::now() + milliseconds{20};
  events.run([&] {
    EXPECT_FALSE(events.wait_until(time));
    return 0;
  });
  EXPECT_GE(Clock::now(), time);
}

TEST(EventLoopTest, LooksAtOnceAndAgainWhileItWaits) {
  EventLoop events;
  int looks = 0;
  events.run([&] {
    EXPECT_TRUE(events.wait_until(Clock::now() + hours{1}, [&] { return ++looks == 1; }));
    EXPECT_TRUE(events.wait_until(Clock::now() + hours{1}, [&] { return ++looks == 3; }));
    return 0;
  });
  EXPECT_EQ(looks, 3);
}

TEST(EventLoopTest, LooksEvenWhenTheTimeHasPassed) {
  EventLoop events;
  events.run([&] {
    EXPECT_TRUE(events.wait_until(Clock::now(), [] { return true; }));
    EXPECT_FALSE(events.wait_until(Clock::now(), [] { return false; }));
    return 0;
  });
}

TEST(EventLoopTest, ThrowsWhatALookThrows) {
  EventLoop events;
  events.run([&] {
    EXPECT_THROW(events.wait_until(Clock::now() + hours{1}, []() -> bool { throw Error("no store"); }),
                 Error);
    return 0;
  });
}

TEST(EventLoopTest, StopsAtASignalWhichEndsAWait) {
  for (const int signal : {SIGINT, SIGTERM}) {
    EventLoop events;
    events.run([&] {
      ::kill(::getpid(), signal);
      EXPECT_FALSE(events.wait_until(Clock::now() + hours{1}));
      EXPECT_TRUE(events.stop_token().stop_requested());
      EXPECT_FALSE(events.wait_until(Clock::now() + hours{1}, [] { return true; }))
          << "nor does it look then";
      return 0;
    });
  }
}

TEST(EventLoopTest, IgnoresASecondSignalIfItMustNotEnd) {
  EventLoop events(EventLoop::SecondSignal::is_ignored);
  EXPECT_EQ(events.run([&] {
    for (const int signal : {SIGHUP, SIGTERM, SIGINT}) {
      ::kill(::getpid(), signal);
      EXPECT_TRUE(is_stopped(events));
    }
    return 5;
  }),
            5);
}

TEST(EventLoopDeathTest, EndsTheProcessAtASecondSignal) {
  const auto signal_twice = [] {
    EventLoop events;
    events.run([&] {
      ::kill(::getpid(), SIGTERM);
      EXPECT_TRUE(is_stopped(events));
      ::kill(::getpid(), SIGINT);
      for (;;) ::pause();
      return 0;
    });
  };
  EXPECT_EXIT(signal_twice(), testing::ExitedWithCode(4), "");
}

TEST(EventLoopTest, StopsWhenTheStopFileBecomesZero) {
  auto name = (std::filesystem::temp_directory_path() / "tandem-stop-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const std::filesystem::path file = std::filesystem::path(name) / "stop";
  EventLoop events;
  events.run([&] {
    events.watch_stop_file(file);
    EXPECT_FALSE(events.wait_until(Clock::now() + milliseconds{10}));
    EXPECT_FALSE(events.stop_token().stop_requested()) << "it is not there";
    std::ofstream(file) << "1\n";
    events.watch_stop_file(file);
    EXPECT_FALSE(events.wait_until(Clock::now() + milliseconds{10}));
    EXPECT_FALSE(events.stop_token().stop_requested());
    std::ofstream(file) << "0\n";
    EXPECT_TRUE(is_stopped(events)) << "though nothing waits in the loop";
    return 0;
  });
  std::filesystem::remove_all(name);
}

}  // namespace
}  // namespace tandem::daemon
