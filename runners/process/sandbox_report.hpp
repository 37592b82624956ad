#pragma once

#include <string_view>

#include "runners/process/process.hpp"

namespace tandem::runners {

/// Puts what the shim reported (shim/orders.hpp) into `finished`. `status` is what wait4 says of bubblewrap:
/// where there is no report, it tells a sandbox that could not be made from one whose shim was killed.
void take_report(std::string_view report, int status, Finished& finished);

}  // namespace tandem::runners
