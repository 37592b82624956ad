// Runs inside bubblewrap as the parent of one program: starts it as the right user, keeps its limits, and
// reports how it truly ended, because bubblewrap folds signals into exit codes and cannot tell its own
// failures from the program's. Takes no arguments; see orders.hpp. When it ends, its whole pid namespace ends
// with it.
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

#include "runners/process/shim/looks.hpp"
#include "runners/process/shim/orders.hpp"

namespace tandem::runners {
namespace {

struct Plan {
  Orders limits;
  const void* filter = nullptr;
  cpu_set_t program_cpus{};
  const char* directory = nullptr;
  char** arguments = nullptr;
  char** environment = nullptr;
  char** writable = nullptr;
};

/// Without a "started" on the report descriptor the supervisor takes these words as the reason.
[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "tandem-shim: %s: %s\n", what, std::strerror(errno));
  ::_exit(1);
}

std::int64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Takes the next `count` strings from the orders, followed by a null pointer as execve wants it.
char** take_strings(char*& at, const char* end, std::uint32_t count) {
  auto** strings = static_cast<char**>(std::calloc(std::size_t{count} + 1, sizeof(char*)));
  if (strings == nullptr) give_up("no memory for the orders");
  for (std::uint32_t i = 0; i < count; ++i) {
    auto* nul = static_cast<char*>(std::memchr(at, '\0', static_cast<std::size_t>(end - at)));
    if (nul == nullptr) {
      errno = EINVAL;
      give_up("the orders are cut short");
    }
    strings[i] = at;
    at = nul + 1;
  }
  return strings;
}

Plan read_orders() {
  struct stat file {};
  if (::fstat(Orders::orders_descriptor, &file) != 0) give_up("no orders");
  const auto size = static_cast<std::uint64_t>(file.st_size);
  errno = EINVAL;
  if (size < sizeof(Orders) || size > Orders::most_bytes) give_up("orders of an impossible size");
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, Orders::orders_descriptor, 0);
  if (memory == MAP_FAILED) give_up("cannot read the orders");
  ::close(Orders::orders_descriptor);
  Plan plan;
  std::memcpy(&plan.limits, memory, sizeof plan.limits);
  errno = EINVAL;
  if (plan.limits.magic != Orders::magic_value) give_up("orders of another version; install both together");
  char* at = static_cast<char*>(memory) + sizeof(Orders);
  if (plan.limits.filter_bytes > size - sizeof(Orders)) give_up("the orders are cut short");
  plan.filter = at;
  at += plan.limits.filter_bytes;
  const char* end = static_cast<char*>(memory) + size;
  plan.directory = take_strings(at, end, 1)[0];
  plan.arguments = take_strings(at, end, plan.limits.arguments);
  plan.environment = take_strings(at, end, plan.limits.variables);
  plan.writable = take_strings(at, end, plan.limits.writable);
  if (plan.limits.arguments == 0) give_up("orders without a program");
  return plan;
}

/// Sleeps until the end and nothing else; wait4 alone would be woken at every freeze and thaw of the program.
void await_end(pid_t program) {
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, program, 0));
  if (process < 0) return;
  pollfd end{process, POLLIN, 0};
  while (::poll(&end, 1, -1) < 0 && errno == EINTR) {
  }
  ::close(process);
}

bool supervisor_is_gone() {
  pollfd report{Orders::report_descriptor, 0, 0};
  return ::poll(&report, 1, 0) > 0 && (report.revents & (POLLERR | POLLHUP)) != 0;
}

/// Gives up everything the shim may do and the program may not. After this the program can neither trace the
/// shim nor reach its descriptors.
bool drop_rights(const Orders& orders) {
  if (orders.switches_user != 0) {
    if (::syscall(SYS_setgroups, 0, nullptr) != 0) return false;
    if (::setresgid(orders.group, orders.group, orders.group) != 0) return false;
    if (::setresuid(orders.user, orders.user, orders.user) != 0) return false;
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3]{};
  if (::syscall(SYS_capset, &header, none) != 0) return false;
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/// Runs in the child. On failure the error number goes back through `error_pipe`; on success exec closes it.
[[noreturn]] void become_program(const Plan& plan, int error_pipe) {
  // A group of its own: freezing it wakes and stops nothing but the program, and what the program sends to
  // its group does not reach bubblewrap.
  ::setpgid(0, 0);
  if (plan.limits.moves_shim != 0) ::sched_setaffinity(0, sizeof plan.program_cpus, &plan.program_cpus);
  const bool dropped = drop_rights(plan.limits);
  if (plan.limits.most_tasks != 0) {
    const rlimit tasks{plan.limits.most_tasks, plan.limits.most_tasks};
    ::setrlimit(RLIMIT_NPROC, &tasks);
  }
  constexpr rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (plan.limits.disk_bytes != 0) {
    const rlimit file{plan.limits.disk_bytes, plan.limits.disk_bytes};
    ::setrlimit(RLIMIT_FSIZE, &file);
  }
  // Bubblewrap and the shim ignore what a program may send to its own group; the program must not.
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const auto filtered = [&] {
    return plan.limits.filter_bytes == 0 || filter_calls(plan.filter, plan.limits.filter_bytes);
  };
  if (dropped && ::chdir(plan.directory) == 0 && filtered())
    ::execve(plan.arguments[0], plan.arguments, plan.environment);
  const int error = errno;
  static_cast<void>(!::write(error_pipe, &error, sizeof error));
  ::_exit(127);
}

/// Processor time and not wall time: a greedy program that keeps the shim from its processor must not be
/// looked at less often for it.
std::int64_t spent_ns() {
  return now_ns(CLOCK_THREAD_CPUTIME_ID);
}

/// The program under its limits. After each look the shim rests a hundred times as long as it worked, after a
/// walk over the disk sixty times, so that both together stay below three hundredths of one processor however
/// much there is to see.
class Warden {
 public:
  explicit Warden(const Plan& plan) : plan_(plan) {}

  /// Before the program starts: only what it adds is held against it.
  void take_stock() {
    if (plan_.limits.disk_bytes == 0) return;
    const std::int64_t begin = spent_ns();
    disk_before_ = disk_bytes();
    next_walk_ = now_ns() + pause_after(begin, 60, 5);
  }

  /// Until the program ends (null) or exceeds a limit (which).
  const char* guard(pid_t program) {
    const int process = static_cast<int>(::syscall(SYS_pidfd_open, program, 0));
    if (process < 0) return nullptr;
    next_look_ = now_ns();
    const char* exceeded = nullptr;
    while (exceeded == nullptr) {
      const std::int64_t wait_ns = next_look_ - now_ns();
      pollfd end{process, POLLIN, 0};
      const auto wait_ms = static_cast<int>(wait_ns <= 0 ? 0 : wait_ns / 1'000'000 + 1);
      if (::poll(&end, 1, wait_ms) > 0) break;
      exceeded = look();
    }
    ::close(process);
    return exceeded;
  }

 private:
  const char* look() {
    if (supervisor_is_gone()) return "stopped";
    if (const char* exceeded = look_at_memory()) return exceeded;
    if (plan_.limits.disk_bytes != 0 && now_ns() >= next_walk_) {
      const std::int64_t begin = spent_ns();
      const std::uint64_t bytes = disk_bytes();
      next_walk_ = now_ns() + pause_after(begin, 60, 5);
      if (during_walk_ != nullptr) return during_walk_;
      if (bytes > disk_before_ && bytes - disk_before_ > plan_.limits.disk_bytes) return "over_disk";
    }
    return nullptr;
  }

  const char* look_at_memory() {
    const std::int64_t begin = spent_ns();
    // Without limits of ours the kernel keeps them, in a control group.
    const bool looks = plan_.limits.processes != 0 || plan_.limits.memory_bytes != 0;
    const Used used = looks ? look_at_processes() : Used();
    next_look_ = now_ns() + pause_after(begin, 100, 1);
    if (plan_.limits.processes != 0 && used.processes > plan_.limits.processes) return "over_processes";
    if (plan_.limits.memory_bytes != 0 && used.memory_bytes > plan_.limits.memory_bytes) return "over_memory";
    return nullptr;
  }

  std::uint64_t disk_bytes() {
    DiskLook disk(
        [](void* self) {
          auto& warden = *static_cast<Warden*>(self);
          if (warden.next_look_ != 0 && now_ns() >= warden.next_look_)
            warden.during_walk_ = warden.look_at_memory();
          return warden.during_walk_ == nullptr;
        },
        this);
    for (char** directory = plan_.writable; *directory != nullptr; ++directory) disk.add(*directory);
    return disk.bytes();
  }

  std::int64_t pause_after(std::int64_t begin, std::int64_t times, std::int64_t at_least) const {
    const std::int64_t cost = spent_ns() - begin;
    const auto every = static_cast<std::int64_t>(plan_.limits.look_every_ms) * 1'000'000 * at_least;
    return cost * times > every ? cost * times : every;
  }

  const Plan& plan_;
  std::uint64_t disk_before_ = 0;
  std::int64_t next_look_ = 0;
  std::int64_t next_walk_ = 0;
  const char* during_walk_ = nullptr;
};

void report(const char* how, int code, std::int64_t wall_ns, const rusage& usage, std::uint64_t left_behind) {
  const auto microseconds = [](const timeval& time) {
    return static_cast<long long>(time.tv_sec) * 1'000'000 + static_cast<long long>(time.tv_usec);
  };
  ::dprintf(Orders::report_descriptor, "%s %d %lld %lld %lld %ld %ld %ld %llu\n", how, code,
            static_cast<long long>(wall_ns), microseconds(usage.ru_utime), microseconds(usage.ru_stime),
            usage.ru_maxrss, usage.ru_nvcsw, usage.ru_nivcsw, static_cast<unsigned long long>(left_behind));
}

/// Looks must not take time from the program's processors. Where the shim may not run on the others, it
/// stays.
void move_away(Plan& plan) {
  if (plan.limits.moves_shim == 0) return;
  cpu_set_t others;
  CPU_ZERO(&others);
  for (std::size_t cpu = 0; cpu < sizeof plan.limits.shim_cpus * 8 && cpu < CPU_SETSIZE; ++cpu) {
    if ((plan.limits.shim_cpus[cpu / 64] >> (cpu % 64) & 1) != 0) CPU_SET(cpu, &others);
  }
  if (::sched_getaffinity(0, sizeof plan.program_cpus, &plan.program_cpus) != 0 ||
      ::sched_setaffinity(0, sizeof others, &others) != 0) {
    plan.limits.moves_shim = 0;
  }
}

void run(const Plan& plan) {
  Warden warden(plan);
  const bool looks = plan.limits.look_every_ms != 0;
  if (looks) warden.take_stock();
  int error_pipe[2];
  if (::pipe2(error_pipe, O_CLOEXEC) != 0) give_up("cannot make a pipe");
  ::dprintf(Orders::report_descriptor, "started\n");

  rusage usage{};
  const std::int64_t begin = now_ns();
  const pid_t program = ::fork();
  if (program == 0) become_program(plan, error_pipe[1]);
  int error = errno;
  // The program's alone: with a second holder nobody would see it close its channel.
  for (const int descriptor : {error_pipe[1], Orders::channel_descriptor, Orders::page_descriptor})
    ::close(descriptor);
  if (program < 0 || ::read(error_pipe[0], &error, sizeof error) == sizeof error) {
    report("not_started", error, 0, usage, 0);
    return;
  }
  if (!looks) await_end(program);
  const char* exceeded = looks ? warden.guard(program) : nullptr;
  if (exceeded != nullptr) ::kill(-1, SIGKILL);
  int status = 0;
  while (::wait4(program, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  const std::int64_t wall_ns = now_ns() - begin;
  const std::uint64_t left_behind = exceeded != nullptr ? 0 : look_at_processes().processes;
  const int code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  const char* how = WIFSIGNALED(status) ? "signalled" : "exited";
  if (WIFSIGNALED(status) && code == SIGXFSZ && plan.limits.disk_bytes != 0) how = "over_disk";
  report(exceeded != nullptr ? exceeded : how, code, wall_ns, usage, left_behind);
}

}  // namespace
}  // namespace tandem::runners

int main() {
  using namespace tandem::runners;
  // Nothing of the sandbox may trace the shim or open its descriptors through /proc.
  ::prctl(PR_SET_DUMPABLE, 0);
  ::fcntl(Orders::report_descriptor, F_SETFD, FD_CLOEXEC);
  ::signal(SIGPIPE, SIG_IGN);
  Plan plan = read_orders();
  move_away(plan);
  if (!supervisor_is_gone()) run(plan);
  ::kill(-1, SIGKILL);
  return 0;
}
