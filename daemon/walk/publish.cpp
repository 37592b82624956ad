#include "daemon/walk/publish.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "daemon/records/record_json.hpp"
#include "daemon/records/state_files.hpp"
#include "daemon/report/record_report.hpp"
#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"

namespace tandem::daemon {
namespace {

namespace fs = std::filesystem;

constexpr const char* unsaved_name = "unsaved";

}  // namespace

Publisher::Publisher(fs::path state_dir, std::string store_id)
    : state_dir_(std::move(state_dir)), store_id_(std::move(store_id)) {
  make_directories(state_dir_ / "reports");
}

void Publisher::publish(const Record& record, const std::string& json, const std::string& markdown) const {
  const fs::path directory = state_dir_ / "reports" / record.id;
  std::error_code error;
  const bool is_new = !fs::exists(directory / "report.json", error);
  make_directories(directory);
  if (is_new && !store_id_.empty()) {
    write_by_rename(directory / unsaved_name, report::owned_folder_json({store_id_}));
  }
  write_by_rename(directory / "report.json", json);
  write_by_rename(directory / "report.md", markdown);
}

void Publisher::publish_status(const std::string& json) const {
  write_by_rename(state_dir_ / "status.json", json);
}

void Publisher::saved(const std::vector<Record>& records) const {
  for (const Record& record : records) {
    ::unlink((state_dir_ / "reports" / record.id / unsaved_name).c_str());
  }
}

std::string Publisher::unsaved_by(const std::string& id) const {
  constexpr std::uintmax_t most_bytes = 4096;
  const auto text = read_small_file(state_dir_ / "reports" / id / unsaved_name, most_bytes);
  const auto folder = text ? report::owned_folder_from_json(*text) : std::nullopt;
  return folder ? folder->owner : "";
}

void Publisher::withdraw(const std::string& id) const {
  const fs::path folder = state_dir_ / "reports" / id;
  remove_half_written(folder, {"report.json", "report.md", unsaved_name});
  // The one that says whose it is goes last: a crash in between leaves what can be withdrawn again.
  for (const char* file : {"report.json", "report.md", unsaved_name}) ::unlink((folder / file).c_str());
  ::rmdir(folder.c_str());
}

store::RecordChange published(const Publisher& publisher, store::RecordChange change) {
  return {std::move(change.id), [&publisher, inner = std::move(change.change)](Record record) {
            Record changed = inner(std::move(record));
            publish(publisher, {changed});
            return changed;
          }};
}

void publish(const Publisher& publisher, const std::vector<Record>& records) {
  for (const Record& one : records) {
    publisher.publish(one, report::record_json(one), report::record_markdown(one));
  }
}

}  // namespace tandem::daemon
