// A 64 x 64 float product by Eigen, of depth 200 so that a per cent of it is a whole number of steps:
// floating-point units and the first-level cache.
#include <Eigen/Core>
#include <memory>
#include <random>

#include "evaluation/workloads/workload.hpp"

namespace tandem::evaluation {
namespace {

struct Matrices {
  Eigen::MatrixXf left{64, 220};
  Eigen::MatrixXf right{220, 64};
  Eigen::MatrixXf product{64, 64};
};

}  // namespace

const char* const name = "gemm";

Program::Body prepare() {
  const auto data = std::make_shared<Matrices>();
  std::mt19937_64 random(seed());
  std::uniform_real_distribution<float> number(-1, 1);
  for (float& value : data->left.reshaped()) value = number(random);
  for (float& value : data->right.reshaped()) value = number(random);
  return [data](std::uint64_t iterations) {
    const auto depth = static_cast<Eigen::Index>(with_extra(200));
    for (std::uint64_t i = 0; i < iterations; ++i) {
      data->product.noalias() = data->left.leftCols(depth) * data->right.topRows(depth);
      keep(data->product);
    }
  };
}

}  // namespace tandem::evaluation
