#include "end_to_end/readings.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "specs/foundation/descriptor.hpp"

namespace tandem::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string text_or_nothing(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// Zombies have ended; they only wait for somebody to ask how.
bool is_alive(const fs::path& process) {
  const std::string stat = read_file(process / "stat");
  const auto end_of_name = stat.rfind(')');
  return end_of_name != std::string::npos && stat.compare(end_of_name + 2, 1, "Z") != 0;
}

}  // namespace

std::vector<ReportReading> read_reports(const std::string& text) {
  std::vector<ReportReading> reports;
  for (const json& one : json::parse(text)) {
    reports.push_back({one.at("id"), one.at("kind"), one.at("state"), one.at("benchmark"),
                       one.at("culprit").at("commit"), one.at("ratio").at("estimate")});
  }
  return reports;
}

StatusReading read_status(const std::string& text) {
  const json document = json::parse(text);
  StatusReading status;
  status.phase = document.at("phase");
  status.url = document.at("url");
  if (document.at("commit").is_object()) status.commit = document.at("commit").at("id");
  if (document.at("last_error").is_object())
    status.last_error = text_or_nothing(document.at("last_error").at("sentence"));
  for (const json& one : document.at("last_verdicts")) {
    status.verdicts.push_back({one.at("commit"), one.at("benchmark"), one.at("outcome")});
  }
  for (const json& one : document.at("failed_builds")) {
    status.failed_builds.push_back({one.at("commit"), one.at("kind"), one.at("sentence")});
  }
  status.open_regressions = document.at("open_regressions").size();
  return status;
}

std::multiset<std::string> confirmed(const std::vector<ReportReading>& reports) {
  std::multiset<std::string> lines;
  for (const ReportReading& one : reports) {
    if (one.kind == "not_reproduced") continue;
    lines.insert(fmt::format("{} {} {} {} {}", one.kind, one.state, one.benchmark, one.culprit, one.id));
  }
  return lines;
}

std::vector<std::string> ask(const fs::path& database, const std::string& sql) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(database.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> handle(opened, sqlite3_close);
  if (code != SQLITE_OK) throw std::runtime_error("cannot open " + database.string());
  sqlite3_busy_timeout(opened, 5000);
  std::vector<std::string> rows;
  const auto take = [](void* list, int columns, char** values, char** /*names*/) {
    std::string row;
    for (int i = 0; i < columns; ++i) row += (i == 0 ? "" : "|") + std::string(values[i] ? values[i] : "");
    static_cast<std::vector<std::string>*>(list)->push_back(row);
    return 0;
  };
  char* problem = nullptr;
  if (sqlite3_exec(opened, sql.c_str(), take, &rows, &problem) != SQLITE_OK) {
    const std::string sentence = problem != nullptr ? problem : "unknown";
    sqlite3_free(problem);
    throw std::runtime_error(fmt::format("{}: {}", sql, sentence));
  }
  return rows;
}

std::string read_file(const fs::path& file) {
  // Not by a stream: those throw when a process vanishes while its files in /proc are read.
  const tandem::OwnedDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 65536> chunk{};
  for (ssize_t n = 0; opened.get() >= 0 && (n = ::read(opened.get(), chunk.data(), chunk.size())) > 0;) {
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
  return text;
}

void write_file(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::string fingerprint(const fs::path& directory) {
  std::map<std::string, std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    struct stat status {};
    ::lstat(entry.path().c_str(), &status);
    lines[entry.path()] =
        fmt::format("{}.{} {:o} {}", status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_mode,
                    entry.is_regular_file() ? read_file(entry.path()) : std::string());
  }
  std::string text;
  for (const auto& [path, line] : lines) text += path + " " + line + "\n";
  return text;
}

std::vector<std::string> files_below(const fs::path& directory) {
  std::vector<std::string> files;
  // A running daemon renames and removes files meanwhile: what is gone is not there.
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    if (!entry->is_directory(gone)) files.push_back(entry->path().lexically_relative(directory));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<int> processes_of(const fs::path& directory) {
  std::vector<int> processes;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); })) continue;
    const int pid = std::stoi(name);
    if (pid == ::getpid() || !is_alive(entry.path())) continue;
    std::error_code unreadable;
    const std::string traces = read_file(entry.path() / "environ") + read_file(entry.path() / "cmdline") +
                               fs::read_symlink(entry.path() / "cwd", unreadable).string();
    if (traces.find(directory.string()) != std::string::npos) processes.push_back(pid);
  }
  return processes;
}

}  // namespace tandem::tests
