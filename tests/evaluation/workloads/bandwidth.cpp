// Copies 64 MiB to another 64 MiB, a piece per iteration: the width of main memory.
#include <cstring>
#include <memory>
#include <vector>

#include "evaluation/workloads/workload.hpp"

namespace tandem::evaluation {
namespace {

constexpr std::size_t row_bytes = 4096;
constexpr std::size_t rows = 64 * 1024 * 1024 / row_bytes;
constexpr std::size_t piece_rows = 100;  // short enough for slices of 0.1 ms

struct Buffers {
  std::vector<unsigned char> from = std::vector<unsigned char>(rows * row_bytes);
  std::vector<unsigned char> to = std::vector<unsigned char>(rows * row_bytes);
};

}  // namespace

const char* const name = "bandwidth";

Program::Body prepare() {
  const auto buffers = std::make_shared<Buffers>();
  std::memset(buffers->from.data(), static_cast<int>(seed() & 0xff), buffers->from.size());
  return [buffers, row = std::size_t(0)](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      for (std::uint64_t k = with_extra(piece_rows); k > 0; --k) {
        std::memcpy(buffers->to.data() + row * row_bytes, buffers->from.data() + row * row_bytes, row_bytes);
        row = (row + 1) % rows;
      }
      keep(buffers->to);
    }
  };
}

}  // namespace tandem::evaluation
