#include "runners/process/child_setup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runners/process/call_filter.hpp"
#include "runners/process/shim/orders.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::runners {

namespace {

constexpr std::size_t longest_line = std::size_t{64} << 10;

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

ChildOutput::ChildOutput(std::size_t most_bytes, const std::filesystem::path& log_file) : left_(most_bytes) {
  if (log_file.empty()) return;
  log_ = OwnedDescriptor(::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (log_.get() < 0)
    throw Error(fmt::format("cannot write the log {}: {}", log_file.string(), std::strerror(errno)));
}

bool ChildOutput::take(std::string_view bytes, std::string& text) {
  const auto taken = bytes.substr(0, left_);
  left_ -= taken.size();
  text.append(taken);
  if (log_.get() >= 0) write_all(log_.get(), taken);
  return taken.size() == bytes.size();
}

std::vector<std::string> LineCutter::take(std::string_view bytes) {
  std::vector<std::string> lines;
  rest_.append(bytes);
  std::size_t begin = 0;
  for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
    lines.push_back(rest_.substr(begin, end - begin));
    begin = end + 1;
  }
  rest_.erase(0, begin);
  if (rest_.size() > longest_line) lines.push_back(std::exchange(rest_, {}));
  return lines;
}

namespace {

using Ends = ChildSetup::Ends;

Ends owned(const std::array<int, 2>& ends) {
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1])};
}

Ends make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  return owned(ends);
}

Ends make_channel() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(fmt::format("cannot make a channel: {}", std::strerror(errno)));
  return owned(ends);
}

std::unique_ptr<ControlGroup> make_group(const Command& command) {
  constexpr std::uint64_t threads_each = 4;  // as for a user of our own (most_tasks)
  if (const auto& sandbox = command.sandbox)
    return ControlGroup::make({sandbox->memory_bytes, threads_each * sandbox->processes});
  if (command.foreign == Foreign::no) return nullptr;
  const ForeignLimits& limits = command.foreign_limits;
  return ControlGroup::make({limits.memory_bytes, threads_each * limits.processes});
}

/// Sources lie above every target, so that no dup2 in the child overwrites a later source.
OwnedDescriptor above_targets(int descriptor) {
  if (descriptor < 0) return {};
  const int above = ::fcntl(descriptor, F_DUPFD_CLOEXEC, Orders::orders_descriptor + 1);
  if (above < 0) throw Error(fmt::format("cannot keep a descriptor for a child: {}", std::strerror(errno)));
  return OwnedDescriptor(above);
}

}  // namespace

ChildSetup::ChildSetup(const Command& command, const ChildOptions& options)
    : output(make_pipe()),
      errors(make_pipe()),
      channel(options.channel == ChildOptions::Channel::yes ? make_channel() : Ends{}),
      report(command.sandbox ? make_pipe() : Ends{}),
      group(make_group(command)),
      confined_(command.sandbox
                    ? confine(command, group ? LimitsKept::by_the_kernel : LimitsKept::by_the_shim)
                    : Confined{command, {}}),
      sandboxed_(command.sandbox.has_value()),
      foreign_(!sandboxed_ && command.foreign == Foreign::yes),
      null_(::open("/dev/null", O_RDWR | O_CLOEXEC)),
      high_{above_targets(channel.theirs.get()), above_targets(options.page),
            above_targets(report.theirs.get()), above_targets(confined_.orders.get())},
      descriptors_{{{null_.get(), 0},
                    {output.theirs.get(), 1},
                    {errors.theirs.get(), 2},
                    {high_[0].get(), Orders::channel_descriptor},
                    {high_[1].get(), Orders::page_descriptor},
                    {high_[2].get(), Orders::report_descriptor},
                    {high_[3].get(), Orders::orders_descriptor}}},
      directory_(confined_.command.working_directory.string()),
      parent_(::getpid()) {
  if (foreign_) {
    filter_ = &call_filter(Tracing::refused);
    most_file_bytes_ = command.foreign_limits.file_bytes;
    if (::geteuid() == 0) user_ = sandbox_user();
    if (user_) most_tasks_ = runners::most_tasks(*user_, command.foreign_limits.processes);
  }
  CPU_ZERO(&cpus_);
  for (const int cpu : command.cpus) CPU_SET(cpu, &cpus_);
  environment_.reserve(confined_.command.environment.size() + 1);
  for (const std::string& entry : confined_.command.environment) environment_.push_back(entry.c_str());
  environment_.push_back(nullptr);
}

std::vector<std::string> ChildSetup::arguments() const {
  const auto& argv = confined_.command.argv;
  return {argv.begin() + 1, argv.end()};
}

std::vector<int> ChildSetup::inherited() const {
  std::vector<int> targets;
  for (const auto& [source, target] : descriptors_) {
    if (source >= 0) targets.push_back(target);
  }
  return targets;
}

int ChildSetup::drop_rights() const {
  if (most_file_bytes_ != 0) {
    const rlimit file{most_file_bytes_, most_file_bytes_};
    if (::setrlimit(RLIMIT_FSIZE, &file) != 0) return errno;
  }
  if (most_tasks_ != 0) {
    const rlimit tasks{most_tasks_, most_tasks_};
    if (::setrlimit(RLIMIT_NPROC, &tasks) != 0) return errno;
  }
  // The system calls themselves: the library's functions would reach for threads that are not here.
  if (user_) {
    if (::syscall(SYS_setgroups, 0, nullptr) != 0) return errno;
    if (::syscall(SYS_setresgid, user_->group, user_->group, user_->group) != 0) return errno;
    if (::syscall(SYS_setresuid, user_->user, user_->user, user_->user) != 0) return errno;
    // Another user's child forgets the first request.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent_) ::_exit(127);
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  if (!filter_->empty() && !filter_calls(filter_->data(), filter_->size())) return errno;
  return 0;
}

int ChildSetup::prepare() const {
  // A session of its own: no terminal to type into, no way into the caller's process group.
  if (::setsid() < 0) return errno;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent_) ::_exit(127);  // the parent died before it could take us along
  if (group && ::write(group->door(), "0", 1) != 1) return errno;
  // Boost 1.81 means to close everything that is not on its list and forgets the gaps in it.
  ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
  for (const auto& [source, target] : descriptors_) {
    if (source >= 0 && ::dup2(source, target) < 0) return errno;
  }
  if (!confined_.command.cpus.empty() && ::sched_setaffinity(0, sizeof cpus_, &cpus_) != 0) return errno;
  if (!directory_.empty() && ::chdir(directory_.c_str()) != 0) return errno;
  constexpr rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (sandboxed_ || foreign_) {
    // Keys of the caller's session must not come along. Where it fails, the filter still refuses to use them.
    static_cast<void>(::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr));
  }
  if (foreign_) return drop_rights();
  if (sandboxed_) {
    // A program may signal its own group, and bubblewrap is part of it here. It must outlive that to report;
    // the shim gives the program its signals back.
    for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGTSTP, SIGTTIN,
                             SIGTTOU, SIGVTALRM, SIGPROF, SIGABRT}) {
      ::signal(number, SIG_IGN);
    }
  }
  return 0;
}

}  // namespace tandem::runners
