#include "analysis/margin.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

constexpr double long_iteration = 1.0;  // seconds
constexpr double margin_of_long_iterations = 0.05;
// A few dozen instructions on any processor of today. The bound is a choice: what matters is the layout
// spread, which is measured on the host itself.
constexpr double short_body = 20e-9;  // seconds
constexpr double spreads = 2.0;
constexpr double spreads_of_short_bodies = 4.0;

void raise(Margin& margin, double demand, std::string why) {
  if (demand > margin.value) margin = {demand, std::move(why)};
}

}  // namespace

Margin margin_of(const MarginFacts& facts) {
  if (!std::isfinite(facts.configured) || facts.configured <= 0.0) {
    throw InputError("the margin must be a positive share, such as 0.01");
  }
  const double spread = facts.layout_spread.value_or(0.0);
  const double seconds = facts.seconds_per_iteration;
  if (!std::isfinite(spread) || spread < 0.0) throw Error("a layout spread is not a number from 0 on");
  if (!std::isfinite(seconds) || seconds < 0.0)
    throw Error("the time of an iteration is not a number from 0 on");

  Margin margin{facts.configured, "as configured"};
  raise(margin, spreads * spread, fmt::format("twice the layout spread of {:.2f} %", 100 * spread));
  if (seconds > 0.0 && seconds < short_body) {
    raise(margin, spreads_of_short_bodies * spread,
          fmt::format("four times the layout spread of {:.2f} % (a body under 20 ns)", 100 * spread));
  }
  if (seconds > long_iteration) raise(margin, margin_of_long_iterations, "an iteration takes over 1 s");
  return margin;
}

}  // namespace tandem::analysis
