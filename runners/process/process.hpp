#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "runners/process/command.hpp"
#include "runners/process/shim/orders.hpp"

namespace tandem::runners {

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

  using Options = ChildOptions;
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
