#include "runners/process/bubblewrap.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "runners/process/call_filter.hpp"
#include "runners/process/shim/orders.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// What programs and compilers need of /etc; nothing in it is secret on any distribution.
constexpr std::array readable_etc = {
    "OpenCL",        "alternatives", "ca-certificates", "debian_version", "fonts",
    "group",         "host.conf",    "ld.so.cache",     "ld.so.conf",     "ld.so.conf.d",
    "locale.conf",   "localtime",    "lsb-release",     "magic",          "mime.types",
    "nsswitch.conf", "os-release",   "passwd",          "pki/tls/certs",  "protocols",
    "services",      "ssl/certs",    "ssl/openssl.cnf", "timezone",       "xdg"};

void add(Words& words, std::initializer_list<std::string_view> more) {
  for (const std::string_view word : more) words.emplace_back(word);
}

/// Bubblewrap makes missing parents for its own user alone; the child may be another one.
void add_parents(Words& words, const fs::path& inside) {
  fs::path parent = "/";
  for (const fs::path& name : inside.parent_path().relative_path()) {
    parent /= name;
    add(words, {"--dir", parent.native()});
  }
}

/// The system as this host has it: directories read-only, links (/bin -> usr/bin) as links.
void add_system(Words& words) {
  for (const char* path : {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt"}) {
    std::error_code error;
    if (fs::is_symlink(path, error)) {
      add(words, {"--symlink", fs::read_symlink(path).native(), path});
    } else if (fs::is_directory(path, error)) {
      add(words, {"--ro-bind", path, path});
    }
  }
  for (const std::string name : readable_etc) {
    const std::string path = "/etc/" + name;
    std::error_code error;
    add_parents(words, path);
    // Links in /etc lead into the system above (localtime) or beside themselves (alternatives).
    if (fs::is_symlink(path, error)) {
      add(words, {"--symlink", fs::read_symlink(path).native(), path});
    } else if (fs::exists(path, error)) {
      add(words, {"--ro-bind", path, path});
    }
  }
  // Java looks for its security settings here, by version.
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/etc", error)) {
    const std::string path = entry.path().string();
    if (path.starts_with("/etc/java-")) add(words, {"--ro-bind", path, path});
  }
}

void add_memory_file_system(Words& words, const Sandbox& sandbox, const char* path) {
  add(words, {"--perms", "1777"});
  if (sandbox.memory_bytes != 0) add(words, {"--size", std::to_string(sandbox.memory_bytes)});
  add(words, {"--tmpfs", path});
}

void add_mounts(Words& words, const Sandbox& sandbox) {
  auto mounts = sandbox.mounts;
  // Outer ones first: a mount hides what was mounted below it before.
  std::stable_sort(mounts.begin(), mounts.end(),
                   [](const auto& a, const auto& b) { return a.inside.native() < b.inside.native(); });
  for (const Sandbox::Mount& mount : mounts) {
    std::error_code error;
    if (!mount.inside.is_absolute() || mount.inside == "/") {
      throw Error(
          fmt::format("{} cannot be mounted at \"{}\" in a sandbox; an absolute path below / is needed",
                      mount.from.string(), mount.inside.string()));
    }
    if (!fs::exists(mount.from, error)) {
      throw Error(fmt::format("{} cannot be shown to a sandbox: it does not exist", mount.from.string()));
    }
    add_parents(words, mount.inside);
    add(words, {mount.access == Sandbox::Access::write ? "--bind" : "--ro-bind", mount.from.native(),
                mount.inside.native()});
  }
}

Words bubblewrap_words(const Sandbox& sandbox) {
  Words words = {sandbox.tools.bwrap.string(),
                 "--die-with-parent",
                 "--unshare-pid",
                 "--unshare-net",
                 "--unshare-ipc",
                 "--unshare-uts",
                 "--hostname",
                 "tandem"};
  // The shim may look into every directory and kill every process; the child has none of these rights.
  add(words, {"--cap-drop", "ALL", "--cap-add", "CAP_DAC_READ_SEARCH"});
  if (::geteuid() == 0) {
    add(words, {"--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_KILL"});
  } else {
    add(words, {"--unshare-user"});
  }
  add_system(words);
  add(words, {"--proc", "/proc", "--dev", "/dev", "--ro-bind", "/sys", "/sys"});
  add_memory_file_system(words, sandbox, "/tmp");
  add_memory_file_system(words, sandbox, "/dev/shm");
  const std::string shim = std::string(inside_root) + "/shim";
  add_parents(words, shim);
  add(words, {"--ro-bind", sandbox.tools.shim.native(), shim});
  add_mounts(words, sandbox);
  // Bubblewrap's own root and /dev lie in memory; written full, they would escape every limit.
  add(words, {"--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--", shim});
  return words;
}

std::string orders_of(const Command& command, LimitsKept limits) {
  const Sandbox& sandbox = *command.sandbox;
  Orders orders;
  orders.disk_bytes = sandbox.disk_bytes;
  if (limits == LimitsKept::by_the_shim) {
    orders.memory_bytes = sandbox.memory_bytes;
    orders.processes = sandbox.processes;
  }
  orders.look_every_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(0, sandbox.look_every.count()));
  orders.arguments = static_cast<std::uint32_t>(command.argv.size());
  orders.variables = static_cast<std::uint32_t>(command.environment.size());
  const std::string& filter = call_filter(Tracing::allowed);
  orders.filter_bytes = static_cast<std::uint32_t>(filter.size());
  for (const int cpu : sandbox.look_cpus) {
    if (cpu < 0 || cpu >= Orders::cpu_words * 64) continue;
    orders.shim_cpus[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
    orders.moves_shim = 1;
  }
  if (::geteuid() == 0) {
    const SandboxUser other = sandbox_user();
    orders.switches_user = 1;
    orders.user = other.user;
    orders.group = other.group;
    orders.most_tasks = most_tasks(other, sandbox.processes);
  }
  std::string strings;
  const auto put = [&](const std::string& text) { strings.append(text.c_str()).push_back('\0'); };
  put(command.working_directory.empty() ? "/tmp" : command.working_directory.string());
  for (const std::string& argument : command.argv) put(argument);
  for (const std::string& variable : command.environment) put(variable);
  for (const Sandbox::Mount& mount : sandbox.mounts) {
    if (mount.access != Sandbox::Access::write) continue;
    put(mount.inside.string());
    ++orders.writable;
  }
  return std::string(reinterpret_cast<const char*>(&orders), sizeof orders) + filter + strings;
}

}  // namespace

SandboxUser sandbox_user() {
  for (const char* name : {"tandem-build", "nobody"}) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> text{};
    if (::getpwnam_r(name, &entry, text.data(), text.size(), &found) == 0 && found != nullptr &&
        entry.pw_uid != 0) {
      return {entry.pw_uid, entry.pw_gid, name == std::string_view("tandem-build")};
    }
  }
  return {};
}

std::uint64_t most_tasks(const SandboxUser& user, std::size_t processes) {
  // A build may run beside the two programs of a launch, and every thread counts.
  return user.is_ours ? std::uint64_t{4} * processes : 0;
}

int program_inside(int bubblewrap) {
  int pid = bubblewrap;
  for (int generation = 0; generation < 3; ++generation) {
    // The first child is the oldest: the first process inside adopts orphans, but after the shim.
    std::ifstream children(fmt::format("/proc/{}/task/{}/children", pid, pid));
    if (!(children >> pid)) return 0;
  }
  return pid;
}

Confined confine(const Command& command, LimitsKept limits) {
  const std::string text = orders_of(command, limits);
  if (text.size() > Orders::most_bytes) throw Error("a command line too long for a sandbox");
  OwnedDescriptor file(::memfd_create("tandem-orders", MFD_CLOEXEC));
  // Bubblewrap runs on the host and gets nothing of the child's environment.
  Command started{bubblewrap_words(*command.sandbox), {}, {}, command.cpus, command.log_file};
  if (file.get() < 0 || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw Error(fmt::format("cannot write the orders for a sandbox: {}", std::strerror(errno)));
  }
  return {std::move(started), std::move(file)};
}

namespace {

using How = Finished::How;
constexpr std::string_view report_beginning = "started\n";
constexpr std::array<std::pair<std::string_view, How>, 7> report_words = {
    {{"exited", How::exited},
     {"signalled", How::signalled},
     {"over_memory", How::over_memory},
     {"over_disk", How::over_disk},
     {"over_processes", How::over_processes},
     {"not_started", How::not_started},
     {"stopped", How::stopped}}};

std::optional<std::array<std::uint64_t, 8>> report_numbers(std::string_view text) {
  std::array<std::uint64_t, 8> numbers{};
  for (std::uint64_t& number : numbers) {
    if (text.empty() || text.front() != ' ') return std::nullopt;
    text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  if (text != "\n" || numbers[0] > 0xffff) return std::nullopt;
  return numbers;
}

bool take_report_line(std::string_view line, Finished& finished) {
  for (const auto& [word, how] : report_words) {
    if (!line.starts_with(word)) continue;
    const auto numbers = report_numbers(line.substr(word.size()));
    if (!numbers) return false;
    const auto& [code, wall_ns, user_us, system_us, peak_kib, voluntary, involuntary, left_behind] = *numbers;
    finished.how = how;
    finished.code = static_cast<int>(code);
    finished.usage.wall = std::chrono::nanoseconds{wall_ns};
    finished.usage.user = std::chrono::microseconds{user_us};
    finished.usage.system = std::chrono::microseconds{system_us};
    finished.usage.peak_resident_bytes = peak_kib * 1024;
    finished.usage.voluntary_switches = voluntary;
    finished.usage.involuntary_switches = involuntary;
    finished.left_behind = left_behind;
    return true;
  }
  return false;
}

}  // namespace

void take_report(std::string_view report, int status, Finished& finished) {
  if (!report.starts_with(report_beginning)) {
    finished.how = How::no_sandbox;
    finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return;
  }
  report.remove_prefix(report_beginning.size());
  if (take_report_line(report, finished)) return;
  // The child ran, and the shim or bubblewrap was killed from inside: the sandbox held, the child is to
  // blame.
  finished.how = How::signalled;
  finished.code = WIFSIGNALED(status) ? WTERMSIG(status) : SIGKILL;
}

}  // namespace tandem::runners
