#include "daemon/service/stop.hpp"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <fstream>
#include <mutex>
#include <string>
#include <utility>

namespace tandem::daemon {

namespace {

bool asks_to_stop(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string word;
  return in >> word && word == "0";
}

}  // namespace

StopFile::StopFile(std::filesystem::path file, std::stop_source& stop) {
  if (file.empty()) return;
  watcher_ = std::jthread([file = std::move(file), &stop](const std::stop_token& leaving) {
    std::mutex mutex;
    std::condition_variable_any condition;
    std::unique_lock lock(mutex);
    while (!leaving.stop_requested()) {
      if (asks_to_stop(file)) stop.request_stop();
      condition.wait_for(lock, leaving, std::chrono::seconds{1}, [] { return false; });
    }
  });
}

namespace {

sigset_t stopping_signals(StopSignals::Second second) {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  if (second == StopSignals::Second::is_ignored) {
    ::sigaddset(&set, SIGHUP);
    ::sigaddset(&set, SIGQUIT);
  }
  return set;
}

}  // namespace

StopSignals::StopSignals(Second second) {
  const sigset_t set = stopping_signals(second);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  if (second == Second::is_ignored) ::signal(SIGPIPE, SIG_IGN);
  watcher_ = std::jthread([this, second](const std::stop_token& leaving) {
    const sigset_t watched = stopping_signals(second);
    while (!leaving.stop_requested()) {
      // The destructor wakes us with a signal of its own to this thread; the time-out is only a net below it.
      constexpr timespec net{1, 0};
      if (::sigtimedwait(&watched, nullptr, &net) < 0 || leaving.stop_requested()) continue;
      if (source_.stop_requested() && second == Second::ends_at_once) ::_exit(4);
      source_.request_stop();
    }
  });
}

StopSignals::~StopSignals() {
  watcher_.request_stop();
  ::pthread_kill(watcher_.native_handle(), SIGTERM);
}

}  // namespace tandem::daemon
