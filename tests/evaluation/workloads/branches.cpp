// Decides 1000 times by random bytes, of which there are more than a predictor can learn.
#include <memory>
#include <random>
#include <vector>

#include "evaluation/workloads/workload.hpp"

namespace tandem::evaluation {
namespace {

constexpr std::size_t bytes = std::size_t(1) << 19;

}  // namespace

const char* const name = "branches";

Program::Body prepare() {
  const auto data = std::make_shared<std::vector<unsigned char>>(bytes);
  std::mt19937_64 random(seed());
  for (unsigned char& byte : *data) byte = static_cast<unsigned char>(random() >> 40);
  return [data, at = std::size_t(0)](std::uint64_t iterations) mutable {
    std::uint64_t even = 0;
    std::uint64_t odd = 0;
    for (std::uint64_t i = 0; i < iterations; ++i) {
      for (std::uint64_t k = with_extra(1000); k > 0; --k) {
        const unsigned char byte = (*data)[at];
        at = (at + 1) % bytes;
        // Each arm is looked at, lest the compiler make one piece without a branch of the two.
        if (byte % 2 == 0) {
          keep(even += byte);
        } else {
          keep(odd ^= byte);
        }
      }
    }
  };
}

}  // namespace tandem::evaluation
