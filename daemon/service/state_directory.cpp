#include "daemon/service/state_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <random>
#include <set>

#include "daemon/store/schema.hpp"
#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/process_identity.hpp"

namespace tandem::daemon {

namespace {

namespace fs = std::filesystem;
using report::StateMarker;

constexpr const char* marker_name = "tandem.state";
constexpr const char* owner_name = "tandem.owner";
constexpr std::uintmax_t most_marker_bytes = 4096;
constexpr std::uintmax_t most_status_bytes = 16 << 20;
constexpr std::size_t run_digits = 16;

std::string random_hex(std::size_t digits) {
  std::random_device random;
  std::string text;
  while (text.size() < digits) text += fmt::format("{:08x}", random());
  return text.substr(0, digits);
}

/// What lies in it, without what says nothing about whose it is.
std::vector<fs::path> contents(const fs::path& directory) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    // A new file system has the first; the second is left by a process that was killed while it marked it.
    if (name == "lost+found" || writer_of(name, marker_name)) continue;
    found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Earlier versions of `tandem run` left folders and no other sign.
bool is_of_earlier_runs(const fs::path& directory, const std::vector<fs::path>& entries) {
  static const std::set<std::string> may_be_there = {"cache",  "ccache", "logs", "mirrors",
                                                     "models", "spool",  "work"};
  const bool known = std::all_of(entries.begin(), entries.end(), [](const fs::path& entry) {
    return may_be_there.contains(entry.filename()) && fs::is_directory(fs::symlink_status(entry));
  });
  if (!known) return false;
  // Nothing is ever removed from these two.
  if (std::all_of(entries.begin(), entries.end(), [](const fs::path& entry) {
        return entry.filename() == "models" || entry.filename() == "spool";
      })) {
    return true;
  }
  std::error_code error;
  for (const auto& mirror : fs::directory_iterator(directory / "mirrors", error)) {
    if (mirror.path().filename().string().starts_with("run-") && fs::exists(mirror.path() / "HEAD", error)) {
      return true;
    }
  }
  return false;
}

/// The marker; nothing if the directory is to be marked. Throws InputError if it is not ours.
std::optional<StateMarker> examine(const fs::path& directory) {
  std::error_code error;
  const auto status = fs::status(directory, error);
  if (!fs::exists(status)) return std::nullopt;
  if (!fs::is_directory(status)) {
    throw InputError(fmt::format("--state_dir {}: it is not a directory", directory.string()));
  }
  try {
    if (const auto text = read_small_file(directory / marker_name, most_marker_bytes)) {
      const auto marker = report::marker_from_json(*text);
      if (marker && marker->version > state_version) {
        throw InputError(
            fmt::format("--state_dir {}: its format is version {}, and this program knows versions up to {}; "
                        "use the newer program or another directory",
                        directory.string(), marker->version, state_version));
      }
      if (marker) return marker;
    }
    const std::vector<fs::path> entries = contents(directory);
    if (entries.empty() || store::is_store_file(directory / "tandem.db")) return std::nullopt;
    const auto shown = read_small_file(directory / "status.json", most_status_bytes);
    if (shown && report::is_status_json(*shown)) return std::nullopt;
    if (is_of_earlier_runs(directory, entries)) return std::nullopt;
    throw InputError(
        fmt::format("--state_dir {}: it is not empty and no state directory of tandem (it holds {}); give a "
                    "new or an empty directory. Nothing in it was changed",
                    directory.string(), entries.front().filename().string()));
  } catch (const fs::filesystem_error& failure) {
    throw Error(fmt::format("cannot look into {}: {}", directory.string(), failure.code().message()));
  }
}

}  // namespace

void check_state_directory(const fs::path& directory) {
  static_cast<void>(examine(directory));
}

StateMarker claim_state_directory(const fs::path& directory) {
  if (auto marker = examine(directory)) return *marker;
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw Error(fmt::format("cannot make {}: {}", directory.string(), error.message()));
  const StateMarker marker{state_version, random_hex(32)};
  write_by_rename(directory / marker_name, report::marker_json(marker));
  // Another process may have marked it at the same time: the last one counts for both.
  return examine(directory).value_or(marker);
}

ScratchDirectory::ScratchDirectory(const fs::path& state_dir, const std::string& state_id) {
  const fs::path scratch = state_dir / "scratch";
  std::error_code error;
  fs::create_directories(scratch, error);
  if (error) throw Error(fmt::format("cannot make {}: {}", scratch.string(), error.message()));
  for (const auto& entry : fs::directory_iterator(scratch, error)) {
    const std::string name = entry.path().filename();
    const bool named_so = name.size() == run_digits + 4 && name.starts_with("run-") &&
                          name.find_first_not_of("0123456789abcdef", 4) == std::string::npos;
    const auto text = read_small_file(entry.path() / owner_name, most_marker_bytes);
    const auto folder = text ? report::owned_folder_from_json(*text) : std::nullopt;
    std::error_code failed;
    if (named_so && folder && folder->owner == state_id && !entry.is_symlink(failed)) {
      fs::remove_all(entry.path(), failed);
    } else if (!named_so || ::rmdir(entry.path().c_str()) != 0) {
      foreign_.push_back(entry.path());
    }
  }
  path_ = scratch / ("run-" + random_hex(run_digits));
  fs::create_directory(path_, error);
  if (error) throw Error(fmt::format("cannot make {}: {}", path_.string(), error.message()));
  write_by_rename(path_ / owner_name, report::owned_folder_json({state_id}));
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

report::DaemonLife daemon_life(const std::filesystem::path& state_dir, const report::StatusProcess& process) {
  using report::DaemonLife;
  const auto ended = process.has_stopped ? DaemonLife::stopped : DaemonLife::dead;
  const auto file = state_dir / "daemon.lock";
  const OwnedDescriptor lock(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (lock.get() >= 0) {
    if (::flock(lock.get(), LOCK_SH | LOCK_NB) == 0) return ended;
    if (errno == EWOULDBLOCK) return DaemonLife::runs;
  } else if (errno == ENOENT) {
    return ended;
  }
  if (process.has_stopped) return DaemonLife::stopped;
  if (process.identity.empty()) return DaemonLife::unknown;
  return process_identity(process.pid) == process.identity ? DaemonLife::runs : DaemonLife::dead;
}

}  // namespace tandem::daemon
