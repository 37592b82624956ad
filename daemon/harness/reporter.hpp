#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "daemon/harness/remote.hpp"
#include "daemon/records/run_record.hpp"

namespace tandem::daemon::harness {

/// Where results go, one field for each flag of the same name. What is empty is not reported to.
struct ReporterSettings {
  std::filesystem::path local_reporter = {};         ///< FAI-PEP's tree
  std::filesystem::path simple_local_reporter = {};  ///< DIR/IDENTIFIER/data.txt, replaced by each run
  bool screen_reporter = false;                      ///< a table on standard output
  std::filesystem::path csv_reporter = {};           ///< a file that grows by one line for each series
  std::filesystem::path json_lines_reporter = {};    ///< a file that grows by one line for each run
  std::string remote_reporter = {};      ///< "URL|CATEGORY"; https is meant where no scheme stands
  std::string remote_access_token = {};  ///< never shown, stored or logged
  std::filesystem::path spool = {};      ///< where results wait for the server
};

/// Throws InputError: the remote reporter without category, a URL that is none, and the like.
void check(const ReporterSettings& settings);

/// Whether there is anybody to report to.
[[nodiscard]] bool names_a_reporter(const ReporterSettings& settings);

/// All reporters that the settings ask for.
///
/// A reporter that fails does not keep the others from reporting. Its sentence comes back; what could not be
/// sent waits in the spool, where a crash leaves it too, and goes out with a later `deliver`. One thread may
/// report while another delivers.
class Reporters {
 public:
  /// Throws what `check` throws.
  explicit Reporters(ReporterSettings settings, ReporterSurroundings surroundings = {});

  /// Writes the record everywhere and puts it into the spool for the server, without waiting for one.
  /// Gives a sentence for each reporter that failed.
  [[nodiscard]] std::vector<std::string> report(const RunRecord& record);

  /// Sends what waits, oldest first, until nothing is left, the server fails or `stop` is requested; between
  /// failures it backs off (2 s, doubling up to 10 min), and a call before that time does nothing. A sentence
  /// if something could not be sent.
  [[nodiscard]] std::optional<std::string> deliver(const std::stop_token& stop);

  /// How many results wait for the server.
  [[nodiscard]] std::size_t waiting() const;

 private:
  ReporterSettings settings_;
  ReporterSurroundings surroundings_;
  std::optional<Remote> remote_;  ///< nothing: there is no server
};

}  // namespace tandem::daemon::harness
