#include "daemon/publisher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "daemon/report/state_files.hpp"
#include "daemon/state_directory.hpp"
#include "runners/descriptor.hpp"
#include "specs/error.hpp"

namespace tandem::daemon {
namespace {

namespace fs = std::filesystem;

constexpr const char* unsaved_name = "unsaved";

[[noreturn]] void fail(const fs::path& file, const char* doing) {
  throw HostError(fmt::format("cannot {} {}: {}", doing, file.string(), std::strerror(errno)));
}

/// The same, after the half-written file beside it is gone.
[[noreturn]] void give_up(const fs::path& temporary, const fs::path& file, const char* doing) {
  const int error = errno;
  ::unlink(temporary.c_str());
  errno = error;
  fail(file, doing);
}

void make_directories(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw HostError(fmt::format("cannot make {}: {}", directory.string(), error.message()));
}

}  // namespace

void write_by_rename(const fs::path& file, const std::string& text) {
  const fs::path temporary = fmt::format("{}.{}.new", file.string(), ::getpid());
  {
    const runners::OwnedDescriptor out(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (out.get() < 0) fail(file, "write");
    std::string_view rest = text;
    while (!rest.empty()) {
      const auto written = ::write(out.get(), rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) give_up(temporary, file, "write");
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(out.get()) != 0) give_up(temporary, file, "sync");
  }
  if (::rename(temporary.c_str(), file.c_str()) != 0) give_up(temporary, file, "replace");
  const fs::path directory = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const runners::OwnedDescriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) ::fsync(folder.get());
}

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

}  // namespace tandem::daemon
