#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "daemon/record.hpp"

namespace tandem::daemon {

/// Which of the open regressions of a benchmark a confirmed faster step ends: the one whose subject the
/// commit says it reverts, else the only one whose size fits, margin included. Nothing if none or more than
/// one fits.
[[nodiscard]] std::optional<std::size_t> regression_ended_by(const std::vector<Record>& open,
                                                             const Record& improvement);

/// The regression with one more event in its life: fixed by this commit.
[[nodiscard]] Record fixed(Record regression, const builders::Commit& by, std::int64_t at);

}  // namespace tandem::daemon
