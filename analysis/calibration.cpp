#include "analysis/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/statistics.hpp"

namespace tandem::analysis {
namespace {

using runners::Arrangement;
using runners::Launch;
using runners::Pairing;
using runners::Side;

constexpr std::size_t fewest_for_an_interval = 3;
constexpr std::size_t fewest_to_refuse = 4;
constexpr std::size_t fewest_to_doubt = 8;
constexpr double launches_of_caution = 4;
constexpr std::size_t fewest_for_totals = 4;

/// The median of a normal sample has π/2 times the variance of its mean.
constexpr double variance_of_medians = 1.5708;

constexpr double least_share = 0.9;
constexpr double errors_of_doubt = 2;
constexpr double doubtful_deviations = 3;

/// How much slower than alone the sides may be. The bounds are choices, not properties of a processor: two
/// sides that fight for caches or memory no longer show what each does alone. They lie far from what was seen
/// on two-core Intel and AMD virtual machines: 1.0 where nothing is fought for, 11 where waiting threads
/// spin.
constexpr double slow_down_together = 1.3;
constexpr double slow_down_of_threads = 1.1;
constexpr double slow_down_to_confirm = 1.1;

constexpr double moved = 1.5;
constexpr std::size_t fewest_screens = 5;

constexpr std::size_t fewest_pairs = 4;
constexpr std::size_t most_pairs = 100'000;

/// About 0, which is where the values of equal programs lie.
double deviation(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return deviation_scale * median(values).value_or(0);
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void set_bias(LaunchNoise& noise, const std::vector<double>& biases) {
  noise.slot_bias = mean(biases);
  if (biases.size() < fewest_for_an_interval) return;
  double squares = 0;
  for (const double bias : biases) squares += (bias - noise.slot_bias) * (bias - noise.slot_bias);
  const auto n = static_cast<double>(biases.size());
  const double error = std::sqrt(squares / (n - 1) / n) * two_sided_95_percent(n - 1);
  noise.slot_bias_low = noise.slot_bias - error;
  noise.slot_bias_high = noise.slot_bias + error;
}

/// The spread of a launch's pairs about their typical ratio; each order has one of its own.
std::optional<double> spread_within(const Launch& launch) {
  std::vector<double> distances;
  for (const Side first : {Side::control, Side::treatment}) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < launch.first.size(); ++i) {
      if (launch.first[i] == first) ratios.push_back(std::log(launch.treatment[i] / launch.control[i]));
    }
    if (ratios.size() < fewest_pairs / 2) continue;
    const double centre = *median(ratios);
    for (const double ratio : ratios) distances.push_back(std::abs(ratio - centre));
  }
  const auto middle = median(distances);
  return middle ? std::optional(deviation_scale * *middle) : std::nullopt;
}

std::string percent(double share) {
  return fmt::format("{:.{}f} %", 100 * share, std::abs(share) < 0.0995 ? 2 : 0);
}

std::string bias_against(const LaunchNoise& noise, double margin) {
  const double low = noise.slot_bias_low;
  const double high = noise.slot_bias_high;
  const bool there = low > 0 || high < 0;
  const double most = std::log1p(margin);
  const bool beyond = std::abs(noise.slot_bias) > most;
  const bool perhaps = noise.launches >= fewest_to_doubt && (low < -most || high > most);
  if (noise.launches < fewest_to_refuse || !there || !(beyond || perhaps)) return {};
  return fmt::format("one slot takes {} more than the other (95 % interval {} to {})",
                     percent(std::expm1(std::abs(noise.slot_bias))),
                     percent(std::expm1(there && high < 0 ? -high : low)),
                     percent(std::expm1(there && high < 0 ? -low : high)));
}

std::string recovery_against(const TriedArrangement& tried, double margin) {
  const Recovery& found = *tried.recovery;
  if (found.launches == 0 || !(found.planted > 0)) return {};
  const double scale = std::sqrt(variance_of_medians / static_cast<double>(found.launches));
  const double error = scale * tried.noise.sigma;
  if (found.median + errors_of_doubt * error < least_share * found.planted) {
    return fmt::format("of a planted slowdown of {} it shows {:.0f} %", percent(std::expm1(found.planted)),
                       100 * std::max(0.0, found.share()));
  }
  const double apart = std::abs(found.total - found.median);
  // On a busy host the totals scatter far more than a handful of launches shows.
  const double apart_error = std::max(found.apart_error, scale * tried.noise.sigma_total);
  if (found.launches >= fewest_for_totals && apart - errors_of_doubt * apart_error > std::log1p(margin) / 4) {
    return fmt::format(
        "the typical slice and the total time differ by {} about a planted slowdown: it is blind to rare "
        "slices",
        percent(std::expm1(apart)));
  }
  return {};
}

std::string slow_down_against(const TriedArrangement& tried, std::size_t threads) {
  const Pairing pairing = tried.arrangement.pairing;
  const bool together = pairing == Pairing::duet || pairing == Pairing::process_together;
  if (together && *tried.slow_down > slow_down_together) {
    return fmt::format("both at once take {:.2f} times as long as one alone, and {} is the most",
                       *tried.slow_down, slow_down_together);
  }
  if (pairing == Pairing::alternate && threads > 1 && *tried.slow_down > slow_down_of_threads) {
    return fmt::format("its threads take {:.2f} times as long as alone, and {} is the most", *tried.slow_down,
                       slow_down_of_threads);
  }
  return {};
}

}  // namespace

LaunchNoise noise_of(std::span<const Launch> launches, const LaunchCost& cost) {
  LaunchNoise noise;
  noise.cost = cost;
  std::vector<double> medians;
  std::vector<double> totals;
  std::vector<double> biases;
  std::vector<double> within;
  for (const Launch& launch : launches) {
    const auto statistics = launch_statistics(launch);
    if (!statistics) continue;
    medians.push_back(statistics->median);
    totals.push_back(statistics->total);
    biases.push_back(launch.first_slot == Side::control ? statistics->median : -statistics->median);
    if (const auto spread = spread_within(launch)) within.push_back(*spread);
  }
  noise.launches = medians.size();
  if (medians.empty()) return noise;
  noise.sigma = deviation(medians);
  noise.sigma_total = deviation(totals);
  noise.within = median(within).value_or(0);
  set_bias(noise, biases);
  double largest = 0;
  for (const double value : medians) largest = std::max(largest, std::abs(value));
  if (noise.sigma > 0) noise.tail = largest / noise.sigma;
  return noise;
}

Recovery recovery_of(std::span<const Launch> launches, double planted) {
  Recovery recovery;
  recovery.planted = planted;
  std::vector<double> medians;
  std::vector<double> totals;
  std::vector<double> apart;
  for (const Launch& launch : launches) {
    const auto statistics = launch_statistics(launch);
    if (!statistics) continue;
    medians.push_back(statistics->median);
    totals.push_back(statistics->total);
    apart.push_back(statistics->total - statistics->median);
  }
  recovery.launches = medians.size();
  if (medians.empty()) return recovery;
  recovery.median = *median(medians);
  recovery.total = *median(totals);
  recovery.apart_error =
      *robust_deviation(apart) * std::sqrt(variance_of_medians / static_cast<double>(recovery.launches));
  return recovery;
}

std::optional<double> typical_value(const Launch& launch, Side side) {
  const auto& values = side == Side::control ? launch.control : launch.treatment;
  const bool usable = std::all_of(values.begin(), values.end(),
                                  [](double value) { return std::isfinite(value) && value > 0; });
  return usable ? median(values) : std::nullopt;
}

SlowDown slow_down_of(std::span<const double> company, std::span<const double> alone) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(company.size(), alone.size()); ++i) {
    if (company[i] > 0 && alone[i] > 0) ratios.push_back(std::log(company[i] / alone[i]));
  }
  SlowDown slow_down;
  slow_down.pairs = ratios.size();
  if (ratios.empty()) return slow_down;
  const double middle = *median(ratios);
  const double error =
      *robust_deviation(ratios) * std::sqrt(variance_of_medians / static_cast<double>(ratios.size()));
  slow_down.ratio = std::exp(middle);
  slow_down.at_least = std::exp(middle - error);
  return slow_down;
}

std::optional<double> layout_spread_of(std::span<const double> means, double noise) {
  if (means.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(means.size());
  // Counted from one of them, so that equal means give exactly 0.
  double beyond = 0.0;
  for (const double mean : means) beyond += mean - means.front();
  const double centre = means.front() + beyond / n;
  double squares = 0.0;
  for (const double mean : means) squares += (mean - centre) * (mean - centre);
  return std::sqrt(std::max(0.0, squares / (n - 1) - noise * noise));
}

std::vector<std::size_t> doubtful_layouts(std::span<const double> means, double noise) {
  std::vector<std::size_t> doubtful;
  const double centre = median(means).value_or(0.0);
  const double limit = doubtful_deviations * std::max(robust_deviation(means).value_or(0.0), noise);
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (std::abs(means[i] - centre) > limit) doubtful.push_back(i);
  }
  return doubtful;
}

double nearer_to_others(std::span<const double> means, double one, double other) {
  const double centre = median(means).value_or(0.0);
  return std::abs(one - centre) <= std::abs(other - centre) ? one : other;
}

ExpectedSigma expected_sigma(const Calibration& calibration) {
  const double layouts = calibration.layout_spread.value_or(0);
  const auto both = [&](double sigma) { return std::sqrt(sigma * sigma + 2 * layouts * layouts); };
  return {both(calibration.noise.sigma), both(calibration.noise.sigma_total)};
}

double price_of(const LaunchNoise& noise) {
  return (noise.sigma * noise.sigma + noise.sigma_total * noise.sigma_total) / 2 * noise.cost.seconds;
}

double cautious_price_of(const LaunchNoise& noise, double margin) {
  const auto n = static_cast<double>(noise.launches);
  const double sigma = std::hypot(noise.sigma, noise.sigma_total) / std::sqrt(2.0);
  const double drawn = (launches_of_caution * margin + n * sigma) / (launches_of_caution + n);
  return drawn * drawn * noise.cost.seconds;
}

std::string reason_to_refuse(const TriedArrangement& tried, double margin, std::size_t threads) {
  std::string reason = bias_against(tried.noise, margin);
  if (reason.empty() && tried.slow_down) reason = slow_down_against(tried, threads);
  if (reason.empty() && tried.recovery) reason = recovery_against(tried, margin);
  return reason;
}

Arrangement for_confirmation(const Calibration& calibration) {
  Arrangement arrangement = calibration.chosen;
  if (calibration.slow_down.value_or(1) <= slow_down_to_confirm) return arrangement;
  if (arrangement.pairing == Pairing::duet) arrangement.pairing = Pairing::alternate;
  if (arrangement.pairing == Pairing::process_together) arrangement.pairing = Pairing::process;
  return arrangement;
}

std::size_t best_pairs(const LaunchNoise& noise, std::size_t pairs_now) {
  const double start = noise.cost.seconds - noise.cost.slices_seconds;
  const double slices = noise.cost.slices_seconds;
  if (pairs_now == 0 || !(noise.within > 0) || !(noise.sigma > 0) || !(slices > 0) || !(start > 0)) {
    return pairs_now;
  }
  const auto now = static_cast<double>(pairs_now);
  const double within = variance_of_medians * noise.within * noise.within;
  const double all = noise.sigma * noise.sigma;
  // Where the pairs explain all of it, what is between launches is too small to be seen, but hardly nothing.
  const double between = std::max(all - within / now, all / 16);
  const double best = std::sqrt(start / (slices / now) * within / between);
  const auto half = static_cast<std::size_t>(std::clamp(best, double{fewest_pairs}, double{most_pairs}) / 2);
  return 2 * half;
}

std::optional<std::string> outdated(const Calibration& calibration, const std::string& host,
                                    std::span<const double> newest_sigmas) {
  if (calibration.host != host) {
    return fmt::format("the host is now {}, and was {}", host, calibration.host);
  }
  if (newest_sigmas.size() < fewest_screens) return std::nullopt;
  const double floor = calibration.margin / 10;
  const double expected = std::max(floor, expected_sigma(calibration).median);
  const double now = std::max(floor, median(newest_sigmas).value_or(0));
  if (now <= moved * expected && now >= expected / moved) return std::nullopt;
  const auto words = [&](double sigma) { return (sigma > floor ? "" : "at most ") + percent(sigma); };
  return fmt::format("the noise of a launch is now {}, and was {}", words(now), words(expected));
}

HostNoise host_noise(std::span<const Calibration> calibrations) {
  HostNoise host;
  std::vector<double> sigmas;
  std::size_t unfit = 0;
  for (const Calibration& one : calibrations) {
    sigmas.push_back(one.noise.sigma);
    unfit += one.unfit.empty() ? 0 : 1;
  }
  host.floor = median(sigmas).value_or(0);
  // Of one or two benchmarks each speaks for itself.
  constexpr std::size_t fewest = 3;
  if (calibrations.size() >= fewest && 2 * unfit > calibrations.size()) {
    host.unfit = fmt::format("{} of {} benchmarks cannot be measured soundly on this host", unfit,
                             calibrations.size());
  }
  return host;
}

}  // namespace tandem::analysis
