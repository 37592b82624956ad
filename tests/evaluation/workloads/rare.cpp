// Even arithmetic with an event about once per millisecond that takes 2 % of all work. The extra work is in
// the event alone: with 2 % more in all it costs twice as much, and a short slice is mostly without one.
#include "evaluation/workloads/workload.hpp"
#include "programs/work.hpp"

namespace tandem::evaluation {
namespace {

constexpr std::uint64_t units = 500;  // of work in an ordinary iteration: some 2 µs
constexpr std::uint64_t period = 500;
constexpr std::uint64_t thousandth = period * units / 1000;

}  // namespace

const char* const name = "rare";

Program::Body prepare() {
  return [value = seed(), count = std::uint64_t(0)](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      keep(value = work(units, value | 1));
      if (++count % period == 0) keep(value = work((20 + extra_permille) * thousandth, value | 1));
    }
  };
}

}  // namespace tandem::evaluation
