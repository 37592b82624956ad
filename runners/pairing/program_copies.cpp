#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sendfile.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runners/pairing/launch_command.hpp"
#include "runners/process/sandbox.hpp"
#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/process_identity.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;

/// "PID-START" of a running process: numbers are used again, both together are not. Empty: there is none.
std::string name_of_process(int pid) {
  const std::string identity = process_identity(pid);
  return identity.empty() ? "" : fmt::format("{}-{}", pid, identity.substr(identity.find('/') + 1));
}

/// A program may have closed its directories to everyone; we own them or are root.
void open_directories(const fs::path& directory) {
  std::error_code error;
  fs::permissions(directory, fs::perms::owner_all, fs::perm_options::add, error);
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.is_directory(error) && !entry.is_symlink(error)) open_directories(entry.path());
  }
}

void remove_tree(const fs::path& directory) {
  std::error_code error;
  fs::remove_all(directory, error);
  if (!error) return;
  open_directories(directory);
  fs::remove_all(directory, error);
}

/// For every user: as whom a sandboxed program runs is not our affair, and the directory above is closed.
constexpr fs::perms executable = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                                 fs::perms::others_read | fs::perms::others_exec;

/// Piece by piece, for a stop may come between.
void copy_content(const fs::path& from, const fs::path& to) {
  const auto fail = [&] {
    throw fs::filesystem_error("cannot copy", from, to, std::error_code(errno, std::generic_category()));
  };
  const OwnedDescriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (source.get() < 0) fail();
  const OwnedDescriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700));
  if (target.get() < 0) fail();
  constexpr std::size_t piece = std::size_t{16} << 20;
  for (;;) {
    StopScope::give_up_if_stopped();
    const ssize_t copied = ::sendfile(target.get(), source.get(), nullptr, piece);
    if (copied == 0) return;
    if (copied < 0 && errno != EINTR) fail();
  }
}

void copy_program(const fs::path& from, const fs::path& to) {
  copy_content(from, to);
  fs::permissions(to, executable);
}

/// What is beside a program: its libraries, its data.
void copy_folder(const fs::path& from, const fs::path& to) {
  constexpr std::uintmax_t large = std::uintmax_t{16} << 20;
  for (const auto& entry : fs::directory_iterator(from)) {
    const fs::path target = to / entry.path().filename();
    if (entry.is_symlink()) {
      fs::copy_symlink(entry.path(), target);
    } else if (entry.is_directory()) {
      fs::create_directory(target);
      fs::permissions(target, executable);
      copy_folder(entry.path(), target);
    } else if (::access(entry.path().c_str(), X_OK) != 0 && entry.file_size() > large) {
      fs::create_symlink(fs::absolute(entry.path()), target);
    } else {
      copy_program(entry.path(), target);
    }
  }
}

void expect_execution_in(const fs::path& directory) {
  struct statvfs status {};
  if (::statvfs(directory.c_str(), &status) != 0 || (status.f_flag & ST_NOEXEC) == 0) return;
  throw Error(
      fmt::format("{} lies on a file system that allows no execution (noexec); choose another --state_dir",
                  directory.parent_path().string()));
}

std::string prefix_of(std::size_t slot, Scratch scratch) {
  return fmt::format("{}-{}-", scratch == Scratch::own ? "scratch" : "another", slot);
}

}  // namespace

ProgramCopies::ProgramCopies(const fs::path& scratch, const ProgramPair& pair, const LaunchPlan& plan) {
  std::string pattern = (scratch / fmt::format("tandem-{}-XXXXXX", name_of_process(::getpid()))).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw Error(fmt::format("cannot make a directory in {}: {}", scratch.string(), std::strerror(errno)));
  }
  directory_ = pattern;
  let_sandbox_enter(directory_);
  try {
    expect_execution_in(directory_);
    const std::size_t longest =
        std::max(pair.control.filename().native().size(), pair.treatment.filename().native().size());
    for (std::size_t slot = 0; slot < 2; ++slot) {
      const fs::path& original = pair.of(plan.side_of(slot));
      const fs::path& whole = pair.folder_of(plan.side_of(slot));
      // Names may differ in length; the folder makes up for it.
      const std::size_t filler = longest - original.filename().native().size();
      const fs::path folder = directory_ / fmt::format("{}{}", slot, std::string(filler, '-'));
      fs::create_directory(folder);
      fs::permissions(folder, executable);
      folders_.at(slot) = folder;
      if (whole.empty()) {
        paths_.at(slot) = folder / original.filename();
        copy_program(original, paths_.at(slot));
      } else {
        paths_.at(slot) = folder / original.lexically_relative(whole);
        copy_folder(whole, folder);
      }
    }
  } catch (const Stopped&) {
    remove_tree(directory_);
    throw;
  } catch (const Error&) {
    remove_tree(directory_);
    throw;
  } catch (const fs::filesystem_error& error) {
    remove_tree(directory_);
    throw Error(fmt::format("cannot copy the programs: {}", error.what()));
  }
}

ProgramCopies::~ProgramCopies() {
  remove_tree(directory_);
}

fs::path ProgramCopies::scratch_in_slot(std::size_t slot, std::size_t number, Scratch scratch) const {
  fs::path folder = directory_ / (prefix_of(slot, scratch) + std::to_string(number));
  std::error_code error;
  if (fs::create_directory(folder, error)) give_to_sandbox(folder);
  if (error) throw Error(fmt::format("cannot make {}: {}", folder.string(), error.message()));
  return folder;
}

void ProgramCopies::copy_scratch(std::size_t slot) const {
  const std::string prefix = prefix_of(slot, Scratch::own);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory_, error)) {
    const std::string name = entry.path().filename().string();
    if (error || !name.starts_with(prefix)) continue;
    const fs::path to = directory_ / (prefix_of(slot, Scratch::spare) + name.substr(prefix.size()));
    fs::copy(entry.path(), to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
    if (error) break;
    give_to_sandbox(to);
  }
  if (error) throw Error(fmt::format("cannot copy what was written before the launch: {}", error.message()));
}

std::size_t clear_leftover_copies(const fs::path& scratch) {
  constexpr std::string_view prefix = "tandem-";
  std::size_t cleared = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(scratch, error)) {
    const std::string name = entry.path().filename().string();
    const auto last_dash = name.rfind('-');
    if (!name.starts_with(prefix) || last_dash < prefix.size() || entry.is_symlink(error)) continue;
    const std::string process = name.substr(prefix.size(), last_dash - prefix.size());
    int pid = 0;
    const auto [end, wrong] = std::from_chars(process.data(), process.data() + process.size(), pid);
    if (wrong != std::errc{} || *end != '-' || name_of_process(pid) == process) continue;
    remove_tree(entry.path());
    ++cleared;
  }
  return cleared;
}

}  // namespace tandem::runners
