#include "daemon/commands/progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "daemon/terminal.hpp"

namespace tandem::daemon::commands {
namespace {

std::string fitted(const std::string& text) {
  winsize size{};
  const std::size_t columns =
      ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10 ? size.ws_col - 1u : 79u;
  return specs::printable(text, columns);
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::step(const std::string& text) {
  if (!terminal_) {
    show(stderr, "{}\n", text);
    return;
  }
  last_ = {};
  update(text);
}

void ProgressLine::say(const std::string& sentence) {
  clear();
  show(stderr, "tandem: {}\n", sentence);
}

void ProgressLine::update(const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - last_ < std::chrono::milliseconds{100}) return;
  last_ = now;
  shown_ = true;
  fmt::print(stderr, "\r\x1b[K{}", fitted(text));
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tandem::daemon::commands
