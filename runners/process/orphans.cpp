#include "runners/process/orphans.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tandem::runners {
namespace {

std::mutex mutex;
using Environment = std::set<std::string>;
std::map<int, Environment> adopted;

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

Environment environment_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
  Environment environment;
  for (std::string entry; std::getline(file, entry, '\0');) environment.insert(entry);
  return environment;
}

/// A shell hands on what it was given in another order, and adds to it.
bool was_given(const Environment& environment, const Environment& given) {
  return !given.empty() && std::includes(environment.begin(), environment.end(), given.begin(), given.end());
}

/// `own` is the environment of the child that has ended: two that were started alike cannot be told apart.
bool belongs_to_adopted(int pid, const Environment& own) {
  if (adopted.contains(pid) || adopted.contains(getsid(pid))) return true;
  const Environment environment = environment_of(pid);
  if (was_given(environment, own)) return false;
  return std::any_of(adopted.begin(), adopted.end(),
                     [&](const auto& child) { return was_given(environment, child.second); });
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

std::size_t kill_all(const Environment& own) {
  std::size_t alive = 0;
  // Killing one generation hands us the next; ten generations are more than any program in its right mind
  // has.
  for (int generation = 0; generation < 10; ++generation) {
    bool found = false;
    for (const int pid : direct_children()) {
      if (getpgid(pid) == getpgrp() || belongs_to_adopted(pid, own)) continue;
      found = true;
      if (!is_zombie(pid) && !is_sandbox(pid)) ++alive;
      kill(pid, SIGKILL);
      reap(pid, std::chrono::seconds{1});
    }
    if (!found) break;
  }
  return alive;
}

}  // namespace

std::unique_lock<std::mutex> Orphans::hold() {
  std::unique_lock held(mutex);
  // Whoever became this program by exec may have had children of its own; those are not ours to kill.
  static const bool once = [] {
    for (const int pid : direct_children()) adopted.emplace(pid, Environment());
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
  }();
  static_cast<void>(once);
  return held;
}

void Orphans::adopt(int pid, const char* const* environment) {
  Environment& given = adopted[pid];
  for (given.clear(); *environment != nullptr; ++environment) given.insert(*environment);
}

std::size_t Orphans::sweep_after(int pid) {
  const std::lock_guard lock(mutex);
  const auto ended = adopted.extract(pid);
  return kill_all(ended ? ended.mapped() : Environment());
}

void Orphans::sweep() {
  const std::lock_guard lock(mutex);
  kill_all({});
}

bool reap(int pid, std::chrono::milliseconds patience) {
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (descriptor >= 0) {
    pollfd item{descriptor, POLLIN, 0};
    ::poll(&item, 1, static_cast<int>(patience.count()));
    ::close(descriptor);
  }
  return waitpid(pid, nullptr, WNOHANG) != 0;
}

}  // namespace tandem::runners
