#pragma once

#include <cstdint>
#include <string_view>

namespace tandem {

/// splitmix64 (Steele, Lea, Flood 2014): small, seedable, the same numbers on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  [[nodiscard]] bool coin() { return (next() >> 63) != 0; }
  /// In [0, bound); the bias of the modulus is below 2^-40 for the small bounds used here.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

/// FNV-1a: a seed that belongs to these words, the same one whenever they are said again.
[[nodiscard]] constexpr std::uint64_t seed_of(std::string_view words) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : words) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace tandem
