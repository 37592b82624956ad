#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "runners/process.hpp"

namespace tandem::runners {

using How = Finished::How;

Finished run_command(const Command& command, const Limits& limits, std::stop_token stop) {
  Children children;
  Children::Options options;
  options.output_bytes = limits.output_bytes;
  const auto deadline = Children::Clock::now() + limits.deadline;
  const std::size_t child = children.start(command, options);
  while (children.running(child)) {
    const auto event = children.wait(deadline, stop);
    if (event.kind == Children::Event::Kind::deadline) children.end(child, How::timed_out);
    if (event.kind == Children::Event::Kind::stopped) children.end(child, How::stopped);
  }
  return children.finished(child);
}

std::string describe(const Finished& finished) {
  switch (finished.how) {
    case How::exited:
      return fmt::format("exited with status {}", finished.code);
    case How::signalled:
      return fmt::format("was killed by signal {} ({})", finished.code, ::strsignal(finished.code));
    case How::timed_out:
      return "did not end before its deadline";
    case How::flooded:
      return "wrote more output than allowed";
    case How::over_memory:
      return "used more memory than allowed";
    case How::over_disk:
      return "wrote more to the disk than allowed";
    case How::over_processes:
      return "started more processes than allowed";
    case How::no_sandbox:
      return "could not be put into a sandbox";
    case How::not_started:
      return fmt::format("could not be started: {}", std::strerror(finished.code));
    case How::stopped:
      return "was stopped";
  }
  return "ended";
}

std::vector<std::string> current_environment() {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  return environment;
}

}  // namespace tandem::runners
