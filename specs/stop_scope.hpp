#pragma once

#include <exception>
#include <stop_token>
#include <utility>

namespace tandem::specs {

/// Work on a large file was given up because a stop was requested. Nothing failed, hence no Error.
struct Stopped : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

/// As long as this lives, hashing and copying on this thread end with `Stopped` when the stop is requested.
class StopScope {
 public:
  explicit StopScope(std::stop_token stop) : outer_(std::exchange(current(), std::move(stop))) {}
  ~StopScope() { current() = std::move(outer_); }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  /// Called between pieces that take no more than a moment each.
  static void give_up_if_stopped() {
    if (current().stop_requested()) throw Stopped();
  }

 private:
  static std::stop_token& current() {
    static thread_local std::stop_token token;
    return token;
  }

  std::stop_token outer_;
};

}  // namespace tandem::specs
