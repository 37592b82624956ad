#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tandem::evaluation {

/// Up to so many values all sign patterns are counted; beyond, a random part of them.
inline constexpr std::size_t largest_exact_sign_flip = 32;
inline constexpr std::uint64_t random_sign_flips = 99'999;

/// What the confirmation tested before it tested ranks: the share of sign patterns that give the values a sum
/// at least as large as theirs: the p-value against "symmetric about 0" (or lower) in favour of "larger".
/// Exact whatever the distribution, as long as each value is as likely to have had the other sign. Beyond 32
/// values it is (1 + hits) / (1 + 99 999), valid too, and never below 1e-5; `seed` matters only there. 1
/// without values. Throws Error when a value is not finite.
[[nodiscard]] double sign_flip_p_value(std::span<const double> values, std::uint64_t seed);

}  // namespace tandem::evaluation
