#include "daemon/commands/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "daemon/report/status_report.hpp"
#include "specs/foundation/terminal.hpp"

namespace tandem::daemon::commands {

namespace {

std::string fitted(const std::string& text) {
  winsize size{};
  const std::size_t columns =
      ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10 ? size.ws_col - 1u : 79u;
  return printable(text, columns);
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

namespace {

std::string key_of(const Status::LastVerdict& verdict) {
  return verdict.platform + "\n" + verdict.commit + "\n" + verdict.benchmark;
}

std::string key_of(const Status::FailedBuild& build) {
  return build.platform + "\n" + build.commit;
}

}  // namespace

void Narrator::operator()(const Status& status) {
  if (!started_) {
    // The status already holds what an earlier run found; that is not printed again.
    started_ = true;
    if (!status.failed_builds.empty()) failure_ = key_of(status.failed_builds.front());
    if (!status.last_verdicts.empty()) verdict_ = key_of(status.last_verdicts.front());
  }
  if (status.commit.id != commit_) {
    commit_ = status.commit.id;
    if (!commit_.empty()) say(fmt::format("{} {}", commit_.substr(0, 8), status.commit.subject));
  }
  if (!status.failed_builds.empty() && key_of(status.failed_builds.front()) != failure_) {
    failure_ = key_of(status.failed_builds.front());
    say(fmt::format("  does not build: {}", status.failed_builds.front().sentence));
  }
  if (!status.last_verdicts.empty()) {
    const auto& newest = status.last_verdicts.front();
    if (key_of(newest) != verdict_) {
      verdict_ = key_of(newest);
      const bool screened = newest.sentence.starts_with(newest.outcome) || newest.outcome == "slower" ||
                            newest.outcome == "faster";
      say(fmt::format("  {}: {}{}{}", newest.benchmark, screened ? "" : newest.outcome, screened ? "" : " ",
                      newest.sentence));
    }
  }
  if (status.last_error != error_) {
    error_ = status.last_error;
    say(fmt::format("tandem: {}", error_));
  }
  progress_.update(report::status_line(status));
}

void Narrator::say(const std::string& line) {
  progress_.clear();
  // A commit message must not look like a line of ours.
  show(stderr, "{}\n", printable(line, std::string::npos));
}

}  // namespace tandem::daemon::commands
