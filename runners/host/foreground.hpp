#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace tandem::runners {

/// Runs a command on the caller's own terminal, streams and environment, looked up on PATH, and returns its
/// exit status; 128 and the number of the signal that ended it, as shells do.
///
/// A stop request usually reached the command too, from the same keyboard or service manager. If it is still
/// there after `grace` it gets SIGTERM, and after that time again SIGKILL. Throws InputError if it cannot be
/// started.
[[nodiscard]] int run_in_foreground(const std::vector<std::string>& argv, const std::stop_token& stop,
                                    std::chrono::milliseconds grace = std::chrono::seconds{5});

}  // namespace tandem::runners
