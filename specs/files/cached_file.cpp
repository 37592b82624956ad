#include "specs/files/cached_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>

#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::specs {

namespace {

class Hashes {
 public:
  explicit Hashes(const Digests& like) {
    if (!like.md5.empty()) md5_.emplace();
    if (!like.sha256.empty()) sha256_.emplace();
  }

  void add(std::string_view bytes) {
    if (md5_) md5_->add(bytes);
    if (sha256_) sha256_->add(bytes);
  }

  [[nodiscard]] Digests finish() { return {md5_ ? md5_->finish() : "", sha256_ ? sha256_->finish() : ""}; }

 private:
  std::optional<Md5> md5_;
  std::optional<Sha256> sha256_;
};

bool is_hexadecimal(std::string_view text, std::size_t digits) {
  return text.size() == digits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace

std::optional<Digests> digests_of_file(const std::filesystem::path& file, const Digests& like,
                                       const std::stop_token& stop) {
  const auto fail = [&] {
    throw Error(fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  };
  if (like.none()) return Digests();
  const OwnedDescriptor input(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (input.get() < 0) fail();
  Hashes hashes(like);
  std::vector<char> buffer(std::size_t{1} << 18);
  while (!stop.stop_requested()) {
    const ssize_t got = ::read(input.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail();
    if (got == 0) return hashes.finish();
    hashes.add({buffer.data(), static_cast<std::size_t>(got)});
  }
  return std::nullopt;
}

bool is_md5(std::string_view text) {
  return is_hexadecimal(text, 32);
}
bool is_sha256(std::string_view text) {
  return is_hexadecimal(text, 64);
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view heading = "tandem checked 1";
constexpr std::string_view nothing = "-";
constexpr std::chrono::milliseconds between_looks{50};  // flock cannot be woken by a stop token

[[noreturn]] void fail_on(const char* doing, const fs::path& path) {
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
  const OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0 || ::fsync(file.get()) != 0) fail_on("write", path);
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
  const auto& [stamp, digests, source] = record;
  try {
    write_by_rename(
        record_of(file),
        fmt::format("{}\n{} {} {} {}\n{}\n{}\n{}\n", heading, stamp.size, stamp.inode, stamp.modified,
                    stamp.changed, or_dash(digests.md5), or_dash(digests.sha256), or_dash(source)));
  } catch (const Error&) {
    // The next use looks at the file again.
  }
}

std::optional<FileLock> lock_cached(const fs::path& file, const std::stop_token& stop) {
  FileLock lock(file.string() + ".lock");
  while (!lock.try_lock()) {
    if (!pause_unless_stopped(between_looks, stop)) return std::nullopt;
  }
  return lock;
}

void put_in_place(const fs::path& part, const fs::path& file) {
  synchronise(part);
  if (std::rename(part.c_str(), file.c_str()) != 0) fail_on("write", file);
  synchronise(file.parent_path());
}

namespace {

constexpr std::string_view partial_heading = "tandem part 1";

fs::path origin_of(const fs::path& part) {
  return part.string() + ".from";
}

}  // namespace

PartialFile::PartialFile(fs::path part, const std::string& url)
    : part_(std::move(part)),
      origin_(origin_of(part_)),
      source_(sha256_of(url)),  // an address may hold a password
      file_(::open(part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644)) {
  struct stat status {};
  if (file_.get() < 0 || ::fstat(file_.get(), &status) != 0) fail("open");
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (size_ > 0) read_origin();
  if (validator_.empty() || (total_ && size_ > *total_)) {
    forget();
  } else {
    continued_ = true;
  }
}

void PartialFile::read_origin() {
  std::ifstream file(origin_);
  std::string first;
  std::string source;
  std::string validator;
  std::string total;
  if (!std::getline(file, first) || first != partial_heading || !std::getline(file, source) ||
      source != source_ || !std::getline(file, validator) || !std::getline(file, total)) {
    return;
  }
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(total.data(), total.data() + total.size(), bytes);
  if (error == std::errc() && end == total.data() + total.size()) total_ = bytes;
  validator_ = validator;
}

void PartialFile::begin(const std::string& validator, std::optional<std::uint64_t> total) {
  // Emptied first: whatever an interruption leaves, the origin never speaks of another file's bytes.
  if (::ftruncate(file_.get(), 0) != 0) fail("empty");
  size_ = 0;
  continued_ = false;
  total_ = total;
  validator_ = validator;
  std::ofstream file(origin_, std::ios::trunc);
  file << partial_heading << '\n' << source_ << '\n' << validator << '\n';
  file << (total ? std::to_string(*total) : "unknown") << '\n' << std::flush;
  if (!file) fail("write");
}

void PartialFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    size_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::uint64_t PartialFile::free_bytes() const {
  struct statvfs disk {};
  if (::fstatvfs(file_.get(), &disk) != 0) fail("ask for the free space of");
  return std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

void PartialFile::fail(const std::string& doing) const {
  throw Error(fmt::format("cannot {} {}: {}", doing, part_.string(), std::strerror(errno)));
}

void remove_partial(const fs::path& part) {
  std::error_code ignored;
  fs::remove(part, ignored);
  fs::remove(origin_of(part), ignored);
}

}  // namespace tandem::specs
