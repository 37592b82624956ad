#pragma once

#include <cstdint>

#include "tandem.hpp"

namespace tandem::evaluation {

/// How much more of its own kind of work the program does, in thousandths. It lives in an object file of its
/// own, so that all variants of a workload share one compilation and differ in one word of data: what is
/// found is the work and not the layout.
extern const std::uint64_t extra_permille;

/// `amount` and the extra thousandths of it.
inline std::uint64_t with_extra(std::uint64_t amount) {
  return amount + amount * extra_permille / 1000;
}

/// Each workload defines these two: its name, and its data with the body that one iteration repeats. The data
/// does not depend on the extra work, and the extra work is spread evenly over the iterations (but for
/// `rare`, which is about nothing else).
extern const char* const name;
Program::Body prepare();

}  // namespace tandem::evaluation
