// Compares each operator with its definition, written as plainly as possible and in double precision. Build
// and run:
//   c++ -std=c++17 -O1 -Iinclude tests/check.cpp src/*.cpp -o check && ./check
#include <math.h>
#include <stdio.h>

#include "pebble/net.hpp"
#include "pebble/operators.hpp"

using pebble::Tensor;

namespace {

int failures = 0;

void expect_near(const char* what, double expected, double actual) {
  if (fabs(expected - actual) <= 1e-4 * (1 + fabs(expected))) return;
  printf("%s: expected %.7g, not %.7g\n", what, expected, actual);
  ++failures;
}

Tensor counting(std::size_t rows, std::size_t columns) {
  Tensor tensor(rows, columns);
  for (std::size_t i = 0; i < tensor.size(); ++i)
    tensor.data()[i] = 0.1f * static_cast<float>(i * 7 % 19) - 1;
  return tensor;
}

void check_matmul(std::size_t rows, std::size_t depth, std::size_t columns) {
  const Tensor left = counting(rows, depth);
  const Tensor right = counting(depth, columns);
  Tensor product(rows, columns);
  pebble::matmul(left, right, product);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < depth; ++k) sum += static_cast<double>(left.row(i)[k]) * right.row(k)[j];
      expect_near("matmul", sum, product.row(i)[j]);
    }
  }
}

void check_softmax() {
  const Tensor input = counting(3, 50);
  Tensor output(3, 50);
  pebble::softmax(input, output);
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 50; ++j) sum += exp(input.row(i)[j]);
    for (std::size_t j = 0; j < 50; ++j) expect_near("softmax", exp(input.row(i)[j]) / sum, output.row(i)[j]);
  }
}

void check_net() {
  const pebble::Dense first{counting(8, 16), counting(1, 16)};
  const pebble::Dense second{counting(16, 8), counting(1, 8)};
  const Tensor input = counting(4, 8);
  pebble::Net net(first, second, 4);
  const Tensor& scores = net.forward(input);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      double score = second.bias.data()[j];
      for (std::size_t h = 0; h < 16; ++h) {
        double hidden = first.bias.data()[h];
        for (std::size_t k = 0; k < 8; ++k)
          hidden += static_cast<double>(input.row(i)[k]) * first.weights.row(k)[h];
        if (hidden > 0) score += hidden * second.weights.row(h)[j];
      }
      expect_near("net", score, scores.row(i)[j]);
    }
  }
}

}  // namespace

int main() {
  check_matmul(8, 5, 16);
  check_matmul(7, 3, 13);
  check_softmax();
  check_net();
  if (failures == 0) printf("all operators agree with their definitions\n");
  return failures == 0 ? 0 : 1;
}
