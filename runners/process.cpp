#include "runners/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/process/v2/process.hpp>
#include <cstring>
#include <deque>
#include <system_error>
#include <utility>

#include "runners/descriptor.hpp"
#include "runners/orphans.hpp"
#include "specs/error.hpp"

namespace tandem::runners {
namespace {

namespace asio = boost::asio;
namespace process = boost::process::v2;
using Descriptor = asio::posix::stream_descriptor;
using How = Finished::How;

constexpr std::size_t longest_line = std::size_t{64} << 10;

struct Ends {
  OwnedDescriptor ours;
  OwnedDescriptor theirs;
};

[[noreturn]] void fail(const char* what) {
  throw Error(fmt::format("{}: {}", what, std::strerror(errno)));
}

Ends make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("cannot make a pipe");
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1])};
}

Ends make_channel() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("cannot make a channel");
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1])};
}

/// What happens in the child between fork and exec: async-signal-safe calls only.
struct ChildSetup {
  std::array<std::pair<int, int>, 5> descriptors;  // source, target; source -1: none
  cpu_set_t cpus;
  bool pinned = false;
  const char* directory = nullptr;
  pid_t parent = 0;

  boost::system::error_code on_setup(process::posix::default_launcher& launcher,
                                     const process::filesystem::path& /*executable*/,
                                     const char* const* /*argv*/) const {
    for (const auto& [source, target] : descriptors) {
      if (source >= 0) launcher.fd_whitelist.push_back(target);
    }
    return {};
  }

  boost::system::error_code on_exec_setup(process::posix::default_launcher& /*launcher*/,
                                          const process::filesystem::path& /*executable*/,
                                          const char* const* /*argv*/) const {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // the parent died before it could take us along
    // Boost 1.81 means to close everything that is not on its list and forgets the gaps in it.
    ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
    for (const auto& [source, target] : descriptors) {
      if (source >= 0 && ::dup2(source, target) < 0) return last_error();
    }
    if (pinned && ::sched_setaffinity(0, sizeof cpus, &cpus) != 0) return last_error();
    if (directory != nullptr && ::chdir(directory) != 0) return last_error();
    constexpr rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    return {};
  }

  static boost::system::error_code last_error() { return {errno, boost::system::system_category()}; }
};

std::chrono::nanoseconds nanoseconds_of(const timeval& time) {
  return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
}

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Everything known about one child. The descriptors live as long as the event loop reads them.
struct Child {
  explicit Child(asio::io_context& context)
      : exit(context), output(context), errors(context), channel(context) {}

  int pid = -1;
  Children::Clock::time_point started;
  std::size_t output_left = 0;
  Descriptor exit;
  Descriptor output;
  Descriptor errors;
  Descriptor channel;
  std::string unfinished_line;
  OwnedDescriptor log;
  bool running = false;
  Finished result;
};

}  // namespace

struct Children::Loop {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
  std::deque<std::unique_ptr<Child>> children;
  std::deque<Event> events;
  std::array<char, 16384> chunk{};
  OwnedDescriptor null{::open("/dev/null", O_RDWR | O_CLOEXEC)};

  void watch_exit(std::size_t number) {
    Child& child = *children[number];
    child.exit.async_wait(Descriptor::wait_read, [this, number](const boost::system::error_code& error) {
      if (!error && children[number]->running) conclude(number, How::exited);
    });
  }

  // Bytes are read in the handler and never beforehand: what a queued handler held would be lost at the
  // child's end.
  void watch_output(std::size_t number, Descriptor Child::*stream, std::string Finished::*text) {
    (children[number].get()->*stream)
        .async_wait(Descriptor::wait_read, [=, this](const boost::system::error_code& error) {
          Child& child = *children[number];
          if (error || !child.running) return;
          const auto n = ::read((child.*stream).native_handle(), chunk.data(), chunk.size());
          if (n == 0) return;
          if (n > 0 && !take_output(number, {chunk.data(), static_cast<std::size_t>(n)}, text)) {
            conclude(number, How::flooded);
          } else {
            watch_output(number, stream, text);
          }
        });
  }

  /// False when the child has said more than it may.
  bool take_output(std::size_t number, std::string_view bytes, std::string Finished::*text) {
    Child& child = *children[number];
    const auto taken = bytes.substr(0, child.output_left);
    child.output_left -= taken.size();
    (child.result.*text).append(taken);
    if (child.log.get() >= 0) write_all(child.log.get(), taken);
    return taken.size() == bytes.size();
  }

  void watch_channel(std::size_t number) {
    children[number]->channel.async_wait(
        Descriptor::wait_read, [=, this](const boost::system::error_code& error) {
          Child& child = *children[number];
          if (error || !child.running) return;
          const auto n = ::read(child.channel.native_handle(), chunk.data(), chunk.size());
          if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
            events.push_back({Event::Kind::closed, number, {}});
            return;
          }
          if (n > 0) take_lines(number, {chunk.data(), static_cast<std::size_t>(n)});
          watch_channel(number);
        });
  }

  void take_lines(std::size_t number, std::string_view bytes) {
    std::string& rest = children[number]->unfinished_line;
    rest.append(bytes);
    std::size_t begin = 0;
    for (auto end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', begin)) {
      events.push_back({Event::Kind::line, number, rest.substr(begin, end - begin)});
      begin = end + 1;
    }
    rest.erase(0, begin);
    if (rest.size() > longest_line) events.push_back({Event::Kind::line, number, std::exchange(rest, {})});
  }

  /// What was already said when the child ended; a grandchild may hold the other end open, so no waiting for
  /// its close.
  void drain(std::size_t number) {
    Child& child = *children[number];
    const auto read_rest = [this](Descriptor& stream, auto&& take) {
      if (!stream.is_open()) return;
      stream.cancel();
      for (ssize_t n = 0; (n = ::read(stream.native_handle(), chunk.data(), chunk.size())) > 0;) {
        if (!take(std::string_view(chunk.data(), static_cast<std::size_t>(n)))) break;
      }
    };
    read_rest(child.channel, [&](std::string_view bytes) {
      take_lines(number, bytes);
      return events.size() < 10'000;
    });
    read_rest(child.output, [&](auto bytes) { return take_output(number, bytes, &Finished::output); });
    read_rest(child.errors, [&](auto bytes) { return take_output(number, bytes, &Finished::errors); });
  }

  /// Kills what is left of the group, reaps the child, closes its descriptors and tells that it finished.
  void conclude(std::size_t number, How how) {
    Child& child = *children[number];
    if (how != How::exited) ::kill(-child.pid, SIGKILL);
    int status = 0;
    rusage usage{};
    while (::wait4(child.pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    child.result.usage.wall = Clock::now() - child.started;
    child.running = false;
    Orphans::release(child.pid);
    child.result.left_behind = Orphans::sweep();
    ::kill(-child.pid, SIGKILL);
    drain(number);

    child.result.usage.user = nanoseconds_of(usage.ru_utime);
    child.result.usage.system = nanoseconds_of(usage.ru_stime);
    child.result.usage.peak_resident_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    child.result.usage.voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw);
    child.result.usage.involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw);
    child.result.how = how != How::exited ? how : WIFSIGNALED(status) ? How::signalled : How::exited;
    child.result.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    for (Descriptor* stream : {&child.exit, &child.output, &child.errors, &child.channel}) {
      boost::system::error_code ignored;
      stream->close(ignored);
    }
    child.log = OwnedDescriptor();
    events.push_back({Event::Kind::finished, number, {}});
  }
};

Children::Children() : loop_(std::make_unique<Loop>()) {}

Children::~Children() {
  for (std::size_t number = 0; number < loop_->children.size(); ++number) end(number, How::stopped);
}

std::size_t Children::start(const Command& command, const Options& options) {
  if (command.argv.empty()) throw Error("a command without a program cannot be started");
  const std::size_t number = loop_->children.size();
  Child& child = *loop_->children.emplace_back(std::make_unique<Child>(loop_->context));
  child.output_left = options.output_bytes;
  if (!command.log_file.empty()) {
    child.log =
        OwnedDescriptor(::open(command.log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (child.log.get() < 0) fail(("cannot write the log " + command.log_file.string()).c_str());
  }

  Ends output = make_pipe();
  Ends errors = make_pipe();
  Ends channel = options.channel == Options::Channel::yes ? make_channel() : Ends{};
  // Sources lie above every target, so that no dup2 in the child overwrites a later source.
  const auto above = [](int descriptor) {
    return OwnedDescriptor(descriptor < 0 ? -1 : ::fcntl(descriptor, F_DUPFD_CLOEXEC, page_descriptor + 1));
  };
  const OwnedDescriptor high_channel = above(channel.theirs.get());
  const OwnedDescriptor high_page = above(options.page);

  ChildSetup setup{};
  setup.descriptors = {{{loop_->null.get(), 0},
                        {output.theirs.get(), 1},
                        {errors.theirs.get(), 2},
                        {high_channel.get(), channel_descriptor},
                        {high_page.get(), page_descriptor}}};
  CPU_ZERO(&setup.cpus);
  for (const int cpu : command.cpus) CPU_SET(cpu, &setup.cpus);
  setup.pinned = !command.cpus.empty();
  const std::string directory = command.working_directory.string();
  setup.directory = directory.empty() ? nullptr : directory.c_str();
  setup.parent = ::getpid();

  std::vector<const char*> environment;
  environment.reserve(command.environment.size() + 1);
  for (const std::string& entry : command.environment) environment.push_back(entry.c_str());
  environment.push_back(nullptr);

  process::posix::default_launcher launcher;
  launcher.env = environment.data();
  boost::system::error_code error;
  const std::vector<std::string> arguments(command.argv.begin() + 1, command.argv.end());
  child.started = Clock::now();
  {
    const auto lock = Orphans::hold();
    auto started = launcher(loop_->context.get_executor(), error,
                            process::filesystem::path(command.argv.front()), arguments, setup);
    if (!error) {
      child.pid = started.id();
      started.detach();
      Orphans::adopt(child.pid);
    }
  }
  if (error) {
    child.result.how = How::not_started;
    child.result.code = error.value();
    loop_->events.push_back({Event::Kind::finished, number, {}});
    return number;
  }

  const int exit_descriptor = static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0));
  child.running = true;
  if (exit_descriptor < 0) {
    end(number, How::stopped);
    fail("cannot watch a child");
  }
  child.exit.assign(exit_descriptor);
  child.output.assign(output.ours.release());
  child.errors.assign(errors.ours.release());
  loop_->watch_exit(number);
  loop_->watch_output(number, &Child::output, &Finished::output);
  loop_->watch_output(number, &Child::errors, &Finished::errors);
  if (channel.ours.get() >= 0) {
    child.channel.assign(channel.ours.release());
    loop_->watch_channel(number);
  }
  return number;
}

void Children::send(std::size_t child, std::string_view line) {
  Child& listener = *loop_->children.at(child);
  if (!listener.running || !listener.channel.is_open()) return;
  const std::string text = fmt::format("{}\n", line);
  // A child that does not read is met by the deadline, one that is gone by its end: neither is an error here.
  static_cast<void>(::send(listener.channel.native_handle(), text.data(), text.size(), MSG_NOSIGNAL));
}

Children::Event Children::wait(Clock::time_point deadline, const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { asio::post(loop_->context, [] {}); });
  while (loop_->events.empty()) {
    if (stop.stop_requested()) return {Event::Kind::stopped, 0, {}};
    if (Clock::now() >= deadline) return {Event::Kind::deadline, 0, {}};
    loop_->context.run_one_until(deadline);
  }
  Event event = std::move(loop_->events.front());
  loop_->events.pop_front();
  return event;
}

bool Children::running(std::size_t child) const {
  return loop_->children.at(child)->running;
}

const Finished& Children::finished(std::size_t child) const {
  return loop_->children.at(child)->result;
}

int Children::pid(std::size_t child) const {
  return loop_->children.at(child)->pid;
}

void Children::end(std::size_t child, Finished::How how) {
  if (loop_->children.at(child)->running) loop_->conclude(child, how);
}

}  // namespace tandem::runners
