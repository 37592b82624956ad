#include "runners/orphans.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace tandem::runners {
namespace {

std::mutex mutex;
std::set<int> adopted;

std::vector<int> direct_children() {
  std::vector<int> children;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream file(task.path() / "children");
    for (int pid = 0; file >> pid;) children.push_back(pid);
  }
  return children;
}

bool is_zombie(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string stat;
  std::getline(file, stat);
  const auto end_of_name = stat.rfind(')');
  return end_of_name == std::string::npos || stat.compare(end_of_name + 2, 1, "Z") == 0;
}

/// The first process of a pid namespace comes to us when bubblewrap ends: a sandbox on its way out, whose
/// processes the shim has counted.
bool is_sandbox(int pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("NSpid:")) return line.ends_with("\t1");
  }
  return false;
}

}  // namespace

std::unique_lock<std::mutex> Orphans::hold() {
  std::unique_lock held(mutex);
  // Whoever became this program by exec may have had children of its own; those are not ours to kill.
  static const bool once = [] {
    for (const int pid : direct_children()) adopted.insert(pid);
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
  }();
  static_cast<void>(once);
  return held;
}

void Orphans::adopt(int pid) {
  adopted.insert(pid);
}

void Orphans::release(int pid) {
  const std::lock_guard lock(mutex);
  adopted.erase(pid);
}

std::size_t Orphans::sweep() {
  const std::lock_guard lock(mutex);
  std::size_t alive = 0;
  // Killing one generation hands us the next; ten generations are more than any program in its right mind
  // has.
  for (int generation = 0; generation < 10; ++generation) {
    bool found = false;
    for (const int pid : direct_children()) {
      if (adopted.contains(pid) || getpgid(pid) == getpgrp()) continue;
      found = true;
      if (!is_zombie(pid) && !is_sandbox(pid)) ++alive;
      kill(pid, SIGKILL);
      reap(pid, std::chrono::seconds{1});
    }
    if (!found) break;
  }
  return alive;
}

bool reap(int pid, std::chrono::milliseconds patience) {
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (descriptor >= 0) {
    pollfd item{descriptor, POLLIN, 0};
    poll(&item, 1, static_cast<int>(patience.count()));
    close(descriptor);
  }
  return waitpid(pid, nullptr, WNOHANG) != 0;
}

}  // namespace tandem::runners
