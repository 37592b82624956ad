#include "specs/foundation/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_write(const fs::path& file, const char* doing) {
  throw HostError(fmt::format("cannot {} {}: {}", doing, file.string(), std::strerror(errno)));
}

/// The same, after the half-written file beside it is gone.
[[noreturn]] void give_up_writing(const fs::path& temporary, const fs::path& file, const char* doing) {
  const int error = errno;
  ::unlink(temporary.c_str());
  errno = error;
  fail_to_write(file, doing);
}

/// Another process of this number.
bool is_alive(pid_t pid) {
  return pid != ::getpid() && (::kill(pid, 0) == 0 || errno == EPERM);
}

}  // namespace

void make_directories(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw HostError(fmt::format("cannot make {}: {}", directory.string(), error.message()));
}

std::vector<fs::path> paths_in(const fs::path& directory, std::error_code& error) {
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    paths.push_back(entry->path());
  }
  return paths;
}

std::vector<fs::path> paths_in(const fs::path& directory) {
  std::error_code ignored;
  return paths_in(directory, ignored);
}

void write_file(const fs::path& file, std::string_view text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
}

void write_by_rename(const fs::path& file, const std::string& text) {
  const fs::path temporary = fmt::format("{}.{}.new", file.string(), ::getpid());
  {
    const OwnedDescriptor out(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (out.get() < 0) fail_to_write(file, "write");
    std::string_view rest = text;
    while (!rest.empty()) {
      const auto written = ::write(out.get(), rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) give_up_writing(temporary, file, "write");
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(out.get()) != 0) give_up_writing(temporary, file, "sync");
  }
  if (::rename(temporary.c_str(), file.c_str()) != 0) give_up_writing(temporary, file, "replace");
  const fs::path directory = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const OwnedDescriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) ::fsync(folder.get());
}

std::optional<int> writer_of(const std::string& name, const std::string& file) {
  constexpr std::string_view ending = ".new";
  if (!name.starts_with(file + ".") || !name.ends_with(ending)) return std::nullopt;
  const std::size_t begin = file.size() + 1;
  if (name.size() <= begin + ending.size()) return std::nullopt;
  const char* const last = name.data() + name.size() - ending.size();
  int pid = 0;
  const auto [end, error] = std::from_chars(name.data() + begin, last, pid);
  if (error != std::errc{} || end != last || pid <= 0) return std::nullopt;
  return pid;
}

void remove_half_written(const fs::path& folder, const std::vector<std::string>& files) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    for (const std::string& file : files) {
      const auto writer = writer_of(entry.path().filename(), file);
      if (!writer || is_alive(*writer)) continue;
      std::error_code ignored;
      if (entry.is_regular_file(ignored) && !entry.is_symlink(ignored)) fs::remove(entry.path(), ignored);
    }
  }
}

std::optional<std::string> read_small_file(const fs::path& file, std::uintmax_t most_bytes) {
  // A pipe in its place must not block.
  const OwnedDescriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat facts {};
  if (in.get() < 0 || ::fstat(in.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  if (static_cast<std::uintmax_t>(facts.st_size) > most_bytes) return std::nullopt;
  std::string text;
  std::array<char, 65536> buffer{};
  while (text.size() <= most_bytes) {
    const auto got = ::read(in.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return std::nullopt;
}

TemporaryDirectory::TemporaryDirectory(std::string_view prefix, const fs::path& parent) {
  std::string pattern = (parent / fmt::format("{}XXXXXX", prefix)).string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw HostError(fmt::format("cannot make a directory in {}: {}", parent.string(), std::strerror(errno)));
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string search_path() {
  const char* path = std::getenv("PATH");
  return path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
}

std::optional<fs::path> find_on_path(std::string_view name, std::string_view directories) {
  while (!name.empty() && !directories.empty()) {
    const std::string_view directory = directories.substr(0, directories.find(':'));
    const fs::path file = fs::path(directory) / name;
    std::error_code error;
    if (file.is_absolute() && fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0)
      return file;
    directories.remove_prefix(std::min(directory.size() + 1, directories.size()));
  }
  return std::nullopt;
}

MappedFile::MappedFile(const fs::path& file) {
  const auto fail = [&](int error) {
    throw std::system_error(error, std::generic_category(), "cannot read " + file.string());
  };
  // Without O_NONBLOCK a named pipe would wait for its other end.
  const OwnedDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) fail(errno);
  if (!S_ISREG(status.st_mode)) fail(EINVAL);
  if (status.st_size == 0) return;
  size_ = static_cast<std::size_t>(status.st_size);
  void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
  if (mapped == MAP_FAILED) fail(errno);
  start_ = static_cast<char*>(mapped);
}

MappedFile::~MappedFile() {
  if (start_ != nullptr) ::munmap(start_, size_);
}

}  // namespace tandem
