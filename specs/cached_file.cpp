#include "specs/cached_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "specs/error.hpp"
#include "specs/waiting.hpp"

namespace tandem::specs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view heading = "tandem checked 1";
constexpr std::string_view nothing = "-";
constexpr std::chrono::milliseconds between_looks{50};  // flock cannot be woken by a stop token

[[noreturn]] void fail(const char* doing, const fs::path& path) {
  throw Error(fmt::format("cannot {} {}: {}", doing, path.string(), std::strerror(errno)));
}

fs::path record_of(const fs::path& file) {
  return file.string() + ".checked";
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::string_view or_dash(const std::string& text) {
  return text.empty() ? nothing : text;
}

void synchronise(const fs::path& path) {
  const OwnedFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0 || ::fsync(file.get()) != 0) fail("write", path);
}

}  // namespace

std::optional<FileStamp> stamp_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileStamp{static_cast<std::uint64_t>(status.st_size), static_cast<std::uint64_t>(status.st_ino),
                   nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

std::optional<FileRecord> read_record(const fs::path& file) {
  std::ifstream input(record_of(file));
  std::string first;
  FileRecord record;
  if (!std::getline(input, first) || first != heading) return std::nullopt;
  input >> record.stamp.size >> record.stamp.inode >> record.stamp.modified >> record.stamp.changed;
  input >> record.digests.md5 >> record.digests.sha256 >> record.source;
  if (!input) return std::nullopt;
  for (std::string* text : {&record.digests.md5, &record.digests.sha256, &record.source}) {
    if (*text == nothing) text->clear();
  }
  return record;
}

void write_record(const fs::path& file, const FileRecord& record) {
  const fs::path target = record_of(file);
  const fs::path beside = target.string() + ".part";
  std::ofstream output(beside, std::ios::trunc);
  output << heading << '\n'
         << record.stamp.size << ' ' << record.stamp.inode << ' ' << record.stamp.modified << ' '
         << record.stamp.changed << '\n'
         << or_dash(record.digests.md5) << '\n'
         << or_dash(record.digests.sha256) << '\n'
         << or_dash(record.source) << '\n'
         << std::flush;
  if (!output || std::rename(beside.c_str(), target.c_str()) != 0) ::unlink(beside.c_str());
}

std::optional<OwnedFile> lock_cached(const fs::path& file, const std::stop_token& stop) {
  const fs::path path = file.string() + ".lock";
  OwnedFile lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (lock.get() < 0) fail("open", path);
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) fail("lock", path);
    if (!pause_unless_stopped(between_looks, stop)) return std::nullopt;
  }
  return lock;
}

void put_in_place(const fs::path& part, const fs::path& file) {
  synchronise(part);
  if (std::rename(part.c_str(), file.c_str()) != 0) fail("write", file);
  synchronise(file.parent_path());
}

}  // namespace tandem::specs
