#include "daemon/harness/result_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "daemon/harness/run_json.hpp"
#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::harness {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* doing, const fs::path& file) {
  throw Error(fmt::format("cannot {} {}: {}", doing, file.string(), std::strerror(errno)));
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string read_at(int descriptor, off_t position, std::size_t length) {
  std::string text(length, '\0');
  const auto got = ::pread(descriptor, text.data(), length, position);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

/// What has to be written before new lines: the heading, the end of a cut line, or nothing.
std::string before_new_lines(int descriptor, off_t size, const std::string& heading, const fs::path& file) {
  if (size == 0) return heading;
  if (read_at(descriptor, 0, heading.size()) != heading) {
    throw Error(
        fmt::format("{} begins with other columns than are written now; name another file", file.string()));
  }
  return read_at(descriptor, size - 1, 1) == "\n" ? "" : "\n";
}

/// A hidden name that no other process or thread uses.
std::string temporary_name() {
  static std::atomic<unsigned> count = 0;
  // The time makes it differ from a name that an earlier process of the same number left behind.
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return fmt::format(".new-{}-{}-{}", ::getpid(), now, ++count);
}

/// A new file, synced.
void write_file(const fs::path& file, const std::string& text) {
  const OwnedDescriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (out.get() < 0 || !write_all(out.get(), text) || ::fsync(out.get()) != 0) fail("write", file);
}

/// Makes what was renamed within a directory survive a power cut.
void sync_directory(const fs::path& directory) {
  const OwnedDescriptor folder(
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 || ::fsync(folder.get()) != 0) fail("sync", directory);
}

/// File names may have 255 bytes; this leaves room for the digest and for what writers put around a name.
constexpr std::size_t longest = 120;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '+';
}

bool is_safe(std::string_view text) {
  return !text.empty() && text.size() <= longest && text.front() != '.' && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), is_plain);
}

std::string spelled(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, longest)) {
    if (is_plain(c)) {
      name += c;
    } else if (c == ' ' || c == '\\' || c == ':' || c == '/') {
      name += '-';
    }
  }
  return name.empty() || name.front() == '.' || name.front() == '-' ? "_" + name : name;
}

std::string with_digest(std::string_view text) {
  return spelled(text) + "~" + sha256_of(text).substr(0, 12);
}

}  // namespace

std::string safe_name(std::string_view text) {
  if (text.empty()) return "unnamed~";
  return is_safe(text) ? std::string(text) : with_digest(text);
}

std::string safe_key_name(std::string_view type, std::string_view metric) {
  // With a metric without "-", the last "-" of the name is where the two meet.
  const bool clear = is_safe(type) && is_safe(metric) && metric.find('-') == std::string_view::npos;
  if (clear && type.size() + metric.size() < longest) return std::string(type) + "-" + std::string(metric);
  return with_digest(std::string(type) + " " + std::string(metric));
}

void append_lines(const fs::path& file, const std::string& lines, const std::string& heading) {
  if (file.has_parent_path()) make_directories(file.parent_path());
  const OwnedDescriptor out(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (out.get() < 0) fail("open", file);
  while (::flock(out.get(), LOCK_EX) != 0) {
    if (errno != EINTR) fail("lock", file);
  }
  struct stat facts {};
  if (::fstat(out.get(), &facts) != 0) fail("read", file);
  if (!write_all(out.get(), before_new_lines(out.get(), facts.st_size, heading, file) + lines)) {
    const int error = errno;
    // A pipe or a terminal cannot take back what it was given.
    static_cast<void>(::ftruncate(out.get(), facts.st_size) == 0);
    errno = error;
    fail("write", file);
  }
}

namespace {

/// A commit may claim any time; one before 1970 or after 9999 is not believed.
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

/// A rename never replaces a directory that holds something, so the second of two writers takes the next
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
  write_by_rename(place / "data.txt", text_of(data_json(record), Shape::indented) + "\n");
  return place / "data.txt";
}

namespace {

using Cells = std::vector<std::string>;

std::string quoted_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string csv_line(const Cells& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (&cell == cells.data() ? "" : ",") + quoted_cell(cell);
  return line + "\n";
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string time_text(std::int64_t seconds) {
  return seconds == 0 ? "" : iso_time(seconds);
}

Cells cells_of_run(const RunRecord& record) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(record.time.time_since_epoch()).count();
  return {record.id,
          time_text(seconds),
          record.run_type,
          record.platform,
          record.framework,
          record.backend,
          record.model,
          record.metric,
          record.identifier,
          record.treatment.commit,
          time_text(record.treatment.commit_time),
          record.control ? record.control->commit : ""};
}

std::string further_cell(const RunRecord& record, const analysis::Summary& summary) {
  std::string cell;
  for (const std::string& name : further_statistics(record)) {
    const auto value = statistic(summary, name);
    if (value) cell += fmt::format("{}{}={}", cell.empty() ? "" : " ", name, *value);
  }
  return cell;
}

void add_series_cells(Cells& cells, const RunRecord& record, const ReportedSeries& series) {
  const SeriesStatistics statistics = statistics_of(record, series);
  cells.insert(cells.end(), {series.type, series.metric, series.unit, std::to_string(series.values.size()),
                             std::to_string(series.launches)});
  for (const auto* summary : {&statistics.treatment, &statistics.control, &statistics.difference}) {
    for (const std::string& name : analysis::usual_statistics())
      cells.push_back(number(statistic(*summary, name)));
  }
  cells.push_back(further_cell(record, statistics.treatment));
  if (const auto& verdict = series.verdict) {
    cells.insert(cells.end(),
                 {verdict->outcome, number(verdict->ratio), number(verdict->low), number(verdict->high)});
  } else {
    cells.resize(cells.size() + 4);
  }
  cells.push_back(series.regressed ? "1" : "");
}

Cells columns() {
  Cells cells = {"id",    "time",         "run_type",   "platform", "framework",   "backend",
                 "model", "metric_group", "identifier", "commit",   "commit_time", "control_commit",
                 "type",  "metric",       "unit",       "values",   "launches"};
  for (const char* side : {"", "control_", "diff_"}) {
    for (const std::string& name : analysis::usual_statistics()) cells.push_back(side + name);
  }
  for (const char* name : {"further", "verdict", "ratio", "low", "high", "regressed", "failure"})
    cells.emplace_back(name);
  return cells;
}

}  // namespace

std::string csv_heading() {
  return csv_line(columns());
}

std::string csv_lines(const RunRecord& record) {
  std::string lines;
  for (const ReportedSeries& series : record.series) {
    Cells cells = cells_of_run(record);
    add_series_cells(cells, record, series);
    cells.push_back(record.failure);
    lines += csv_line(cells);
  }
  if (!record.series.empty()) return lines;
  Cells cells = cells_of_run(record);
  cells.resize(columns().size() - 1);
  cells.push_back(record.failure);
  return csv_line(cells);
}

}  // namespace tandem::daemon::harness
