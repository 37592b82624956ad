#include "evaluation/evidence/results/goals.hpp"

namespace tandem::evaluation {

Goal::Met at_most(const Proportion& proportion, double target) {
  if (proportion.all == 0) return Goal::Met::unknown;
  if (proportion.high <= target) return Goal::Met::yes;
  return proportion.low > target ? Goal::Met::no : Goal::Met::unknown;
}

Goal::Met at_least(const Proportion& proportion, double target) {
  if (proportion.all == 0) return Goal::Met::unknown;
  if (proportion.low >= target) return Goal::Met::yes;
  return proportion.high < target ? Goal::Met::no : Goal::Met::unknown;
}

Goal::Met met(bool is_met) {
  return is_met ? Goal::Met::yes : Goal::Met::no;
}

}  // namespace tandem::evaluation
