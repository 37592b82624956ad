#include "runners/host/foreground.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::runners {
namespace {

/// Our own threads keep the stopping signals blocked; the command shall not.
class ChildSignals {
 public:
  ChildSignals() {
    sigset_t none;
    ::sigemptyset(&none);
    sigset_t stopping;
    ::sigemptyset(&stopping);
    ::sigaddset(&stopping, SIGINT);
    ::sigaddset(&stopping, SIGTERM);
    ::sigaddset(&stopping, SIGHUP);
    ::sigaddset(&stopping, SIGQUIT);
    ::sigaddset(&stopping, SIGPIPE);
    if (::posix_spawnattr_init(&attributes_) != 0) throw Error("no memory to start a command");
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &stopping);
  }
  ~ChildSignals() { ::posix_spawnattr_destroy(&attributes_); }
  ChildSignals(const ChildSignals&) = delete;
  ChildSignals& operator=(const ChildSignals&) = delete;
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

/// Whether `which` became readable, within the time.
bool readable(int which, std::chrono::milliseconds time) {
  pollfd one{which, POLLIN, 0};
  int found = -1;
  do {
    found = ::poll(&one, 1, static_cast<int>(time.count()));
  } while (found < 0 && errno == EINTR);
  return found > 0;
}

void wait_for_either(int one, int other) {
  std::array<pollfd, 2> both = {pollfd{one, POLLIN, 0}, pollfd{other, POLLIN, 0}};
  while (::poll(both.data(), both.size(), -1) < 0 && errno == EINTR) {
  }
}

}  // namespace

int run_in_foreground(const std::vector<std::string>& argv, const std::stop_token& stop,
                      std::chrono::milliseconds grace) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const ChildSignals signals;
  pid_t child = 0;
  if (const int wrong = ::posix_spawnp(&child, words.front(), nullptr, signals.get(), words.data(), environ);
      wrong != 0) {
    throw InputError(fmt::format("{} cannot be started: {}", argv.front(), std::strerror(wrong)));
  }
  const OwnedDescriptor ended(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  const OwnedDescriptor stopped(::eventfd(0, EFD_CLOEXEC));
  if (ended.get() >= 0 && stopped.get() >= 0) {
    const std::stop_callback tell(stop, [&] {
      const std::uint64_t one = 1;
      static_cast<void>(::write(stopped.get(), &one, sizeof one) == sizeof one);
    });
    wait_for_either(ended.get(), stopped.get());
    for (const int signal : {SIGTERM, SIGKILL}) {
      if (stop.stop_requested() && !readable(ended.get(), grace)) ::kill(child, signal);
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw Error(fmt::format("lost {}: {}", argv.front(), std::strerror(errno)));
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace tandem::runners
