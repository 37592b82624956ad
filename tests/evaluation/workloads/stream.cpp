// Copies 1 MiB and sums it up: the width of the second-level cache.
#include <array>
#include <memory>
#include <vector>

#include "evaluation/workloads/workload.hpp"

namespace tandem::evaluation {
namespace {

// Rows of a fixed length keep the inner loop the same however many of them there are.
using Row = std::array<std::uint32_t, 132>;
constexpr std::size_t rows = 2000;

struct Buffers {
  std::vector<Row> from = std::vector<Row>(rows + rows / 10);
  std::vector<Row> to = std::vector<Row>(rows + rows / 10);
};

}  // namespace

const char* const name = "stream";

Program::Body prepare() {
  const auto buffers = std::make_shared<Buffers>();
  std::uint32_t value = static_cast<std::uint32_t>(seed());
  for (Row& row : buffers->from) {
    for (std::uint32_t& number : row) number = value = value * 1664525u + 1013904223u;
  }
  return [buffers](std::uint64_t iterations) {
    const std::uint64_t copied = with_extra(rows);
    for (std::uint64_t i = 0; i < iterations; ++i) {
      std::uint32_t sum = 0;
      for (std::uint64_t k = 0; k < copied; ++k) {
        buffers->to[k] = buffers->from[k];
        for (const std::uint32_t number : buffers->from[k]) sum += number;
      }
      keep(sum);
      keep(buffers->to);
    }
  };
}

}  // namespace tandem::evaluation
