#include "daemon/commands/narrator.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "daemon/report/status_report.hpp"
#include "daemon/terminal.hpp"

namespace tandem::daemon::commands {
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
    // What an earlier run found is in the status already; it is no news.
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
  show(stderr, "{}\n", specs::printable(line, std::string::npos));
}

}  // namespace tandem::daemon::commands
