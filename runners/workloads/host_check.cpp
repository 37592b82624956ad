// A handful of benchmarks that differ in what they ask of the host: `tandem calibrate` without a program runs
// them to say how well this host measures. The counts of steps are choices: an iteration takes from some
// hundred nanoseconds to some ten microseconds on any processor of today, far below a slice.
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "tandem.hpp"

namespace {

/// xorshift64 (Marsaglia 2003): inputs that are the same on both sides of a pair.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed | 1) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    return state_ ^= state_ << 17;
  }

 private:
  std::uint64_t state_;
};

/// Dependent arithmetic in registers: nothing but the clock of the core.
tandem::Program::Body compute() {
  return [value = tandem::seed() | 1](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      for (int step = 0; step < 1000; ++step) value = value * 6364136223846793005u + 1442695040888963407u;
      tandem::keep(value);
    }
  };
}

/// Reads all of a block. Sizes here are fixed, so that hosts can be compared by name: 256 KiB fit into most
/// second-level caches.
tandem::Program::Body sum(std::size_t bytes) {
  auto block = std::make_shared<std::vector<std::uint64_t>>(bytes / sizeof(std::uint64_t));
  Random random(tandem::seed());
  for (std::uint64_t& value : *block) value = random.next();
  return [block](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      std::uint64_t total = 0;
      for (const std::uint64_t value : *block) total += value;
      tandem::keep(total);
    }
  };
}

/// Copies a slowly moving part of 64 MiB: the bandwidth of the memory, or of a cache that is larger than
/// that.
tandem::Program::Body bandwidth() {
  constexpr std::size_t whole = std::size_t{64} << 20;
  constexpr std::size_t part = std::size_t{64} << 10;
  auto from = std::make_shared<std::vector<char>>(whole / 2, 1);
  auto to = std::make_shared<std::vector<char>>(whole / 2, 2);
  return [from, to, at = std::size_t{0}](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      std::memcpy(to->data() + at, from->data() + at, part);
      tandem::keep(*to);
      at = (at + part) % (whole / 2);
    }
  };
}

/// Follows a random cycle through 16 MiB: every step waits for memory, or for a large last-level cache.
tandem::Program::Body chase() {
  constexpr std::size_t lines = (std::size_t{16} << 20) / 64;
  struct alignas(64) Line {
    std::uint32_t next;
  };
  auto cycle = std::make_shared<std::vector<Line>>(lines);
  std::vector<std::uint32_t> order(lines);
  std::iota(order.begin(), order.end(), 0u);
  Random random(tandem::seed());
  for (std::size_t i = lines - 1; i > 0; --i) std::swap(order[i], order[random.next() % (i + 1)]);
  for (std::size_t i = 0; i < lines; ++i) (*cycle)[order[i]].next = order[(i + 1) % lines];
  return [cycle, at = std::uint32_t{0}](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      for (int step = 0; step < 100; ++step) at = (*cycle)[at].next;
      tandem::keep(at);
    }
  };
}

/// Branches that no predictor knows.
tandem::Program::Body branches() {
  return [random = Random(tandem::seed()), count = std::uint64_t{0}](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      for (int step = 0; step < 500; ++step) {
        const std::uint64_t value = random.next();
        if ((value >> 40 & 1) != 0) {
          count += value & 7;
          tandem::keep(count);
        } else {
          count ^= value;
          tandem::keep(count);
        }
      }
    }
  };
}

}  // namespace

int main(int argc, char** argv) {
  tandem::Program program;
  program.add("compute", compute);
  program.add("cache/256KiB", [] { return sum(std::size_t{256} << 10); });
  program.add("bandwidth/64MiB", bandwidth);
  program.add("chase/16MiB", chase);
  program.add("branches", branches);
  return program.run(argc, argv);
}
