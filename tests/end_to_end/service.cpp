#include "end_to_end/service.hpp"

#include <signal.h>
#include <sys/wait.h>

namespace tandem::tests {

using runners::Children;

Service::Service(const runners::Command& command) : child_(children_.start(command, {})) {}

void Service::signal(int number) const {
  ::kill(pid(), number);
}

void Service::kill() const {
  signal(SIGKILL);
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(pid()), &ended, WEXITED | WNOWAIT);
}

bool Service::until(const std::function<bool()>& condition) {
  const auto give_up = Children::Clock::now() + std::chrono::minutes{1};
  while (!condition()) {
    if (!children_.running(child_) || Children::Clock::now() > give_up) return false;
    static_cast<void>(children_.wait(Children::Clock::now() + std::chrono::milliseconds{5}, {}));
  }
  return true;
}

std::optional<runners::Finished> Service::end_within(std::chrono::milliseconds time) {
  const auto deadline = Children::Clock::now() + time;
  while (children_.running(child_)) {
    if (children_.wait(deadline, {}).kind == Children::Event::Kind::deadline) return std::nullopt;
  }
  return children_.finished(child_);
}

}  // namespace tandem::tests
