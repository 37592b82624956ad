#include "daemon/process_identity.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

#include "runners/descriptor.hpp"

namespace tandem::daemon {
namespace {

std::string line_of(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

std::string process_identity(int pid) {
  const std::string line = line_of(fmt::format("/proc/{}/stat", pid));
  // The name of the program stands in parentheses and may hold some itself; what follows does not.
  const auto name_end = line.rfind(')');
  if (pid <= 0 || name_end == std::string::npos) return {};
  std::istringstream fields(line.substr(name_end + 1));
  constexpr int fields_before_start = 19;  // proc(5): the start is the 22nd, the name the 2nd
  std::string field;
  for (int i = 0; i <= fields_before_start; ++i) fields >> field;
  if (!fields) return {};
  return fmt::format("{}/{}", line_of("/proc/sys/kernel/random/boot_id"), field);
}

std::string this_process() {
  return process_identity(::getpid());
}

report::DaemonLife daemon_life(const std::filesystem::path& state_dir, const report::StatusProcess& process) {
  using report::DaemonLife;
  const auto ended = process.has_stopped ? DaemonLife::stopped : DaemonLife::dead;
  const auto file = state_dir / "daemon.lock";
  const runners::OwnedDescriptor lock(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
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
