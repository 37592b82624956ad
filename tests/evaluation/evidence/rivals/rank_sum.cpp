#include "evaluation/evidence/rivals/rank_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "evaluation/evidence/rivals/choices.hpp"

namespace tandem::evaluation::rival {
namespace {

/// How often a left value is above a right one, counted double so that a tie counts one.
std::size_t doubled_u(std::span<const double> left, std::span<const double> right) {
  std::size_t u = 0;
  for (const double l : left) {
    for (const double r : right) u += l > r ? 2 : l == r ? 1 : 0;
  }
  return u;
}

/// How many values there are of each size, from the smallest on.
std::vector<std::size_t> groups_of(std::span<const double> left, std::span<const double> right) {
  std::vector<double> sorted(left.begin(), left.end());
  sorted.insert(sorted.end(), right.begin(), right.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> groups;
  for (auto at = sorted.begin(); at != sorted.end();) {
    const auto end = std::upper_bound(at, sorted.end(), *at);
    groups.push_back(static_cast<std::size_t>(end - at));
    at = end;
  }
  return groups;
}

/// ways[u]: in how many ways the groups can be dealt out so that the doubled U is u. Group by group, for
/// every number of left values so far: those of this group are above all right ones dealt out before.
std::vector<double> ways_of(const std::vector<std::size_t>& groups, std::size_t left, std::size_t right) {
  const std::size_t top = 2 * left * right + 1;
  std::vector<std::vector<double>> ways(left + 1, std::vector<double>(top, 0.0));
  ways[0][0] = 1;
  std::size_t seen = 0;
  for (const std::size_t group : groups) {
    std::vector<std::vector<double>> next(left + 1, std::vector<double>(top, 0.0));
    for (std::size_t before = 0; before <= std::min(left, seen); ++before) {
      const std::size_t right_before = seen - before;
      if (right_before > right) continue;
      for (std::size_t taken = 0; taken <= std::min(group, left - before); ++taken) {
        if (right_before + group - taken > right) continue;
        const std::size_t gain = taken * (2 * right_before + group - taken);
        const double choice = choices(group, taken);
        for (std::size_t u = 0; u + gain < top; ++u)
          next[before + taken][u + gain] += choice * ways[before][u];
      }
    }
    ways = std::move(next);
    seen += group;
  }
  return ways[left];
}

}  // namespace

double exact_rank_sum_p(std::span<const double> left, std::span<const double> right) {
  if (left.empty() || right.empty()) return 1;
  const std::size_t u = doubled_u(left, right);
  const std::vector<double> ways = ways_of(groups_of(left, right), left.size(), right.size());
  double all = 0;
  double below = 0;
  double above = 0;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    all += ways[i];
    if (i <= u) below += ways[i];
    if (i >= u) above += ways[i];
  }
  return std::min(1.0, 2 * std::min(below, above) / all);
}

double approximate_rank_sum_p(std::span<const double> left, std::span<const double> right) {
  if (left.empty() || right.empty()) return 1;
  double ties = 0;  // sum of t³ − t over groups of t equal values
  for (const std::size_t group : groups_of(left, right)) {
    const auto t = static_cast<double>(group);
    ties += t * t * t - t;
  }
  const double product = static_cast<double>(left.size()) * static_cast<double>(right.size());
  const auto all = static_cast<double>(left.size() + right.size());
  const double variance = product / 12 * (all + 1 - ties / (all * (all - 1)));
  if (!(variance > 0)) return 1;
  const double u = static_cast<double>(doubled_u(left, right)) / 2;
  const double distance = std::max(0.0, std::abs(u - product / 2) - 0.5);
  return std::erfc(distance / std::sqrt(2 * variance));
}

}  // namespace tandem::evaluation::rival
