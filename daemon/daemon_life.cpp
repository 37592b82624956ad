#include "daemon/daemon_life.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "runners/descriptor.hpp"
#include "specs/process_identity.hpp"

namespace tandem::daemon {

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
  return specs::process_identity(process.pid) == process.identity ? DaemonLife::runs : DaemonLife::dead;
}

}  // namespace tandem::daemon
