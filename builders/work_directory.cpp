#include "builders/work_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/process_identity.hpp"

namespace tandem::builders {

namespace {

namespace fs = std::filesystem;
using runners::Finished;

constexpr int slots = 100;

fs::path place_of(const fs::path& state_dir, int number) {
  return fs::absolute(state_dir) / "work" / fmt::format("{:02}", number);
}

/// Without a descriptor if another process has the slot, or if the directory is not of ours. A slot is only
/// ever made under its lock, whose file stays: a directory without one is somebody else's.
OwnedDescriptor lock_slot(const fs::path& place) {
  const std::string file = place.string() + ".lock";
  std::error_code error;
  const bool is_made = fs::exists(fs::symlink_status(place, error));
  const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (is_made ? 0 : O_CREAT);
  OwnedDescriptor descriptor(::open(file.c_str(), flags, 0644));
  if (descriptor.get() < 0 && is_made && errno == ENOENT) return {};
  if (descriptor.get() < 0) throw Error(fmt::format("cannot write in '{}'", place.parent_path().string()));
  return ::flock(descriptor.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(descriptor) : OwnedDescriptor();
}

/// Beside the directory, where the work cannot write.
fs::path note_of(const fs::path& directory) {
  return directory.string() + ".started";
}

struct Noted {
  pid_t pid = 0;         ///< of the session as well: every command leads one of its own
  std::string identity;  ///< empty: nothing is noted
};

void write_note(const fs::path& directory, int pid) {
  const fs::path fresh = note_of(directory).string() + ".new";
  // Not written through to the disk: it serves no longer than the host runs.
  errno = 0;
  std::ofstream file(fresh);
  file << pid << ' ' << process_identity(pid) << std::endl;
  if (!file) throw std::system_error(errno, std::generic_category(), "cannot write " + fresh.string());
  fs::rename(fresh, note_of(directory));
}

void remove_note(const fs::path& directory) {
  std::error_code ignored;
  fs::remove(note_of(directory), ignored);
}

/// What was noted before the host was started again means nobody.
Noted read_note(const fs::path& directory) {
  Noted noted;
  std::ifstream(note_of(directory)) >> noted.pid >> noted.identity;
  const std::string now = this_process();
  const std::string boot = now.substr(0, now.find('/') + 1);
  return noted.pid > 1 && !boot.empty() && noted.identity.starts_with(boot) ? noted : Noted{};
}

bool is_meant(pid_t pid, const Noted& noted) {
  if (pid == noted.pid) return process_identity(pid) == noted.identity;
  if (::getsid(pid) != noted.pid) return false;
  // The number of a session is not used again while it has members, but afterwards somebody else may lead it.
  const std::string leader = process_identity(noted.pid);
  return leader.empty() || leader == noted.identity;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> processes;
  for (const fs::path& folder : paths_in("/proc")) {
    const std::string name = folder.filename();
    const bool number =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); });
    if (number && name.size() < 10) processes.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return processes;
}

}  // namespace

WorkSlot::WorkSlot(const fs::path& state_dir) {
  for (int number = 0; number < slots; ++number) {
    path_ = place_of(state_dir, number);
    fs::create_directories(path_.parent_path());
    lock_ = lock_slot(path_);
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
    const OwnedDescriptor held = lock_slot(place);
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

Finished run_noted(const fs::path& directory, const runners::Command& command, const runners::Limits& limits,
                   const std::stop_token& stop) {
  using runners::Children;
  Children children;
  Children::Options options;
  options.output_bytes = limits.output_bytes;
  const auto deadline = Children::Clock::now() + limits.deadline;
  const std::size_t child = children.start(command, options);
  if (children.running(child)) write_note(directory, children.pid(child));
  while (children.running(child)) {
    const auto event = children.wait(deadline, stop);
    if (event.kind == Children::Event::Kind::deadline) children.end(child, Finished::How::timed_out);
    if (event.kind == Children::Event::Kind::stopped) children.end(child, Finished::How::stopped);
  }
  remove_note(directory);
  return children.take(child);
}

void end_processes_in(const fs::path& directory) {
  const Noted noted = read_note(directory);
  // One that is being started while we look is met in the next pass.
  constexpr int passes = 5;
  bool found = !noted.identity.empty();
  for (int pass = 0; found && pass < passes; ++pass) {
    found = false;
    for (const pid_t pid : all_processes()) {
      // Held before it is looked at, so that the process looked at is the one that is killed.
      const OwnedDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
      if (process.get() < 0 || !is_meant(pid, noted)) continue;
      found = true;
      ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
      pollfd ended{process.get(), POLLIN, 0};
      ::poll(&ended, 1, 1000);
    }
  }
  remove_note(directory);
}

}  // namespace tandem::builders
