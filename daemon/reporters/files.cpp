#include "daemon/reporters/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>

#include "runners/descriptor.hpp"
#include "specs/error.hpp"

namespace tandem::daemon::reporters {
namespace {

namespace fs = std::filesystem;
using runners::OwnedDescriptor;

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

/// What must come before new lines in a file of this size.
std::string before_new_lines(int descriptor, off_t size, const std::string& heading, const fs::path& file) {
  if (size == 0) return heading;
  if (read_at(descriptor, 0, heading.size()) != heading) {
    throw Error(
        fmt::format("{} begins with other columns than are written now; name another file", file.string()));
  }
  return read_at(descriptor, size - 1, 1) == "\n" ? "" : "\n";
}

}  // namespace

void make_directories(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw Error(fmt::format("cannot make {}: {}", directory.string(), error.message()));
}

std::string temporary_name() {
  static std::atomic<unsigned> count = 0;
  // The time tells it from a name that an earlier process of the same number left behind.
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return fmt::format(".new-{}-{}-{}", ::getpid(), now, ++count);
}

void write_file(const fs::path& file, const std::string& text) {
  const OwnedDescriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (out.get() < 0 || !write_all(out.get(), text) || ::fsync(out.get()) != 0) fail("write", file);
}

void replace_file(const fs::path& file, const std::string& text) {
  const fs::path temporary = file.parent_path() / temporary_name();
  try {
    write_file(temporary, text);
    if (::rename(temporary.c_str(), file.c_str()) != 0) fail("replace", file);
  } catch (const Error&) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_directory(file.parent_path());
}

void sync_directory(const fs::path& directory) {
  const OwnedDescriptor folder(
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 || ::fsync(folder.get()) != 0) fail("sync", directory);
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

}  // namespace tandem::daemon::reporters
