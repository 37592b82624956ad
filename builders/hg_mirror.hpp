#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>

#include "runners/descriptor.hpp"

namespace tandem::builders::hg {

/// One writer at a time per mirror. The lock goes with the process, however that ends. Nothing if another
/// held it until `end` or until the stop.
[[nodiscard]] std::optional<runners::OwnedDescriptor> lock_mirror(const std::filesystem::path& mirror,
                                                                  std::chrono::steady_clock::time_point end,
                                                                  const std::stop_token& stop);

/// Makes the mirror if it is missing, and mends what a killed fetch left in it; the caller holds its lock.
/// One that is no repository any more is put aside and made again. Throws Error.
void prepare_mirror(const std::filesystem::path& mirror, std::chrono::nanoseconds deadline);

/// Reads the whole mirror and puts it aside if that fails. True if it did.
[[nodiscard]] bool put_aside_if_damaged(const std::filesystem::path& mirror,
                                        std::chrono::nanoseconds deadline, const std::stop_token& stop);

}  // namespace tandem::builders::hg
