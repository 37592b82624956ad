#ifndef PEBBLE_TENSOR_HPP
#define PEBBLE_TENSOR_HPP

#include <stdlib.h>
#include <string.h>

#include <cstddef>
#include <new>

namespace pebble {

/// A matrix of floats, stored row by row. Copies are deep.
class Tensor {
 public:
  static constexpr std::size_t alignment = 64;

  Tensor(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), data_(allocate(rows * columns)) {
    memset(data_, 0, bytes());
  }
  Tensor(const Tensor& other)
      : rows_(other.rows_), columns_(other.columns_), data_(allocate(other.rows_ * other.columns_)) {
    memcpy(data_, other.data_, bytes());
  }
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor() { free(data_); }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t size() const { return rows_ * columns_; }

  float* data() { return data_; }
  const float* data() const { return data_; }
  float* row(std::size_t i) { return data_ + i * columns_; }
  const float* row(std::size_t i) const { return data_ + i * columns_; }

 private:
  static float* allocate(std::size_t count) {
    const std::size_t wanted = count * sizeof(float) + alignment;
    void* memory = aligned_alloc(alignment, wanted / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<float*>(memory);
  }
  std::size_t bytes() const { return size() * sizeof(float); }

  std::size_t rows_;
  std::size_t columns_;
  float* data_;
};

}  // namespace pebble

#endif  // PEBBLE_TENSOR_HPP
