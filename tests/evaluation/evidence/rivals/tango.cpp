#include "evaluation/evidence/rivals/tango.hpp"

#include <cmath>

namespace tandem::evaluation::rival {

Call tango(const LaunchRow& launch) {
  constexpr double decisive = 2.6;
  constexpr double worth_knowing = 0.01;
  if (launch.differences < 2) return Call::none;
  const double error = launch.difference_deviation / std::sqrt(static_cast<double>(launch.differences));
  const bool real = std::abs(launch.difference_mean) >= decisive * error;
  const bool large = std::abs(launch.difference_mean) > worth_knowing * launch.control.mean;
  return real && large ? call_of(launch.difference_mean) : Call::none;
}

}  // namespace tandem::evaluation::rival
