#include "runners/process/sandbox.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "runners/process/bubblewrap.hpp"
#include "runners/process/process.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;

std::string first_line(const std::string& text) {
  const std::string line = text.substr(0, std::min<std::size_t>(text.find('\n'), 200));
  return line.empty() ? "it said nothing" : "it said: " + line;
}

/// The kernel's switches that keep ordinary users from making namespaces, as the distributions name them.
std::string forbidden_by() {
  for (const auto& [file, wrong] :
       {std::pair{"/proc/sys/kernel/unprivileged_userns_clone", '0'},
        std::pair{"/proc/sys/user/max_user_namespaces", '0'},
        std::pair{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1'}}) {
    const OwnedDescriptor opened(::open(file, O_RDONLY | O_CLOEXEC));
    char value = ' ';
    if (opened.get() >= 0 && ::read(opened.get(), &value, 1) == 1 && value == wrong)
      return fmt::format(" ({} is {})", file, wrong);
  }
  return "";
}

/// Takes over `opened`. Whatever vanishes meanwhile is passed over.
void give_directory(int opened, const SandboxUser& owner) {
  const std::unique_ptr<DIR, int (*)(DIR*)> all(::fdopendir(opened), &::closedir);
  if (!all) {
    ::close(opened);
    return;
  }
  while (const dirent* entry = ::readdir(all.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat file {};
    if (::fstatat(opened, entry->d_name, &file, AT_SYMLINK_NOFOLLOW) != 0) continue;
    ::fchownat(opened, entry->d_name, owner.user, owner.group, AT_SYMLINK_NOFOLLOW);
    if (!S_ISDIR(file.st_mode)) continue;
    const int below = ::openat(opened, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below >= 0) give_directory(below, owner);
  }
}

}  // namespace

std::variant<SandboxTools, std::string> find_sandbox(const fs::path& shim) {
  SandboxTools tools{{}, shim};
  for (const char* path : {"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"}) {
    if (tools.bwrap.empty() && ::access(path, X_OK) == 0) tools.bwrap = path;
  }
  if (tools.bwrap.empty()) return "no sandbox: bwrap is not installed; install the package bubblewrap";
  if (::access(shim.c_str(), X_OK) != 0) {
    return fmt::format("no sandbox: {} cannot be run: {}; install Tandem again", shim.string(),
                       std::strerror(errno));
  }
  const fs::path program = ::access("/usr/bin/true", X_OK) == 0 ? "/usr/bin/true" : "/bin/true";
  Command trial{{program.string()}, {}, {}, {}, {}};
  trial.sandbox = Sandbox{tools, {}};
  Limits limits;
  limits.deadline = std::chrono::seconds{20};
  const Finished finished = run_command(trial, limits);
  if (finished.succeeded()) return tools;
  if (finished.how != Finished::How::no_sandbox)
    return fmt::format("no sandbox: a trial with {} {}", program.string(), describe(finished));
  if (::geteuid() != 0 && finished.errors.find("amespace") != std::string::npos) {
    return fmt::format(
        "no sandbox: this host forbids user namespaces{}; allow them, or run the service as root; {}",
        forbidden_by(), first_line(finished.errors));
  }
  return fmt::format("no sandbox: {} failed; {}", tools.bwrap.string(), first_line(finished.errors));
}

std::optional<std::string> complain_of_other_user(const fs::path& directory) {
  Command trial{{"/bin/sh", "-c", "test -x \"$0\"", directory.string()}, {"PATH=/usr/bin:/bin"}, "/", {}, {}};
  trial.foreign = Foreign::yes;
  Limits limits;
  limits.deadline = std::chrono::seconds{20};
  const Finished finished = run_command(trial, limits);
  if (finished.succeeded()) return std::nullopt;
  const SandboxUser user = sandbox_user();
  if (finished.how == Finished::How::exited && finished.code == 1) {
    return fmt::format("the user {} cannot enter {}; choose a --state_dir that every user can enter",
                       user.user, directory.string());
  }
  return fmt::format("a trial as the user {} {}", user.user, describe(finished));
}

const char* name_of(IsolationFacts::Kind kind) {
  constexpr const char* names[] = {"unknown", "sandbox", "other user", "same user"};
  return names[static_cast<std::size_t>(kind)];
}

void give_to_sandbox(const fs::path& tree) {
  if (::geteuid() != 0) return;
  const SandboxUser owner = sandbox_user();
  if (::lchown(tree.c_str(), owner.user, owner.group) != 0) {
    throw Error(
        fmt::format("cannot give {} to the user of the sandbox: {}", tree.string(), std::strerror(errno)));
  }
  const int opened = ::open(tree.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened >= 0) give_directory(opened, owner);
}

void let_sandbox_enter(const fs::path& directory) {
  struct stat status {};
  if (::geteuid() != 0 || ::stat(directory.c_str(), &status) != 0) return;
  if ((status.st_mode & S_IXOTH) != 0) return;
  if (::chown(directory.c_str(), static_cast<uid_t>(-1), sandbox_user().group) == 0)
    ::chmod(directory.c_str(), (status.st_mode & ~S_IRWXG & 07777) | S_IXGRP);
}

}  // namespace tandem::runners
