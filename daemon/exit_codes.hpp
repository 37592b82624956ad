#pragma once

#include <initializer_list>

namespace tandem::daemon {

/// Of two exit codes the one that matters more to a person: 1 slower, 2 wrong input, 4 something failed, 3
/// inconclusive, 0.
[[nodiscard]] constexpr int more_pressing(int one, int other) {
  for (const int code : {1, 2, 4, 3}) {
    if (one == code || other == code) return code;
  }
  return 0;
}

}  // namespace tandem::daemon
