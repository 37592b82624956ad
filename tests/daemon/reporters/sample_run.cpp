#include "tests/daemon/reporters/sample_run.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace tandem::daemon::harness {

ReportedSeries series_of(const std::string& type, const std::string& metric, std::vector<double> values) {
  return {.type = type,
          .metric = metric,
          .unit = "ms",
          .values = std::move(values),
          .control_values = {},
          .launches = 1};
}

RunRecord sample_run() {
  RunRecord run;
  run.id = "run-1";
  run.time = std::chrono::system_clock::time_point(std::chrono::milliseconds(1'704'708'000'250));
  run.model = "squeezenet";
  run.metric = "delay";
  run.identifier = "squeezenet-1.1";
  run.framework = "pytorch";
  run.backend = "cpu";
  run.platform = "cpu0-3";
  run.command = {"tandem", "run", "--benchmark_file", "my spec.json"};
  run.treatment = {.commit = "abc123", .commit_time = 1'704'445'200};  // 2024-01-05 09:00 UTC
  run.host = {{"cpu", "Example 9000"}, {"governor", "performance"}};
  run.series = {series_of("NET", "latency", {0.8, 1.2, 1}), series_of("ID_0_Conv", "latency", {0.25, 0.75})};
  return run;
}

RunRecord sample_comparison() {
  RunRecord run = sample_run();
  run.control = ReportedBuild{.commit = "0ld", .commit_time = 1'704'358'800};
  run.series[0].control_values = std::vector<double>{0.5, 1, 0.75};
  run.series[0].verdict = ReportedVerdict{.outcome = "slower", .ratio = 1.3, .low = 1.25, .high = 1.375};
  run.series[0].regressed = true;
  return run;
}

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tandem::daemon::harness
