#include "specs/files/cached_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::specs {

namespace {

class Hash {
 public:
  explicit Hash(const EVP_MD* kind) : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    // A host whose policy forbids MD5 refuses here.
    if (!context_ || EVP_DigestInit_ex(context_.get(), kind, nullptr) != 1) {
      throw Error(fmt::format("this host's OpenSSL does not offer {}", EVP_MD_get0_name(kind)));
    }
  }

  void add(std::string_view bytes) {
    if (EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) throw Error("OpenSSL cannot hash");
  }

  [[nodiscard]] std::string finish() {
    unsigned char value[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    if (EVP_DigestFinal_ex(context_.get(), value, &length) != 1) throw Error("OpenSSL cannot hash");
    std::string text;
    for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", value[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

class Hashes {
 public:
  explicit Hashes(const Digests& like) {
    if (!like.md5.empty()) md5_.emplace(EVP_md5());
    if (!like.sha256.empty()) sha256_.emplace(EVP_sha256());
  }

  void add(std::string_view bytes) {
    if (md5_) md5_->add(bytes);
    if (sha256_) sha256_->add(bytes);
  }

  [[nodiscard]] Digests finish() { return {md5_ ? md5_->finish() : "", sha256_ ? sha256_->finish() : ""}; }

 private:
  std::optional<Hash> md5_;
  std::optional<Hash> sha256_;
};

bool is_hexadecimal(std::string_view text, std::size_t digits) {
  return text.size() == digits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace

Digests digests_of(std::string_view text) {
  Hashes hashes({"wanted", "wanted"});
  hashes.add(text);
  return hashes.finish();
}

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

std::optional<OwnedDescriptor> lock_cached(const fs::path& file, const std::stop_token& stop) {
  const fs::path path = file.string() + ".lock";
  OwnedDescriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (lock.get() < 0) fail_on("open", path);
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) fail_on("lock", path);
    if (!pause_unless_stopped(between_looks, stop)) return std::nullopt;
  }
  return lock;
}

void put_in_place(const fs::path& part, const fs::path& file) {
  synchronise(part);
  if (std::rename(part.c_str(), file.c_str()) != 0) fail_on("write", file);
  synchronise(file.parent_path());
}

}  // namespace tandem::specs
