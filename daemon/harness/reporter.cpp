#include "daemon/harness/reporter.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "daemon/harness/remote_request.hpp"
#include "daemon/harness/result_files.hpp"
#include "daemon/harness/run_json.hpp"
#include "daemon/harness/run_tables.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::daemon::harness {
namespace {

namespace fs = std::filesystem;

void print(std::FILE* screen, const std::string& from) {
  const std::string text = printable_text(from);
  if (std::fwrite(text.data(), 1, text.size(), screen) != text.size() || std::fflush(screen) != 0)
    throw Error(fmt::format("cannot print: {}", std::strerror(errno)));
}

void check_directory(const char* flag, const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error))
    throw InputError(fmt::format("{}: {} is not a directory; name one", flag, path.string()));
}

void check_file(const char* flag, const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    throw InputError(fmt::format("{}: {} is a directory; name a file", flag, path.string()));
}

}  // namespace

bool names_a_reporter(const ReporterSettings& settings) {
  return settings.screen_reporter || !settings.local_reporter.empty() ||
         !settings.simple_local_reporter.empty() || !settings.csv_reporter.empty() ||
         !settings.json_lines_reporter.empty() || !settings.remote_reporter.empty();
}

void check(const ReporterSettings& settings) {
  check_directory("--local_reporter", settings.local_reporter);
  check_directory("--simple_local_reporter", settings.simple_local_reporter);
  check_file("--csv_reporter", settings.csv_reporter);
  check_file("--json_lines_reporter", settings.json_lines_reporter);
  if (!settings.csv_reporter.empty() && settings.csv_reporter == settings.json_lines_reporter)
    throw InputError("--csv_reporter and --json_lines_reporter name the same file; name two");
  if (settings.remote_reporter.empty()) return;
  static_cast<void>(read_address(settings.remote_reporter));
  check_token(settings.remote_access_token);
  if (settings.spool.empty())
    throw InputError(
        "--remote_reporter: there is no directory where results wait for the server; name one "
        "with --spool");
  check_directory("--spool", settings.spool);
}

Reporters::Reporters(ReporterSettings settings, ReporterSurroundings surroundings)
    : settings_(std::move(settings)), surroundings_(std::move(surroundings)) {
  check(settings_);
  if (!settings_.remote_reporter.empty()) {
    remote_.emplace(read_address(settings_.remote_reporter), settings_.remote_access_token, settings_.spool,
                    surroundings_);
  }
}

std::vector<std::string> Reporters::report(const RunRecord& record) {
  const ReporterSettings& to = settings_;
  std::vector<std::string> failures;
  const auto attempt = [&](const char* flag, bool asked, auto write) {
    if (!asked) return;
    try {
      write();
    } catch (const std::exception& error) {
      failures.push_back(fmt::format("{}: {}", flag, error.what()));
    }
  };
  // The spool comes first: if the process dies after it, the server still gets the record.
  attempt("--remote_reporter", remote_.has_value(), [&] { remote_->add(record); });
  attempt("--local_reporter", !to.local_reporter.empty(), [&] { write_local(to.local_reporter, record); });
  attempt("--simple_local_reporter", !to.simple_local_reporter.empty(),
          [&] { write_simple_local(to.simple_local_reporter, record); });
  attempt("--csv_reporter", !to.csv_reporter.empty(),
          [&] { append_lines(to.csv_reporter, csv_lines(record), csv_heading()); });
  attempt("--json_lines_reporter", !to.json_lines_reporter.empty(),
          [&] { append_lines(to.json_lines_reporter, json_line(record) + "\n", ""); });
  attempt("--screen_reporter", to.screen_reporter, [&] { print(surroundings_.screen, screen_text(record)); });
  return failures;
}

std::optional<std::string> Reporters::deliver(const std::stop_token& stop) {
  return remote_ ? remote_->deliver(stop) : std::nullopt;
}

std::size_t Reporters::waiting() const {
  return remote_ ? remote_->waiting() : 0;
}

}  // namespace tandem::daemon::harness
