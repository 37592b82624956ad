#include "runners/process/process.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/process/v2/process.hpp>
#include <cstring>
#include <deque>
#include <system_error>
#include <utility>

#include "runners/process/bubblewrap.hpp"
#include "runners/process/child_setup.hpp"
#include "runners/process/control_group.hpp"
#include "runners/process/orphans.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::runners {

namespace {

namespace asio = boost::asio;
namespace process = boost::process::v2;
using Descriptor = asio::posix::stream_descriptor;
using How = Finished::How;

/// Boost's launcher runs our setup in the child.
struct Initializer {
  const ChildSetup& setup;

  boost::system::error_code on_setup(process::posix::default_launcher& launcher,
                                     const process::filesystem::path& /*executable*/,
                                     const char* const* /*argv*/) const {
    for (const int descriptor : setup.inherited()) launcher.fd_whitelist.push_back(descriptor);
    return {};
  }

  boost::system::error_code on_exec_setup(process::posix::default_launcher& /*launcher*/,
                                          const process::filesystem::path& /*executable*/,
                                          const char* const* /*argv*/) const {
    return {setup.prepare(), boost::system::system_category()};
  }
};

void take_usage(const rusage& usage, ResourceUsage& into) {
  const auto nanoseconds = [](const timeval& time) {
    return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
  };
  into.user = nanoseconds(usage.ru_utime);
  into.system = nanoseconds(usage.ru_stime);
  into.peak_resident_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  into.voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw);
  into.involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw);
}

/// What the kernel refused explains a failure, and nothing else: a program may well live with it.
void blame_limits(const ControlGroup& group, Finished& finished) {
  if (finished.succeeded() || (finished.how != How::exited && finished.how != How::signalled)) return;
  const ControlGroup::Met met = group.met();
  if (met == ControlGroup::Met::memory) finished.how = How::over_memory;
  if (met == ControlGroup::Met::tasks) finished.how = How::over_processes;
}

/// More than any conversation needs; past it a child only fills our memory.
constexpr std::size_t most_channel_bytes = std::size_t{16} << 20;

/// Everything known about one child. The descriptors live as long as the event loop reads them.
struct Child {
  Child(asio::io_context& context, ChildOutput limited_output)
      : said(std::move(limited_output)), exit(context), output(context), errors(context), channel(context) {}

  int pid = -1;
  int program = 0;  ///< in a sandbox, once it was found
  Children::Clock::time_point started;
  ChildOutput said;
  Descriptor exit;
  Descriptor output;
  Descriptor errors;
  Descriptor channel;
  LineCutter lines;
  std::size_t channel_bytes = 0;
  OwnedDescriptor report;  ///< only of a child in a sandbox: what the shim says of its end
  std::unique_ptr<ControlGroup> group;
  bool limits_files = false;
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

  bool take_output(std::size_t number, std::string_view bytes, std::string Finished::*text) {
    Child& child = *children[number];
    return child.said.take(bytes, child.result.*text);
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
          if (n > 0) {
            child.channel_bytes += static_cast<std::size_t>(n);
            if (child.channel_bytes > most_channel_bytes) return conclude(number, How::flooded);
            take_lines(number, {chunk.data(), static_cast<std::size_t>(n)});
          }
          watch_channel(number);
        });
  }

  void take_lines(std::size_t number, std::string_view bytes) {
    for (std::string& line : children[number]->lines.take(bytes))
      events.push_back({Event::Kind::line, number, std::move(line)});
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
    const std::size_t left_behind = Orphans::sweep_after(child.pid);
    ::kill(-child.pid, SIGKILL);
    drain(number);

    child.result.how = how != How::exited ? how : WIFSIGNALED(status) ? How::signalled : How::exited;
    child.result.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    if (child.report.get() < 0) {
      child.result.left_behind = left_behind;
      take_usage(usage, child.result.usage);
    } else if (how == How::exited) {
      const auto n = ::read(child.report.get(), chunk.data(), chunk.size());
      take_report({chunk.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))}, status, child.result);
    }
    if (child.limits_files && child.result.how == How::signalled && child.result.code == SIGXFSZ)
      child.result.how = How::over_disk;
    if (child.group) blame_limits(*child.group, child.result);
    child.group.reset();
    for (Descriptor* stream : {&child.exit, &child.output, &child.errors, &child.channel}) {
      boost::system::error_code ignored;
      stream->close(ignored);
    }
    child.said.close_log();
    child.report = OwnedDescriptor();
    events.push_back({Event::Kind::finished, number, {}});
  }
};

Children::Children() : loop_(std::make_unique<Loop>()) {}

Children::~Children() {
  for (std::size_t number = 0; number < loop_->children.size(); ++number) end(number, How::stopped);
}

std::size_t Children::start(const Command& command, const Options& options) {
  if (command.argv.empty()) throw Error("a command without a program cannot be started");
  ChildSetup setup(command, options);
  const Command& started = setup.command();
  const std::size_t number = loop_->children.size();
  Child& child = *loop_->children.emplace_back(
      std::make_unique<Child>(loop_->context, ChildOutput(options.output_bytes, command.log_file)));

  process::posix::default_launcher launcher;
  launcher.env = setup.environment();
  boost::system::error_code error;
  child.started = Clock::now();
  {
    const auto lock = Orphans::hold();
    auto launched =
        launcher(loop_->context.get_executor(), error, process::filesystem::path(started.argv.front()),
                 setup.arguments(), Initializer{setup});
    if (!error) {
      child.pid = launched.id();
      launched.detach();
      Orphans::adopt(child.pid, setup.environment());
    }
  }
  if (error) {
    Orphans::sweep();  // what could not become the program is ours to reap
    child.result.how = command.sandbox ? How::no_sandbox : How::not_started;
    child.result.code = error.value();
    if (command.sandbox)
      child.result.errors = fmt::format("{}: {}", started.argv.front(), std::strerror(error.value()));
    loop_->events.push_back({Event::Kind::finished, number, {}});
    return number;
  }

  const int exit_descriptor = static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0));
  child.running = true;
  if (exit_descriptor < 0) {
    end(number, How::stopped);
    throw Error(fmt::format("cannot watch a child: {}", std::strerror(errno)));
  }
  child.exit.assign(exit_descriptor);
  child.output.assign(setup.output.ours.release());
  child.errors.assign(setup.errors.ours.release());
  child.report = std::move(setup.report.ours);
  child.group = std::move(setup.group);
  child.limits_files = command.foreign == Foreign::yes && command.foreign_limits.file_bytes != 0;
  loop_->watch_exit(number);
  loop_->watch_output(number, &Child::output, &Finished::output);
  loop_->watch_output(number, &Child::errors, &Finished::errors);
  if (setup.channel.ours.get() >= 0) {
    child.channel.assign(setup.channel.ours.release());
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

Finished Children::take(std::size_t child) {
  return std::exchange(loop_->children.at(child)->result, {});
}

int Children::pid(std::size_t child) const {
  return loop_->children.at(child)->pid;
}

int Children::program_pid(std::size_t child) const {
  Child& one = *loop_->children.at(child);
  if (one.report.get() < 0) return one.pid;
  if (one.program == 0) one.program = program_inside(one.pid);
  return one.program;
}

void Children::signal(std::size_t child, int number) const {
  // Group 0 would be our own.
  if (const int group = program_pid(child); running(child) && group > 0) ::kill(-group, number);
}

void Children::end(std::size_t child, Finished::How how) {
  if (loop_->children.at(child)->running) loop_->conclude(child, how);
}

Finished run_command(const Command& command, const Limits& limits, std::stop_token stop) {
  Children children;
  Children::Options options;
  options.output_bytes = limits.output_bytes;
  const auto deadline = Children::Clock::now() + limits.deadline;
  const std::size_t child = children.start(command, options);
  while (children.running(child)) {
    const auto event = children.wait(deadline, stop);
    if (event.kind == Children::Event::Kind::deadline) children.end(child, How::timed_out);
    if (event.kind == Children::Event::Kind::stopped) children.end(child, How::stopped);
  }
  return children.finished(child);
}

std::string describe(const Finished& finished) {
  // In the order of Finished::How.
  constexpr const char* texts[] = {"exited with status {}",
                                   "was killed by signal {} ({})",
                                   "did not end before its deadline",
                                   "wrote more output than allowed",
                                   "used more memory than allowed",
                                   "wrote more to the disk than allowed",
                                   "started more processes than allowed",
                                   "could not be started: {1}",
                                   "could not be put into a sandbox",
                                   "was stopped"};
  const bool by_signal = finished.how == How::signalled;
  return fmt::format(fmt::runtime(texts[static_cast<std::size_t>(finished.how)]), finished.code,
                     by_signal ? ::strsignal(finished.code) : std::strerror(finished.code));
}

std::vector<std::string> current_environment() {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  return environment;
}

}  // namespace tandem::runners
