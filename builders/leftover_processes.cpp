#include "builders/leftover_processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "runners/descriptor.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using runners::OwnedDescriptor;

/// Plain reads: a process may be gone at any moment, which is no error here.
std::string environment_of(const fs::path& process) {
  const OwnedDescriptor file(::open((process / "environ").c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> chunk{};
  for (ssize_t n = 0; file.get() >= 0 && (n = ::read(file.get(), chunk.data(), chunk.size())) > 0;) {
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
  return text;
}

/// Where it stands now says nothing: a person may look around in a directory that a build left.
bool was_started_for(const fs::path& process, const std::string& directory) {
  // Each variable ends with a NUL, and so does what stands before it.
  std::string environment(1, '\0');
  environment.append(environment_of(process));
  const auto has = [&](const char* name) {
    std::string wanted(1, '\0');
    wanted.append(name).append("=").append(directory).append("/");
    return environment.find(wanted) != std::string::npos;
  };
  return has("HOME") || has("TMPDIR");
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> processes;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    const bool number =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); });
    if (number && name.size() < 10) processes.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return processes;
}

}  // namespace

void end_processes_in(const fs::path& directory) {
  const std::string path = directory.string();
  // One that is being started while we look is met in the next pass.
  constexpr int passes = 5;
  for (int pass = 0; pass < passes; ++pass) {
    bool found = false;
    for (const pid_t pid : all_processes()) {
      if (pid == ::getpid()) continue;
      // Held before it is looked at, so that the process looked at is the one that is killed.
      const OwnedDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
      if (process.get() < 0 || !was_started_for(fs::path("/proc") / std::to_string(pid), path)) continue;
      found = true;
      ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
      pollfd ended{process.get(), POLLIN, 0};
      ::poll(&ended, 1, 1000);
    }
    if (!found) return;
  }
}

}  // namespace tandem::builders
