#include "specs/partial_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <utility>

#include "specs/digest.hpp"
#include "specs/error.hpp"

namespace tandem::specs {
namespace {

constexpr std::string_view heading = "tandem part 1";

}  // namespace

PartialFile::PartialFile(std::filesystem::path part, const std::string& url)
    : part_(std::move(part)),
      origin_(origin_of(part_)),
      source_(digests_of(url).sha256),  // an address may hold a password
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
  if (!std::getline(file, first) || first != heading || !std::getline(file, source) || source != source_ ||
      !std::getline(file, validator) || !std::getline(file, total)) {
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
  file << heading << '\n' << source_ << '\n' << validator << '\n';
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

std::filesystem::path origin_of(const std::filesystem::path& part) {
  return part.string() + ".from";
}

void remove_partial(const std::filesystem::path& part) {
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  std::filesystem::remove(origin_of(part), ignored);
}

}  // namespace tandem::specs
