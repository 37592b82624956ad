#include "pebble/net.hpp"

#include "pebble/operators.hpp"

namespace pebble {
namespace {

void add_bias(Tensor& values, const Tensor& bias) {
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t j = 0; j < values.columns(); ++j) values.row(i)[j] += bias.data()[j];
  }
}

void relu(Tensor& values) {
  float* value = values.data();
  for (std::size_t i = 0; i < values.size(); ++i) value[i] = value[i] > 0 ? value[i] : 0;
}

}  // namespace

Net::Net(const Dense& first, const Dense& second, std::size_t batch)
    : first_(first),
      second_(second),
      hidden_(batch, first.weights.columns()),
      scores_(batch, second.weights.columns()) {}

const Tensor& Net::forward(const Tensor& input) {
  matmul(input, first_.weights, hidden_);
  add_bias(hidden_, first_.bias);
  relu(hidden_);
  matmul(hidden_, second_.weights, scores_);
  add_bias(scores_, second_.bias);
  return scores_;
}

}  // namespace pebble
