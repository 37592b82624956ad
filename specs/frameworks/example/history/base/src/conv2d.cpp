#include "pebble/operators.hpp"

namespace pebble {

void conv2d(const Tensor& image, const Tensor& kernel, Tensor& output) {
  const std::size_t half_height = kernel.rows() / 2;
  const std::size_t half_width = kernel.columns() / 2;
  for (std::size_t y = 0; y < image.rows(); ++y) {
    for (std::size_t x = 0; x < image.columns(); ++x) {
      float sum = 0;
      for (std::size_t v = 0; v < kernel.rows(); ++v) {
        for (std::size_t u = 0; u < kernel.columns(); ++u) {
          // Left of and above the image these wrap around to huge numbers, which the test leaves out as well.
          const std::size_t row = y + v - half_height;
          const std::size_t column = x + u - half_width;
          if (row < image.rows() && column < image.columns())
            sum += kernel.row(v)[u] * image.row(row)[column];
        }
      }
      output.row(y)[x] = sum;
    }
  }
}

}  // namespace pebble
