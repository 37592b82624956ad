#include "runners/process/control_group.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;

/// Files of the kernel take a value in one write, and say there whether they accept it.
bool put(const fs::path& file, const std::string& value) {
  const OwnedDescriptor descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return descriptor.get() >= 0 &&
         ::write(descriptor.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

std::vector<std::string> words_in(const fs::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool has(const fs::path& file, std::string_view wanted) {
  for (const std::string& word : words_in(file)) {
    if (word == wanted) return true;
  }
  return false;
}

/// The number after a name in a file of events.
std::uint64_t count_of(const fs::path& file, std::string_view name) {
  const auto words = words_in(file);
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == name) return std::stoull(words[i + 1]);
  }
  return 0;
}

/// Where groups of version 2 are mounted whole; empty if nowhere.
fs::path mount_point() {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream fields(line);
    std::string number, parent, device, root, point;
    fields >> number >> parent >> device >> root >> point;
    if (root == "/") return point;
  }
  return {};
}

/// The group of this process; empty if it is in none.
fs::path own_group() {
  constexpr std::string_view beginning = "0::/";
  const fs::path mounted = mount_point();
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; !mounted.empty() && std::getline(groups, line);) {
    if (line.starts_with(beginning)) return mounted / line.substr(beginning.size());
  }
  return {};
}

bool is_delegated(const fs::path& group) {
  for (const char* name : {"trusted.delegate", "user.delegate"}) {
    char value = 0;
    if (::getxattr(group.c_str(), name, &value, 1) == 1 && value == '1') return true;
  }
  return false;
}

constexpr const char* inner_name = "supervisor";

/// Moves everybody out of the delegated group and turns its controllers on for the groups below.
std::optional<fs::path> take_over() {
  fs::path group = own_group();
  if (group.filename() == inner_name) group = group.parent_path();  // somebody of this unit was here before
  if (group.empty() || !is_delegated(group)) return std::nullopt;
  if (!has(group / "cgroup.controllers", "memory") || !has(group / "cgroup.controllers", "pids")) {
    return std::nullopt;
  }
  const fs::path inner = group / inner_name;
  std::error_code error;
  fs::create_directory(inner, error);
  constexpr int passes = 10;  // whoever was being started meanwhile is met in the next one
  for (int pass = 0; pass < passes; ++pass) {
    const auto processes = words_in(group / "cgroup.procs");
    if (processes.empty()) break;
    for (const std::string& process : processes) put(inner / "cgroup.procs", process);
  }
  if (!put(group / "cgroup.subtree_control", "+memory +pids")) return std::nullopt;
  return group;
}

}  // namespace

std::unique_ptr<ControlGroup> ControlGroup::make(const Limits& limits) {
  static const std::optional<fs::path> delegated = take_over();
  if (!delegated || (limits.memory_bytes == 0 && limits.tasks == 0)) return nullptr;
  static std::atomic<unsigned> made = 0;
  const fs::path directory = *delegated / fmt::format("child-{}-{}", ::getpid(), ++made);
  std::error_code error;
  if (!fs::create_directory(directory, error)) return nullptr;
  std::unique_ptr<ControlGroup> group(new ControlGroup(directory));
  if (limits.memory_bytes != 0) {
    if (!put(directory / "memory.max", std::to_string(limits.memory_bytes))) return nullptr;
    put(directory / "memory.swap.max", "0");   // not there on kernels without swap
    put(directory / "memory.oom.group", "1");  // all of it ends, not its largest process alone
  }
  if (limits.tasks != 0 && !put(directory / "pids.max", std::to_string(limits.tasks))) return nullptr;
  group->door_ = OwnedDescriptor(::open((directory / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  return group->door_.get() < 0 ? nullptr : std::move(group);
}

ControlGroup::~ControlGroup() {
  put(directory_ / "cgroup.kill", "1");
  // It can be removed when the last of them is gone from it.
  for (int look = 0; look < 200 && ::rmdir(directory_.c_str()) != 0 && errno == EBUSY; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
}

ControlGroup::Met ControlGroup::met() const {
  if (count_of(directory_ / "memory.events", "oom_kill") > 0) return Met::memory;
  return count_of(directory_ / "pids.events", "max") > 0 ? Met::tasks : Met::none;
}

}  // namespace tandem::runners
