#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "runners/process/process.hpp"

namespace tandem::tests {

/// A daemon in the background. What is left of it is killed with this object.
class Service {
 public:
  explicit Service(const runners::Command& command);

  [[nodiscard]] int pid() const { return children_.pid(child_); }
  void signal(int number) const;
  /// kill -9, and waits until it is dead. It is not reaped yet, so that nobody looks after its children.
  void kill() const;

  /// Waits until the condition holds; false if the daemon ends or a minute passes first.
  [[nodiscard]] bool until(const std::function<bool()>& condition);
  /// Waits for its end; nothing if it still runs when the time is up. Whatever processes it left are counted
  /// and killed.
  [[nodiscard]] std::optional<runners::Finished> end_within(std::chrono::milliseconds time);

 private:
  runners::Children children_;
  std::size_t child_;
};

}  // namespace tandem::tests
