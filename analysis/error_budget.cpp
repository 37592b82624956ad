#include "analysis/error_budget.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

constexpr double days_per_month = 365.25 / 12;
constexpr double confidence = 0.95;

/// The probability of at most `seen` in `trials` at `rate`. Summed from the last term down: for the rates
/// asked for here, above seen / trials, that is the largest.
double at_most(std::size_t seen, std::size_t trials, double rate) {
  const auto n = static_cast<double>(trials);
  const auto k = static_cast<double>(seen);
  const double log_choices = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  double term = std::exp(log_choices + k * std::log(rate) + (n - k) * std::log1p(-rate));
  double sum = term;
  for (double fewer = k; fewer > 0 && term > sum * 1e-17; --fewer) {
    term *= fewer / (n - fewer + 1) * (1 - rate) / rate;
    sum += term;
  }
  return sum;
}

}  // namespace

std::vector<double> e_bh_q_values(std::span<const double> e_values) {
  for (const double value : e_values) {
    if (!(value >= 0.0)) throw Error("an e-value is negative or not a number");
  }
  std::vector<std::size_t> order(e_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t one, std::size_t other) { return e_values[one] > e_values[other]; });
  std::vector<double> q_values(e_values.size(), 1.0);
  double smallest = 1.0;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t index = order[rank - 1];
    const double share = static_cast<double>(order.size()) / static_cast<double>(rank);
    smallest = std::min(smallest, share / e_values[index]);
    q_values[index] = smallest;
  }
  return q_values;
}

double highest_rate(std::size_t seen, std::size_t trials, double level) {
  if (seen > trials) throw Error("more was seen than was tried");
  if (seen == trials) return 1.0;
  double low = static_cast<double>(seen) / static_cast<double>(trials);
  double high = 1.0;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = std::midpoint(low, high);
    (at_most(seen, trials, middle) > 1.0 - level ? low : high) = middle;
  }
  return high;
}

std::optional<ErrorBudget> error_budget(const ErrorFacts& facts) {
  if (!std::isfinite(facts.days) || facts.days < 0.0)
    throw Error("the days of a budget are not a number from 0");
  if (facts.days == 0.0) return std::nullopt;
  ErrorBudget budget;
  budget.tests_per_month = static_cast<double>(facts.screens) / facts.days * days_per_month;
  budget.suspect_rate_high = highest_rate(facts.null_suspects, facts.null_screens, confidence);
  if (facts.null_screens > 0) {
    budget.suspect_rate = static_cast<double>(facts.null_suspects) / static_cast<double>(facts.null_screens);
  }
  budget.false_records_per_month = budget.tests_per_month * budget.suspect_rate * facts.alpha;
  budget.most_false_records_per_month = budget.tests_per_month * budget.suspect_rate_high * facts.alpha;
  return budget;
}

}  // namespace tandem::analysis
