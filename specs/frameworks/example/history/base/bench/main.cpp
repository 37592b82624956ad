#include "pebble/net.hpp"
#include "pebble/operators.hpp"
#include "tandem.hpp"

namespace {

/// Values in [-1, 1) from a linear congruential sequence that starts at the run's seed.
pebble::Tensor random_tensor(std::size_t rows, std::size_t columns) {
  static std::uint64_t state = tandem::seed();
  pebble::Tensor tensor(rows, columns);
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    tensor.data()[i] = static_cast<float>(static_cast<std::int32_t>(state >> 32)) / 2147483648.0f;
  }
  return tensor;
}

tandem::Program::Body multiply_squares(std::size_t size) {
  const pebble::Tensor left = random_tensor(size, size);
  const pebble::Tensor right = random_tensor(size, size);
  return [left, right, product = pebble::Tensor(size, size)](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      pebble::matmul(left, right, product);
      tandem::keep(*product.data());
    }
  };
}

tandem::Program::Body fold_image(std::size_t size) {
  const pebble::Tensor image = random_tensor(size, size);
  const pebble::Tensor kernel = random_tensor(3, 3);
  return [image, kernel, output = pebble::Tensor(size, size)](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      pebble::conv2d(image, kernel, output);
      tandem::keep(*output.data());
    }
  };
}

tandem::Program::Body distribute(std::size_t columns) {
  const pebble::Tensor input = random_tensor(2, columns);
  return [input, output = pebble::Tensor(2, columns)](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      pebble::softmax(input, output);
      tandem::keep(*output.data());
    }
  };
}

tandem::Program::Body run_net(std::size_t batch) {
  const pebble::Tensor input = random_tensor(batch, 64);
  const pebble::Dense first{random_tensor(64, 64), random_tensor(1, 64)};
  const pebble::Dense second{random_tensor(64, 16), random_tensor(1, 16)};
  return [input, net = pebble::Net(first, second, batch)](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) tandem::keep(*net.forward(input).data());
  };
}

}  // namespace

int main(int argc, char** argv) {
  tandem::Program program;
  program.add("matmul/48", [] { return multiply_squares(48); });
  program.add("conv2d/3x3", [] { return fold_image(48); });
  program.add("softmax/1000", [] { return distribute(1000); });
  program.add("net/two_layers", [] { return run_net(16); });
  return program.run(argc, argv);
}
