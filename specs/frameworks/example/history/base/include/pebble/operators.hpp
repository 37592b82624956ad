#ifndef PEBBLE_OPERATORS_HPP
#define PEBBLE_OPERATORS_HPP

#include "pebble/tensor.hpp"

namespace pebble {

/// product = left * right.
void matmul(const Tensor& left, const Tensor& right, Tensor& product);

/// output = image folded with kernel; outside the image everything is 0, so output has the image's size.
void conv2d(const Tensor& image, const Tensor& kernel, Tensor& output);

/// Every row of output becomes a distribution: positive, and its sum is 1.
void softmax(const Tensor& input, Tensor& output);

}  // namespace pebble

#endif  // PEBBLE_OPERATORS_HPP
