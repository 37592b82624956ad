#pragma once

#include <cstdint>

/// Real work of a known amount: `units` rounds of dependent integer arithmetic that no compiler can shorten.
inline std::uint64_t work(std::uint64_t units, std::uint64_t value) {
  for (std::uint64_t i = 0; i < units; ++i) {
    value ^= value >> 12;
    value ^= value << 25;
    value ^= value >> 27;
    value *= 0x2545f4914f6cdd1d;
  }
  return value;
}
