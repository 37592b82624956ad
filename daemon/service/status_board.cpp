#include "daemon/service/status_board.hpp"

#include "daemon/report/status_report.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon {

using Clock = std::chrono::steady_clock;

void StatusBoard::show() {
  if (watcher_) watcher_(status_);
  const bool news = status_.phase != phase_ || status_.commit.id != commit_;
  if (!news && Clock::now() - last_ < std::chrono::seconds{1}) return;
  publish();
}

void StatusBoard::publish() {
  last_ = Clock::now();
  phase_ = status_.phase;
  commit_ = status_.commit.id;
  status_.updated_at = now_seconds();
  try {
    publisher_.publish_status(report::status_json(status_));
  } catch (const std::exception&) {
    // A full disk: the old status stays until there is room again, and the walk says what it met.
  }
}

void StatusBoard::stop() {
  status_.phase = "stopped";
  status_.benchmark.clear();
  publish();
}

}  // namespace tandem::daemon
