#include "daemon/harness/local.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "daemon/harness/report_files.hpp"
#include "daemon/harness/run_json.hpp"
#include "daemon/harness/series_statistics.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"

namespace tandem::daemon::harness {
namespace {

namespace fs = std::filesystem;

/// Commits may claim any time. One before 1970 or after 9999 says nothing.
fs::path day_of(const RunRecord& record) {
  constexpr std::int64_t last = 253'402'300'799;
  const std::int64_t claimed = record.treatment.commit_time;
  const std::chrono::sys_seconds time = claimed > 0 && claimed <= last
                                            ? std::chrono::sys_seconds(std::chrono::seconds(claimed))
                                            : std::chrono::floor<std::chrono::seconds>(record.time);
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(time));
  return fs::path(std::to_string(static_cast<int>(day.year()))) /
         std::to_string(static_cast<unsigned>(day.month())) /
         std::to_string(static_cast<unsigned>(day.day()));
}

void write_run(const fs::path& directory, const RunRecord& record) {
  make_directories(directory);
  const std::vector<std::string> keys = keys_of(record);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const ReportedSeries& series = record.series[i];
    const std::string name =
        keys[i] == series.key() ? safe_key_name(series.type, series.metric) : safe_name(keys[i]);
    write_file(directory / (name + ".txt"), text_of(series_json(record, series), Shape::indented) + "\n");
  }
  write_file(directory / "meta.txt", text_of(meta_json(record), Shape::indented) + "\n");
  sync_directory(directory);
}

/// A directory with something in it is never replaced by a rename, so whoever comes second takes the next
/// number.
fs::path move_to_first_free(const fs::path& complete, const fs::path& parent) {
  for (std::size_t number = 0;; ++number) {
    fs::path place = parent / std::to_string(number);
    if (fs::exists(fs::symlink_status(place))) continue;
    if (::rename(complete.c_str(), place.c_str()) == 0) return place;
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
      throw Error(fmt::format("cannot make {}: {}", place.string(), std::strerror(errno)));
  }
}

}  // namespace

fs::path write_local(const fs::path& directory, const RunRecord& record) {
  const fs::path parent = directory / safe_name(record.platform) / safe_name(record.framework) /
                          safe_name(record.model) / safe_name(record.metric) / safe_name(record.identifier) /
                          day_of(record) / safe_name(record.treatment.commit);
  const fs::path fresh = parent / temporary_name();
  try {
    write_run(fresh, record);
    fs::path place = move_to_first_free(fresh, parent);
    sync_directory(parent);
    return place;
  } catch (const std::exception&) {
    std::error_code ignored;
    fs::remove_all(fresh, ignored);
    throw;
  }
}

fs::path write_simple_local(const fs::path& directory, const RunRecord& record) {
  const fs::path place = directory / safe_name(record.identifier);
  make_directories(place);
  replace_file(place / "data.txt", text_of(data_json(record), Shape::indented) + "\n");
  return place / "data.txt";
}

}  // namespace tandem::daemon::harness
