#include "evaluation/evidence/results/proportion.hpp"

#include <fmt/format.h>
#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <cmath>

#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

/// Digits behind the point with which a value in per cent shows two significant ones at least. Near 100 those
/// of what is missing count: 99.97 must not become 100.
int decimals_of(double percents) {
  const double size = std::abs(percents);
  const double told = size > 50 && size < 100 ? 100 - size : size;
  if (told == 0 || told >= 1) return 1;
  const int decimals = std::min(1 - static_cast<int>(std::floor(std::log10(told))), 15);
  // 0.0998 is 0.10 with two digits: it needs one less than it seemed.
  return std::round(told * std::pow(10, decimals)) >= 100 ? decimals - 1 : decimals;
}

/// 0 and 100 as they are, all else with the digits asked for, halves rounded up.
std::string percents_text(double percents, int decimals) {
  if (percents == 0) return "0";
  if (percents == 100) return "100";
  const double unit = std::pow(10, decimals);
  return fmt::format("{:.{}f}", std::round(percents * unit) / unit, decimals);
}

/// "30 000"
std::string grouped(std::size_t count) {
  std::string text = std::to_string(count);
  for (std::size_t place = text.size(); place > 3;) text.insert(place -= 3, " ");
  return text;
}

}  // namespace

Proportion proportion(std::size_t hits, std::size_t all, double level) {
  if (hits > all) throw Error(fmt::format("{} hits of {}", hits, all));
  if (!(level > 0 && level < 1)) throw Error(fmt::format("{} is no level of an interval", level));
  Proportion result{hits, all};
  if (all == 0) return result;
  const double tail = hits == 0 || hits == all ? 1 - level : (1 - level) / 2;
  const auto found = static_cast<double>(hits);
  const auto missed = static_cast<double>(all - hits);
  // The ends as quantiles of beta distributions: Clopper and Pearson (1934), DLMF 8.17.5.
  if (hits > 0) result.low = boost::math::ibeta_inv(found, missed + 1, tail);
  if (hits < all) result.high = boost::math::ibetac_inv(found + 1, missed, tail);
  return result;
}

std::string text_of(const Proportion& proportion) {
  if (proportion.all == 0) return "not measured";
  const double share = 100 * proportion.share();
  const double low = 100 * proportion.low;
  const double high = 100 * proportion.high;
  const std::string counts = grouped(proportion.hits) + " of " + grouped(proportion.all);
  if (proportion.hits == 0)
    return fmt::format("0 % ({}; at most {} %)", counts, percents_text(high, decimals_of(high)));
  if (proportion.hits == proportion.all)
    return fmt::format("100 % ({}; at least {} %)", counts, percents_text(low, decimals_of(low)));
  int decimals = decimals_of(share);
  const auto vanishes = [&](double end) {
    const double rounded = std::round(end * std::pow(10, decimals));
    return rounded == 0 || rounded == std::round(std::pow(10, decimals + 2));
  };
  while (decimals < 15 && (vanishes(low) || vanishes(high))) ++decimals;
  return fmt::format("{} % ({}; {} to {} %)", percents_text(share, decimals), counts,
                     percents_text(low, decimals), percents_text(high, decimals));
}

std::string percent(double share) {
  if (!std::isfinite(share)) throw Error("a share that is no number");
  return percents_text(100 * share, decimals_of(100 * share)) + " %";
}

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
