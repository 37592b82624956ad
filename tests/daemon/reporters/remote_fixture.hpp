#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "daemon/harness/reporter.hpp"
#include "tests/support/server_process.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tandem::daemon::harness {

/// tests/support/receiver.py with the token "secret". What it keeps outlives a restart.
class Receiver {
 public:
  explicit Receiver(const std::string& plan = "");

  [[nodiscard]] nlohmann::json kept() const;      ///< [{id, category, message}, …]
  [[nodiscard]] nlohmann::json requests() const;  ///< [{path, key, did}, …]
  /// The ids of what it keeps, in the order they came.
  [[nodiscard]] std::vector<std::string> kept_ids() const;

  tests::TemporaryDirectory home;
  tests::ServerProcess server;
};

/// A reporting process with a spool and a clock of the test's own.
struct Sender {
  explicit Sender(const std::string& url);

  [[nodiscard]] Reporters reporters();
  /// The run with this id, a second later than the one before, into the spool.
  void report(Reporters& reporters, const std::string& id);
  /// Where what waits lies.
  [[nodiscard]] std::filesystem::path spool() const;

  tests::TemporaryDirectory home;
  ReporterSettings settings;
  ReporterSurroundings surroundings;
  std::chrono::steady_clock::time_point now{std::chrono::hours(1000)};
  int reported = 0;
};

}  // namespace tandem::daemon::harness
