#pragma once

#include <chrono>
#include <stop_token>

namespace tandem::specs {

/// Waits for `time`, or until a stop is requested; whether it is to go on.
[[nodiscard]] bool pause_unless_stopped(std::chrono::milliseconds time, const std::stop_token& stop);

}  // namespace tandem::specs
