// Does nothing: what is left is the price of the slices themselves.
#include "evaluation/workloads/workload.hpp"

namespace tandem::evaluation {

const char* const name = "empty";

Program::Body prepare() {
  return [](std::uint64_t iterations) { keep(iterations); };
}

}  // namespace tandem::evaluation
