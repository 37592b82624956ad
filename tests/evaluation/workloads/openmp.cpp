// A parallel loop of two OpenMP threads: arithmetic in registers, and a meeting of both after every
// iteration.
#include "evaluation/workloads/workload.hpp"
#include "programs/work.hpp"

namespace tandem::evaluation {

const char* const name = "openmp";

Program::Body prepare() {
  return [value = seed()](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      // An even number of parts with every extra per cent, so that both threads have as many.
      const auto parts = static_cast<int>(with_extra(200));
      std::uint64_t sum = 0;
#pragma omp parallel for num_threads(2) schedule(static) reduction(+ : sum)
      for (int part = 0; part < parts; ++part) {
        sum += work(500, (value + static_cast<std::uint64_t>(part)) | 1);
      }
      keep(value = sum);
    }
  };
}

}  // namespace tandem::evaluation
