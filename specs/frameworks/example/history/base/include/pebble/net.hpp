#ifndef PEBBLE_NET_HPP
#define PEBBLE_NET_HPP

#include "pebble/tensor.hpp"

namespace pebble {

/// A dense layer: inputs in rows of weights, outputs in its columns, and one bias per output.
struct Dense {
  Tensor weights;
  Tensor bias;
};

/// hidden = relu(input * first); scores = hidden * second. One example per row.
class Net {
 public:
  Net(const Dense& first, const Dense& second, std::size_t batch);

  /// The scores of a batch; they belong to the net and are overwritten by the next call.
  const Tensor& forward(const Tensor& input);

 private:
  Dense first_;
  Dense second_;
  Tensor hidden_;
  Tensor scores_;
};

}  // namespace pebble

#endif  // PEBBLE_NET_HPP
