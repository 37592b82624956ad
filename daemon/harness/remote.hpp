#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "daemon/harness/remote_request.hpp"
#include "daemon/harness/report_files.hpp"
#include "daemon/harness/reporter.hpp"
#include "daemon/records/run_record.hpp"

namespace tandem::daemon::harness {

/// Sends runs to a server (REMOTE.md). A run is written to the spool first and leaves it when the server has
/// it, so that it is sent at least once; servers keep a log once by its id.
class Remote {
 public:
  Remote(const ReporterSettings& settings, ReporterSurroundings surroundings);

  /// Throws Error if it cannot be kept.
  void add(const RunRecord& record) const;
  /// As Reporters::deliver says. Threads may call it beside `add`; of several callers with one spool, in any
  /// process, one sends.
  [[nodiscard]] std::optional<std::string> deliver(const std::stop_token& stop);
  [[nodiscard]] std::size_t waiting() const { return spool_.waiting().size(); }

 private:
  enum class Sent { done, failed, stopped };
  [[nodiscard]] Sent send(const std::filesystem::path& file, const std::stop_token& stop, std::string& said);
  [[nodiscard]] std::vector<std::filesystem::path> in_turn() const;
  void back_off();

  Address address_;
  std::string token_;
  ReporterSurroundings surroundings_;
  Spool spool_;
  std::mutex sending_;
  std::size_t failures_ = 0;
  std::chrono::steady_clock::time_point not_before_;
  std::filesystem::path failed_;  ///< the last that failed: others go first, should it be its own fault
};

}  // namespace tandem::daemon::harness
