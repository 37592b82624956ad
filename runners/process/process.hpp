#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "runners/pairing/samples.hpp"
#include "runners/process/sandbox.hpp"
#include "runners/process/shim/orders.hpp"

namespace tandem::runners {

/// What to start: no shell, no search path, nothing inherited but what is written here.
struct Command {
  std::vector<std::string> argv;            ///< argv[0] is also the file that is executed
  std::vector<std::string> environment;     ///< "NAME=value"
  std::filesystem::path working_directory;  ///< empty: the caller's; in a sandbox, its /tmp
  std::vector<int> cpus;                    ///< empty: any
  std::filesystem::path log_file;           ///< both outputs are written here as well, as they come
  std::optional<Sandbox> sandbox = {};      ///< with it, program, arguments and directories are paths inside
  Foreign foreign = Foreign::no;            ///< without a sandbox: what the child is kept from
  ForeignLimits foreign_limits = {};        ///< of a foreign one
};

struct Limits {
  std::chrono::nanoseconds deadline = std::chrono::minutes{5};
  std::size_t output_bytes = std::size_t{1}
                             << 20;  ///< of stdout and stderr together; past it the child is killed
};

/// How a child ended, with everything it used and the output it left.
struct Finished {
  enum class How {
    exited,
    signalled,
    timed_out,
    flooded,
    over_memory,
    over_disk,
    over_processes,
    not_started,
    no_sandbox,  ///< the sandbox could not be made; the reason is in `errors`
    stopped
  };
  How how = How::not_started;
  int code = 0;                 ///< exit status or signal number; errno for `not_started`
  ResourceUsage usage;          ///< only `wall` for a sandboxed child that was killed from outside
  std::size_t left_behind = 0;  ///< processes it started that were still alive when it had ended; killed
  std::string output;
  std::string errors;

  [[nodiscard]] bool succeeded() const { return how == How::exited && code == 0; }
};

/// One sentence without subject: "exited with status 7", "was killed by signal 11 (Segmentation fault)".
[[nodiscard]] std::string describe(const Finished& finished);

/// Runs one command to its end and kills whatever its process group left behind.
[[nodiscard]] Finished run_command(const Command& command, const Limits& limits, std::stop_token stop = {});

/// The caller's environment as "NAME=value" strings.
[[nodiscard]] std::vector<std::string> current_environment();

/// Several children under one small event loop, spoken to by lines. Not thread-safe; belongs to one thread.
///
/// Each child leads its own process group, is killed with that group, and dies with the calling thread; in a
/// sandbox, bubblewrap leads the group. The destructor kills and reaps whatever is left.
class Children {
 public:
  using Clock = std::chrono::steady_clock;

  /// What a child gets beside its three standard streams.
  struct Options {
    std::size_t output_bytes = std::size_t{1} << 20;
    enum class Channel { no, yes } channel = Channel::no;  ///< TANDEM_FD: a stream socket for lines
    int page = -1;                                         ///< a descriptor it inherits as `page_descriptor`
  };
  static constexpr int channel_descriptor = Orders::channel_descriptor;
  static constexpr int page_descriptor = Orders::page_descriptor;

  /// The next thing that happened. `line` is without its newline; `closed` means that the child closed its
  /// channel and still runs; `child` is meaningless for the last two.
  struct Event {
    enum class Kind { line, closed, finished, deadline, stopped } kind;
    std::size_t child = 0;
    std::string line;
  };

  Children();
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Starts a child and returns its number. If it cannot be started, it is `finished` at once as
  /// `not_started`.
  std::size_t start(const Command& command, const Options& options);
  void send(std::size_t child, std::string_view line);
  [[nodiscard]] Event wait(Clock::time_point deadline, const std::stop_token& stop);
  [[nodiscard]] bool running(std::size_t child) const;
  [[nodiscard]] const Finished& finished(std::size_t child) const;  ///< only when not running
  [[nodiscard]] Finished take(std::size_t child);                   ///< the same, kept here no longer
  [[nodiscard]] int pid(std::size_t child) const;                   ///< of its group
  [[nodiscard]] int program_pid(
      std::size_t child) const;  ///< of the program itself; 0 while a sandbox starts it

  /// Sends a signal to the program and its group; in a sandbox, to nothing of the sandbox.
  void signal(std::size_t child, int number) const;

  /// Kills the child's whole group, reaps it and records `how` as its ending if it was still running.
  void end(std::size_t child, Finished::How how);

 private:
  struct Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace tandem::runners
