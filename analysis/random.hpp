#pragma once

#include <cstdint>

namespace tandem::analysis {

/// A small generator of random bits that gives the same sequence with every compiler and library
/// (splitmix64 of Steele, Lea and Flood, 2014).
class RandomBits {
 public:
  explicit constexpr RandomBits(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31);
  }

 private:
  std::uint64_t state_;
};

}  // namespace tandem::analysis
