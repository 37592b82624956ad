#include "daemon/service/event_loop.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

namespace asio = boost::asio;

/// Blocks the stopping signals and returns a descriptor to read them from. A handler would do as well for
/// this process, but a child has it between its fork and its exec, and would report its own signals here.
int take_signals(EventLoop::SecondSignal second) {
  sigset_t stopping;
  ::sigemptyset(&stopping);
  ::sigaddset(&stopping, SIGINT);
  ::sigaddset(&stopping, SIGTERM);
  if (second == EventLoop::SecondSignal::is_ignored) {
    ::sigaddset(&stopping, SIGHUP);
    ::sigaddset(&stopping, SIGQUIT);
    ::signal(SIGPIPE, SIG_IGN);
  }
  ::pthread_sigmask(SIG_BLOCK, &stopping, nullptr);
  const int descriptor = ::signalfd(-1, &stopping, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor < 0) throw Error(fmt::format("cannot listen to signals: {}", std::strerror(errno)));
  return descriptor;
}

bool asks_to_stop(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string word;
  return in >> word && word == "0";
}

}  // namespace

/// Everything in here belongs to the main thread; the command's thread only posts to the context.
struct EventLoop::Events {
  explicit Events(SecondSignal second_signal)
      : second(second_signal), signals(context, take_signals(second_signal)), timer(context) {
    await_signal();
  }

  struct Wait {
    Clock::time_point until;
    std::function<bool()> look;
    std::promise<bool> seen;
  };

  void await_signal() {
    signals.async_wait(asio::posix::stream_descriptor::wait_read, [this](const auto& error) {
      if (error) return;
      signalfd_siginfo signal{};
      while (::read(signals.native_handle(), &signal, sizeof signal) == sizeof signal) {
        if (std::exchange(signalled, true) && second == SecondSignal::ends_at_once) ::_exit(4);
        stop.request_stop();
      }
      look_around();
      await_signal();
    });
  }

  /// Does what is due and sets the one timer to what is due next.
  void look_around() {
    if (!stop_file.empty() && asks_to_stop(stop_file)) stop.request_stop();
    if (wait) {
      try {
        const bool stopped = stop.stop_requested();
        const bool seen = !stopped && wait->look && wait->look();
        if (stopped || seen || Clock::now() >= wait->until) end_wait().set_value(seen);
      } catch (...) {
        end_wait().set_exception(std::current_exception());
      }
    }
    auto next = Clock::time_point::max();
    if (wait) next = wait->until;
    const bool looks = !stop.stop_requested() && (!stop_file.empty() || (wait && wait->look));
    if (looks) next = std::min<Clock::time_point>(next, Clock::now() + look_every);
    timer.expires_at(next);  // what it waited for before is dropped
    if (next == Clock::time_point::max()) return;
    timer.async_wait([this](const auto& error) {
      if (!error) look_around();
    });
  }

  std::promise<bool> end_wait() {
    std::promise<bool> seen = std::move(wait->seen);
    wait.reset();
    return seen;
  }

  static constexpr std::chrono::seconds look_every{1};

  const SecondSignal second;
  asio::io_context context;
  asio::posix::stream_descriptor signals;
  asio::steady_timer timer;
  std::stop_source stop;
  bool signalled = false;
  std::filesystem::path stop_file;
  std::optional<Wait> wait;  ///< of the command, whose thread is blocked as long as there is one
};

EventLoop::EventLoop(SecondSignal second) : events_(std::make_unique<Events>(second)) {}

EventLoop::~EventLoop() = default;

int EventLoop::run(const std::function<int()>& command) {
  std::packaged_task<int()> task(command);
  auto result = task.get_future();
  const std::jthread thread([&] {
    task();
    events_->context.stop();
  });
  events_->context.run();
  return result.get();
}

std::stop_token EventLoop::stop_token() const {
  return events_->stop.get_token();
}

void EventLoop::watch_stop_file(const std::filesystem::path& file) {
  asio::post(events_->context, [events = events_.get(), file] {
    events->stop_file = file;
    events->look_around();
  });
}

bool EventLoop::wait_until(Clock::time_point time, std::function<bool()> look) {
  Events::Wait wait{time, std::move(look), {}};
  auto seen = wait.seen.get_future();
  asio::post(events_->context, [events = events_.get(), wait = std::move(wait)]() mutable {
    events->wait = std::move(wait);
    events->look_around();
  });
  return seen.get();
}

}  // namespace tandem::daemon
