// Dependent integer arithmetic that stays in registers: what tests/programs/steady does.
#include "evaluation/workloads/workload.hpp"
#include "programs/work.hpp"

namespace tandem::evaluation {

const char* const name = "arithmetic";

Program::Body prepare() {
  return [value = seed()](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) keep(value = work(with_extra(2000), value | 1));
  };
}

}  // namespace tandem::evaluation
