#include "builders/work_slot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

#include "builders/leftover_processes.hpp"
#include "specs/error.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using runners::OwnedDescriptor;

constexpr int slots = 100;

fs::path place_of(const fs::path& state_dir, int number) {
  return fs::absolute(state_dir) / "work" / fmt::format("{:02}", number);
}

/// Without a descriptor if another process has the slot, or if the directory is not of ours. A slot is only
/// ever made under its lock, whose file stays: a directory without one is somebody else's.
OwnedDescriptor lock(const fs::path& place) {
  const std::string file = place.string() + ".lock";
  std::error_code error;
  const bool is_made = fs::exists(fs::symlink_status(place, error));
  const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (is_made ? 0 : O_CREAT);
  OwnedDescriptor descriptor(::open(file.c_str(), flags, 0644));
  if (descriptor.get() < 0 && is_made && errno == ENOENT) return {};
  if (descriptor.get() < 0) throw Error(fmt::format("cannot write in '{}'", place.parent_path().string()));
  return ::flock(descriptor.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(descriptor) : OwnedDescriptor();
}

}  // namespace

WorkSlot::WorkSlot(const fs::path& state_dir) {
  for (int number = 0; number < slots; ++number) {
    path_ = place_of(state_dir, number);
    fs::create_directories(path_.parent_path());
    lock_ = lock(path_);
    if (lock_.get() < 0) continue;
    remove_tree(path_);
    fs::create_directory(path_);
    std::error_code unreadable;
    if (fs::is_empty(path_, unreadable)) return;
  }
  throw Error(fmt::format("all {} work directories in '{}' are in use or cannot be emptied", slots,
                          path_.parent_path().string()));
}

WorkSlot::~WorkSlot() {
  remove_tree(path_);
}

void clean_work(const fs::path& state_dir) {
  for (int number = 0; number < slots; ++number) {
    const fs::path place = place_of(state_dir, number);
    std::error_code error;
    if (!fs::exists(place, error)) continue;
    const OwnedDescriptor held = lock(place);
    if (held.get() < 0) continue;
    end_processes_in(place);
    remove_tree(place);
  }
}

void remove_tree(const fs::path& path) noexcept {
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) return;
  // Some build tools leave directories without write permission.
  try {
    const auto options = fs::directory_options::skip_permission_denied;
    fs::permissions(path, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow, error);
    for (fs::recursive_directory_iterator entry(path, options, error), end; !error && entry != end;
         entry.increment(error)) {
      std::error_code ignored;
      if (!entry->is_symlink(ignored) && entry->is_directory(ignored)) {
        fs::permissions(entry->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
      }
    }
  } catch (const std::exception&) {
    return;
  }
  fs::remove_all(path, error);
}

}  // namespace tandem::builders
