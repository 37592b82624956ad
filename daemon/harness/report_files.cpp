#include "daemon/harness/report_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::harness {

namespace {

namespace fs = std::filesystem;

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

namespace {

/// File names may have 255 bytes; this leaves room for the digest and for what writers put around a name.
constexpr std::size_t longest = 120;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '+';
}

bool is_safe(std::string_view text) {
  return !text.empty() && text.size() <= longest && text.front() != '.' && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), is_plain);
}

std::string spelled(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, longest)) {
    if (is_plain(c)) {
      name += c;
    } else if (c == ' ' || c == '\\' || c == ':' || c == '/') {
      name += '-';
    }
  }
  return name.empty() || name.front() == '.' || name.front() == '-' ? "_" + name : name;
}

std::string with_digest(std::string_view text) {
  return spelled(text) + "~" + sha256_of(text).substr(0, 12);
}

}  // namespace

std::string safe_name(std::string_view text) {
  if (text.empty()) return "unnamed~";
  return is_safe(text) ? std::string(text) : with_digest(text);
}

std::string safe_key_name(std::string_view type, std::string_view metric) {
  // With a metric without "-", the last "-" of the name is where the two meet.
  const bool clear = is_safe(type) && is_safe(metric) && metric.find('-') == std::string_view::npos;
  if (clear && type.size() + metric.size() < longest) return std::string(type) + "-" + std::string(metric);
  return with_digest(std::string(type) + " " + std::string(metric));
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_aside = 1000;

/// Sorts as the times do: 20240108T091200Z-000123-ID.json.
std::string name_of(std::chrono::system_clock::time_point time, const std::string& id) {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const auto rest = std::chrono::floor<std::chrono::microseconds>(since - seconds);
  std::string stamp = iso_time(seconds.count());
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  return fmt::format("{}-{:06}-{}.json", stamp, rest.count(), safe_name(id));
}

template <class Wanted>
std::vector<fs::path> files_in(const fs::path& directory, Wanted wanted) {
  std::vector<fs::path> files;
  std::error_code error;
  if (!fs::exists(directory, error)) return files;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& file = entry->path();
    if (!file.filename().string().starts_with('.') && wanted(file.extension())) files.push_back(file);
  }
  if (error) throw Error(fmt::format("cannot read {}: {}", directory.string(), error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Spool::Spool(fs::path directory, std::size_t limit) : directory_(std::move(directory)), limit_(limit) {}

void Spool::add(std::chrono::system_clock::time_point time, const std::string& id,
                const std::string& text) const {
  make_directories(directory_);
  const fs::path file = directory_ / name_of(time, id);
  if (waiting().size() >= limit_ && !fs::exists(file)) {
    throw Error(fmt::format("{} results wait in {} already, so this one is not kept for the server", limit_,
                            directory_.string()));
  }
  replace_file(file, text);
}

std::vector<fs::path> Spool::waiting() const {
  return files_in(directory_, [](const fs::path& extension) { return extension == ".json"; });
}

std::optional<std::string> Spool::read(const fs::path& file) {
  const std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  return in && !text.bad() ? std::optional(text.str()) : std::nullopt;
}

void Spool::remove(const fs::path& file) const {
  if (::unlink(file.c_str()) != 0 && errno != ENOENT)
    throw Error(fmt::format("cannot remove {}: {}", file.string(), std::strerror(errno)));
  // Not synced: what a power cut brings back is sent again under the same id.
}

void Spool::put_aside(const fs::path& file, const std::string& reason) const {
  const fs::path aside = file.string() + reason;
  if (::rename(file.c_str(), aside.c_str()) != 0)
    throw Error(fmt::format("cannot put {} aside: {}", file.string(), std::strerror(errno)));
  const auto all = files_in(
      directory_, [](const fs::path& extension) { return extension == ".bad" || extension == ".refused"; });
  for (std::size_t i = 0; i + most_aside < all.size(); ++i) remove(all[i]);
}

}  // namespace tandem::daemon::harness
