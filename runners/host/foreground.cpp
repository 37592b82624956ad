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
#include <memory>

#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::runners {
namespace {

using SpawnAttributes = std::unique_ptr<posix_spawnattr_t, int (*)(posix_spawnattr_t*)>;

/// Our own threads keep the stopping signals blocked; the command shall not.
SpawnAttributes with_all_signals(posix_spawnattr_t& attributes) {
  if (::posix_spawnattr_init(&attributes) != 0) throw Error("no memory to start a command");
  sigset_t none;
  ::sigemptyset(&none);
  sigset_t stopping = none;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::sigaddset(&stopping, number);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &stopping);
  return {&attributes, &::posix_spawnattr_destroy};
}

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
  posix_spawnattr_t room;
  const SpawnAttributes signals = with_all_signals(room);
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
