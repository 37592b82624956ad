#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::daemon {

/// What a comparison came to, where there was one.
struct ReportedVerdict {
  std::string outcome;  ///< "slower", "unchanged", …
  double ratio = 1;     ///< treatment / control
  double low = 1;
  double high = 1;
};

/// All values of one metric of one type ("NET", an operator, a benchmark of the program's own), in the order
/// they came. Nothing is dropped.
struct ReportedSeries {
  std::string type;
  std::string metric;
  std::string unit;
  std::vector<double> values;  ///< of the treatment, or of the one build there is
  std::optional<std::vector<double>> control_values;
  std::uint64_t launches = 0;                      ///< FAI-PEP's num_runs
  std::map<std::string, double> own_summary = {};  ///< statistics that the program itself gave; they win
  std::map<std::string, double> own_control_summary = {};
  std::string info_string = {};
  std::vector<std::string> custom_output = {};  ///< tables of the program's own, each as JSON text
  std::optional<ReportedVerdict> verdict = {};
  bool regressed = false;

  /// FAI-PEP's key: "NET latency".
  [[nodiscard]] std::string key() const { return type + " " + metric; }
};

struct ReportedBuild {
  std::string commit;  ///< or whatever names a build that has none
  std::int64_t commit_time = 0;
  std::string diff = {};
  std::string version = {};
};

/// One run of one test of one model on one device: what every reporter is given.
struct RunRecord {
  std::string id;                      ///< of this run alone: results are delivered once by it
  std::string run_type = "benchmark";  ///< or verify, regress
  std::chrono::system_clock::time_point time;
  std::string model;  ///< FAI-PEP's net_name
  std::string metric;
  std::string identifier;
  std::string group = {};
  std::string framework = {};
  std::string backend = {};
  std::string platform = {};              ///< the device, "host" or as named
  std::string platform_hash = {};         ///< of the host's identity and the device
  std::vector<std::string> command = {};  ///< as typed, without secrets
  std::string user_identifier = {};
  std::string user_string = {};
  ReportedBuild treatment;
  std::optional<ReportedBuild> control = {};
  std::vector<std::string> statistics = {};                    ///< beside the usual ones
  std::vector<std::pair<std::string, std::string>> host = {};  ///< facts of the machine, as shown to people
  std::vector<ReportedSeries> series = {};
  std::string failure = {};  ///< a sentence if the run failed; it has what was measured until then
};

}  // namespace tandem::daemon
