#include "analysis/culprit_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

bool is_positive(double value) {
  return std::isfinite(value) && value > 0.0;
}

void require_usable(const CulpritSearchSettings& settings, const std::vector<double>& prior) {
  if (!std::isfinite(settings.effect) || settings.effect == 0.0) {
    throw InputError("a culprit search needs the effect that was confirmed, and 0 is none");
  }
  if (!is_positive(settings.sigma) || !is_positive(settings.smallest_effect)) {
    throw InputError("the noise of a measurement and the smallest effect must be positive numbers");
  }
  if (!(settings.sure > 0.5 && settings.sure < 1.0)) {
    throw InputError("a culprit search must be sure with a probability between 0.5 and 1");
  }
  if (!(settings.no_culprit_prior > 0.0 && settings.no_culprit_prior < 1.0)) {
    throw InputError("the prior of no culprit must be between 0 and 1");
  }
  if (prior.empty()) throw InputError("a culprit search needs at least one candidate");
  if (!std::all_of(prior.begin(), prior.end(), is_positive)) {
    throw InputError("the prior weight of a candidate must be a positive number");
  }
}

}  // namespace

CulpritSearch::CulpritSearch(const CulpritSearchSettings& settings, std::vector<double> prior)
    : settings_(settings), prior_(std::move(prior)) {
  require_usable(settings_, prior_);
  state_.assign(prior_.size(), State::usable);
  original_.resize(prior_.size());
  std::iota(original_.begin(), original_.end(), std::size_t{0});
  evidence_.resize(prior_.size());
  weigh();
}

void CulpritSearch::check(std::size_t candidate) const {
  if (candidate >= prior_.size())
    throw Error("a culprit search was told of a candidate that it does not have");
}

bool CulpritSearch::stands_for_usable(std::size_t candidate) const {
  const std::size_t original = original_[candidate];
  return original == no_candidate || state_[original] == State::usable;
}

void CulpritSearch::weigh() {
  posterior_ = culprit_probabilities(prior_, evidence_, settings_.no_culprit_prior);
}

std::vector<CulpritSearch::Cell> CulpritSearch::cells() const {
  std::vector<Cell> cells;
  Cell cell;
  for (std::size_t candidate = 0; candidate < prior_.size(); ++candidate) {
    cell.probability += posterior_[candidate];
    if (state_[candidate] != State::usable) continue;
    cell.usable = candidate;
    cells.push_back(cell);
    cell = {};
  }
  cell.probability += posterior_.back();
  cells.push_back(cell);
  return cells;
}

std::optional<std::size_t> CulpritSearch::next() const {
  if (measurements_ >= settings_.most_measurements) return std::nullopt;
  // A measurement divides the cells into those up to its candidate and the rest. The more even the division
  // the more it tells; between two neighbours this picks the side of the boundary that is less known.
  std::optional<std::size_t> best;
  double most_even = 0.0;
  double up_to_here = 0.0;
  for (const Cell& cell : cells()) {
    if (cell.probability >= settings_.sure) return std::nullopt;
    if (cell.usable == no_candidate) continue;
    up_to_here += cell.probability;
    const double evenness = std::min(up_to_here, 1.0 - up_to_here);
    if (evenness > most_even) {
      most_even = evenness;
      best = cell.usable;
    }
  }
  return best;
}

void CulpritSearch::measured(std::size_t candidate, double value) {
  check(candidate);
  if (!std::isfinite(value)) throw Error("a measurement of a culprit search is not a finite number");
  ++measurements_;
  const std::size_t original = original_[candidate];
  if (original == no_candidate || state_[original] != State::usable) return;
  evidence_[original] += evidence_of({settings_.effect, settings_.smallest_effect, settings_.sigma}, value);
  weigh();
}

void CulpritSearch::broken(std::size_t candidate) {
  check(candidate);
  const std::size_t original = original_[candidate];
  if (original == no_candidate || state_[original] != State::usable) return;
  state_[original] = State::broken;
  evidence_[original] = {};
  weigh();
}

void CulpritSearch::same_as(std::size_t candidate, std::size_t earlier) {
  check(candidate);
  if (earlier != no_candidate && earlier >= candidate) {
    throw Error("a candidate can only be the same as an earlier one");
  }
  // Two identical pairs that cross leave no order to search in: the second then counts as a build of its own.
  if (state_[candidate] == State::passed_over) return;
  if (earlier != no_candidate && state_[earlier] == State::passed_over) return;
  const std::size_t original = earlier == no_candidate ? no_candidate : original_[earlier];
  if (original != no_candidate && state_[candidate] == State::usable && original_[candidate] == candidate) {
    evidence_[original] += evidence_[candidate];
  }
  for (std::size_t between = earlier == no_candidate ? 0 : earlier + 1; between <= candidate; ++between) {
    prior_[between] = 0.0;
    evidence_[between] = {};
    if (between < candidate && original_[between] == between) state_[between] = State::passed_over;
  }
  state_[candidate] = State::same;
  original_[candidate] = original;
  weigh();
}

CulpritAnswer CulpritSearch::answer() const {
  CulpritAnswer answer;
  answer.measurements = measurements_;
  if (posterior_.back() >= settings_.sure) {
    answer.kind = CulpritAnswer::Kind::no_culprit;
    answer.probability = posterior_.back();
    return answer;
  }
  for (const Cell& cell : cells()) {
    if (cell.usable == no_candidate || cell.probability <= answer.probability) continue;
    answer.probability = cell.probability;
    answer.culprit = cell.usable;
  }
  if (answer.culprit == no_candidate) return answer;
  if (answer.probability >= settings_.sure) answer.kind = CulpritAnswer::Kind::culprit;
  std::size_t first = answer.culprit;
  for (; first > 0 && !stands_for_usable(first - 1); --first) {
    if (prior_[first - 1] > 0.0) answer.co_suspects.push_back(first - 1);
  }
  std::reverse(answer.co_suspects.begin(), answer.co_suspects.end());
  if (first > 0) answer.last_good = first - 1;
  return answer;
}

}  // namespace tandem::analysis
