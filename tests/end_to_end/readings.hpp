#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace tandem::tests {

/// What these tests look at in a report.
struct ReportReading {
  std::string id;
  std::string kind;
  std::string state;
  std::string benchmark;
  std::string culprit;
  double ratio = 0;
};

/// What these tests look at in status.json.
struct StatusReading {
  struct Verdict {
    std::string commit;
    std::string benchmark;
    std::string outcome;
  };
  struct FailedBuild {
    std::string commit;
    std::string kind;
    std::string sentence;
  };
  std::string phase;
  std::string url;
  std::string commit;
  std::string last_error;
  std::vector<Verdict> verdicts;
  std::vector<FailedBuild> failed_builds;
  std::size_t open_regressions = 0;
};

/// Both throw std::runtime_error if the text is not JSON or lacks what is read here.
[[nodiscard]] std::vector<ReportReading> read_reports(const std::string& json);
[[nodiscard]] StatusReading read_status(const std::string& json);

/// One line for each report that was confirmed, "regression open BENCHMARK CULPRIT ID", sorted: what must be
/// the same in two runs. What was not reproduced is left to chance.
[[nodiscard]] std::multiset<std::string> confirmed(const std::vector<ReportReading>& reports);

/// The rows of a query in the daemon's database, columns joined by "|". Throws if it cannot be asked.
[[nodiscard]] std::vector<std::string> ask(const std::filesystem::path& database, const std::string& sql);

/// The whole file; empty if there is none.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, const std::string& text);

/// Every path below a directory with its mode, modification time and content: equal if nothing was touched.
[[nodiscard]] std::string fingerprint(const std::filesystem::path& directory);
/// The paths of all files below a directory, relative to it, sorted.
[[nodiscard]] std::vector<std::string> files_below(const std::filesystem::path& directory);

/// The ids of living processes whose environment, arguments or working directory name this directory.
[[nodiscard]] std::vector<int> processes_of(const std::filesystem::path& directory);

}  // namespace tandem::tests
