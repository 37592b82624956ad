#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/launch_statistics.hpp"
#include "analysis/verdict.hpp"
#include "runners/paired_samples.hpp"
#include "runners/pairing.hpp"

namespace tandem::analysis {

/// What launches of one program next to itself, measured in one way, say about that way.
struct Noise {
  std::size_t launches = 0;
  double sigma = 0;        ///< robust standard deviation of a launch's median log-ratio
  double sigma_total = 0;  ///< of its total log-ratio
  double slot_bias = 0;    ///< mean of coin × log-ratio: what the first slot costs more than the second
  double slot_bias_low = 0;
  double slot_bias_high = 0;      ///< 95 % interval
  double tail = 0;                ///< largest |log-ratio| in units of sigma
  double within = 0;              ///< standard deviation of one pair of slices inside a launch; 0: unknown
  double launch_seconds = 0;      ///< machine time of one launch, start included
  double slices_seconds = 0;      ///< of that, inside slices
};

[[nodiscard]] Noise noise_of(std::span<const runners::Launch> launches, double launch_seconds);

/// What the positive control found: one side with known more work.
struct Recovery {
  double planted = 0;    ///< ln of the true ratio
  double median = 0;     ///< of the launches' median log-ratios
  double total = 0;      ///< of their totals
  std::size_t launches = 0;
};

/// One arrangement that was tried, with its numbers as far as they were needed.
struct TriedArrangement {
  runners::Arrangement arrangement;
  Noise noise;
  std::optional<Recovery> recovery;
  std::optional<double> slow_down;  ///< time per iteration in company / alone
  std::string refused;              ///< why it may not be used; empty: it may
};

/// How a benchmark is best measured on this host and what can then be seen. Plain values; stored and shown.
struct Calibration {
  std::string benchmark;
  double margin = 0.01;  ///< δ
  runners::Arrangement chosen;
  Noise noise;                           ///< of the chosen one
  std::optional<double> slow_down;
  std::optional<double> recovered;       ///< share of the planted effect that was found
  std::optional<double> layout_spread;   ///< ω, over relinkings; nothing: not known
  double minimum_detectable_effect = 0;  ///< as a share, at the launches that a screen may make
  std::size_t most_launches = 66;
  std::vector<TriedArrangement> tried;   ///< the chosen one first
  std::string unfit;                     ///< a sentence: nothing may be recorded; empty: sound
  std::string host;                      ///< the facts that it holds for (runners::host_identity)
  std::int64_t at = 0;                   ///< seconds since 1970 UTC
  double seconds = 0;                    ///< that it took
};

/// Machine time per unit of information: variance × seconds. The smaller, the better an arrangement.
[[nodiscard]] double price_of(const Noise& noise);

/// Why the arrangement must not be used, by what is known of it: slot bias outside ±δ, recovery under 90 % of
/// what was planted, median and total ratios apart by more than δ/4, slow-down over the pairing's limit (1.3 in
/// a duet; 1.1 for programs with threads in `alternate`). Empty if nothing speaks against it.
[[nodiscard]] std::string reason_to_refuse(const TriedArrangement& tried, double margin, std::size_t threads);

/// The number of pairs per launch at which machine time buys most, from what a launch costs to start and the
/// variances within and between launches (Kalibera and Jones 2013): sqrt(cost of a start / cost of a pair ×
/// variance within / variance between).
[[nodiscard]] std::size_t best_pairs(const Noise& noise, std::size_t pairs_now);

/// Whether a calibration no longer holds: other host facts, or the robust spread of the newest launches is 1.5
/// times larger or smaller. A sentence that says so, or nothing.
[[nodiscard]] std::optional<std::string> outdated(const Calibration& calibration, const std::string& host,
                                                  std::span<const double> newest_sigmas);

}  // namespace tandem::analysis
