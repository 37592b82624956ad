#include "daemon/publisher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runners/descriptor.hpp"
#include "specs/error.hpp"

namespace tandem::daemon {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const char* doing) {
  throw Error(fmt::format("cannot {} {}: {}", doing, file.string(), std::strerror(errno)));
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
  if (error) throw Error(fmt::format("cannot make {}: {}", directory.string(), error.message()));
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

Publisher::Publisher(fs::path state_dir) : state_dir_(std::move(state_dir)) {
  make_directories(state_dir_ / "reports");
}

void Publisher::publish(const Record& record, const std::string& json, const std::string& markdown) const {
  const fs::path directory = state_dir_ / "reports" / record.id;
  make_directories(directory);
  write_by_rename(directory / "report.json", json);
  write_by_rename(directory / "report.md", markdown);
}

void Publisher::publish_status(const std::string& json) const {
  write_by_rename(state_dir_ / "status.json", json);
}

void Publisher::keep_only(const std::vector<Record>& known) const {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(state_dir_ / "reports", error)) {
    const std::string id = entry.path().filename();
    if (std::none_of(known.begin(), known.end(), [&](const Record& record) { return record.id == id; })) {
      fs::remove_all(entry.path(), error);
    }
  }
}

}  // namespace tandem::daemon
