#include "runners/host/fix_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runners/host/fix.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_journal = std::size_t{1} << 20;

[[noreturn]] void fail_journal(const char* what, const fs::path& path) {
  throw Error(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno)));
}

/// The kernel's words for such values; nothing that a line or a shell could stumble over.
bool is_value(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
             std::string_view::npos;
}

std::string line_of(const HostChange& change) {
  return fmt::format("{}\t{}\t{}\n", change.file, change.before, change.wanted);
}

void write_journal(int file, std::string_view text, const fs::path& path) {
  while (!text.empty()) {
    const auto written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) fail_journal("write", path);
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fdatasync(file) != 0) fail_journal("write", path);
}

std::string read_all(int file, const fs::path& path) {
  std::string text;
  std::array<char, 4096> piece{};
  while (text.size() < longest_journal) {
    const auto length = ::read(file, piece.data(), piece.size());
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) fail_journal("read", path);
    if (length == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(length));
  }
  return text;
}

}  // namespace

std::vector<HostChange> read_journal(std::string_view text, std::string_view heading) {
  std::vector<HostChange> changes;
  if (!text.starts_with(heading)) return changes;
  text.remove_prefix(heading.size());
  // What has no newline was never followed by the change.
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const auto first = line.find('\t');
    const auto second = first == std::string_view::npos ? first : line.find('\t', first + 1);
    if (second == std::string_view::npos) continue;
    HostChange change{std::string(line.substr(0, first)),
                      std::string(line.substr(first + 1, second - first - 1)),
                      std::string(line.substr(second + 1))};
    if (is_setting_file(change.file) && is_value(change.before) && is_value(change.wanted)) {
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

PlatformJournal::PlatformJournal(const PlatformSources& sources, fs::path file)
    : path_(std::move(file)),
      heading_(fmt::format(
          "tandem-platform 1 {}\n",
          first_line(sources, "proc/sys/kernel/random/boot_id").value_or("unknown").substr(0, 64))) {
  const OwnedDescriptor old(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (old.get() < 0) {
    if (errno != ENOENT) fail_journal("open", path_);
    return;
  }
  struct stat about {};
  if (::fstat(old.get(), &about) != 0) fail_journal("open", path_);
  // Whoever can write here decides what is set as root.
  if (!S_ISREG(about.st_mode) || about.st_uid != ::geteuid()) {
    throw Error(fmt::format("{} was not written by tandem as this user; remove it", path_.string()));
  }
  left_ = read_journal(read_all(old.get(), path_), heading_);
}

void PlatformJournal::add(const HostChange& change) {
  if (file_.get() < 0)
    keep_only({change});
  else
    write_journal(file_.get(), line_of(change), path_);
}

void PlatformJournal::keep_only(const std::vector<HostChange>& changes) {
  file_ = OwnedDescriptor();
  if (changes.empty()) {
    if (::unlink(path_.c_str()) != 0 && errno != ENOENT) fail_journal("remove", path_);
    return;
  }
  fs::path next = path_;
  next += ".next";
  ::unlink(next.c_str());
  OwnedDescriptor opened(::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (opened.get() < 0) fail_journal("write", next);
  std::string text = heading_;
  for (const HostChange& change : changes) text += line_of(change);
  write_journal(opened.get(), text, next);
  if (::rename(next.c_str(), path_.c_str()) != 0) fail_journal("write", path_);
  const OwnedDescriptor folder(::open(path_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) static_cast<void>(::fsync(folder.get()));
  file_ = std::move(opened);
}

}  // namespace tandem::runners
