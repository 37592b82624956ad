#include "runners/program_copies.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "runners/sandbox.hpp"
#include "specs/error.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;

/// "PID-START" of a running process, in clock ticks since boot: numbers are used again, both together are
/// not.
std::string name_of_process(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string stat;
  std::getline(file, stat);
  const auto end_of_name = stat.rfind(')');
  if (end_of_name == std::string::npos) return {};
  std::istringstream fields(stat.substr(end_of_name + 1));
  std::string field;
  for (int number = 3; number <= 22 && fields >> field; ++number) {
  }
  return fmt::format("{}-{}", pid, field);
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

}  // namespace

ProgramCopies::ProgramCopies(const fs::path& scratch, const fs::path& control, const fs::path& treatment,
                             const LaunchPlan& plan) {
  std::string pattern = (scratch / fmt::format("tandem-{}-XXXXXX", name_of_process(::getpid()))).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw Error(fmt::format("cannot make a directory in {}: {}", scratch.string(), std::strerror(errno)));
  }
  directory_ = pattern;
  try {
    const std::size_t longest =
        std::max(control.filename().native().size(), treatment.filename().native().size());
    for (std::size_t slot = 0; slot < 2; ++slot) {
      const fs::path& original = plan.side_of(slot) == Side::control ? control : treatment;
      // Names may differ in length; the folder makes up for it.
      const std::size_t filler = longest - original.filename().native().size();
      const fs::path folder = directory_ / fmt::format("{}{}", slot, std::string(filler, '-'));
      fs::create_directory(folder);
      fs::permissions(folder, executable);
      paths_.at(slot) = folder / original.filename();
      fs::copy_file(original, paths_.at(slot));
      fs::permissions(paths_.at(slot), executable);
    }
  } catch (const fs::filesystem_error& error) {
    remove_tree(directory_);
    throw Error(fmt::format("cannot copy the programs: {}", error.what()));
  }
}

ProgramCopies::~ProgramCopies() {
  remove_tree(directory_);
}

fs::path ProgramCopies::scratch_in_slot(std::size_t slot, std::size_t number) const {
  fs::path folder = directory_ / fmt::format("scratch-{}-{}", slot, number);
  std::error_code error;
  if (fs::create_directory(folder, error)) give_to_sandbox(folder);
  if (error) throw Error(fmt::format("cannot make {}: {}", folder.string(), error.message()));
  return folder;
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
