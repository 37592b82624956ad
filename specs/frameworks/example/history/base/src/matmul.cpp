#include "pebble/operators.hpp"

namespace pebble {
namespace {

using Four = float __attribute__((vector_size(16)));

constexpr std::size_t tile_rows = 4;
constexpr std::size_t tile_columns = 8;

Four load(const float* from) {
  Four value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

void store(float* to, Four value) {
  __builtin_memcpy(to, &value, sizeof value);
}

/// One tile of the product, held in eight registers until it is complete: a is where its rows of the left
/// side begin, b its columns of the right side, c its place in the product. Called as if it lay in another
/// file, because the loop needs all registers for itself.
[[gnu::noipa]] void multiply_tile(const float* a, const float* b, float* c, std::size_t depth,
                                  std::size_t columns) {
  const float* const end = a + depth;
  Four c00 = {}, c01 = {}, c10 = {}, c11 = {}, c20 = {}, c21 = {}, c30 = {}, c31 = {};
  for (; a != end; ++a) {
    const Four b0 = load(b);
    const Four b1 = load(b + 4);
    c00 += a[0] * b0;
    c01 += a[0] * b1;
    c10 += a[depth] * b0;
    c11 += a[depth] * b1;
    c20 += a[2 * depth] * b0;
    c21 += a[2 * depth] * b1;
    c30 += a[3 * depth] * b0;
    c31 += a[3 * depth] * b1;
    b += columns;
  }
  store(c, c00);
  store(c + 4, c01);
  store(c + columns, c10);
  store(c + columns + 4, c11);
  store(c + 2 * columns, c20);
  store(c + 2 * columns + 4, c21);
  store(c + 3 * columns, c30);
  store(c + 3 * columns + 4, c31);
}

}  // namespace

void matmul(const Tensor& left, const Tensor& right, Tensor& product) {
  const std::size_t depth = left.columns();
  const std::size_t columns = right.columns();
  const std::size_t full_rows = left.rows() / tile_rows * tile_rows;
  const std::size_t full_columns = columns / tile_columns * tile_columns;

  for (std::size_t j = 0; j < full_columns; j += tile_columns) {
    for (std::size_t i = 0; i < full_rows; i += tile_rows) {
      multiply_tile(left.row(i), right.data() + j, product.row(i) + j, depth, columns);
    }
  }

  // What no full tile covers: the last columns, then the last rows.
  for (std::size_t i = 0; i < left.rows(); ++i) {
    for (std::size_t j = i < full_rows ? full_columns : 0; j < columns; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < depth; ++k) sum += left.row(i)[k] * right.row(k)[j];
      product.row(i)[j] = sum;
    }
  }
}

}  // namespace pebble
