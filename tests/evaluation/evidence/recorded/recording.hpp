#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "analysis/calibration.hpp"
#include "analysis/screen.hpp"
#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/recorded/launches.hpp"

namespace tandem::evaluation {

/// Launches of equal builds from one origin, each so turned that the control had the first slot. What the
/// slots differ by is still in them; a fresh coin makes noise of it.
struct Recording {
  std::string name;  ///< "sort10k.alternate"; of this host's launches with " live"
  std::vector<LaunchRow> launches;

  /// The first half: all that a setting may be taken from.
  [[nodiscard]] std::span<const LaunchRow> tuning() const;
  /// The second half: all that is judged.
  [[nodiscard]] std::span<const LaunchRow> judged() const;
  /// Launches per block that are drawn together: 20, or 10 where a half has fewer than 40.
  [[nodiscard]] std::size_t block() const;
};

/// With fewer there are no halves to speak of.
inline constexpr std::size_t fewest_launches = 40;

/// What tests/evaluation/recorded/ has, made without a coin: there the recorded sides are the slots. And what
/// the part `live` has left so far, if anything, made with one. Recordings of too few launches are left out.
[[nodiscard]] std::vector<Recording> recordings(const PartSettings& settings);

/// What calibration would say about launches of equal builds: its noise of the medians and the totals, its
/// slot bias.
[[nodiscard]] analysis::LaunchNoise noise_of(std::span<const LaunchRow> launches);

/// The same of launches whose builds differ: about what they differ by, not about 0.
[[nodiscard]] analysis::LaunchNoise noise_about_centre(std::span<const LaunchRow> launches);

/// Why calibration would not measure in this way, by the tuning half. Empty: it would.
[[nodiscard]] std::string refusal(const Recording& recording, double margin);

/// Those that calibration would measure with and whose launches scatter at all.
[[nodiscard]] std::vector<Recording> sound_ones(std::span<const Recording> recordings, double margin);

/// The daemon's settings for a benchmark with that noise.
[[nodiscard]] analysis::ScreenSettings screen_settings(const analysis::LaunchNoise& noise);

/// What waits for both statistics waits for the one that scatters more.
[[nodiscard]] double larger_sigma(const analysis::LaunchNoise& noise);

/// Whose deviation is meant by the sigma of launches: that of their median log-ratios, or the larger one of
/// medians and totals.
enum class SigmaOf { medians, both };

/// With fewer, the two halves can differ in their noise several times over, by chance: what is scaled by the
/// one is then not what the other expects. So many have the recordings that come with the sources.
inline constexpr std::size_t fewest_to_scale = 150;

/// The same launches as if the judged half had that sigma: all log-ratios multiplied by one number.
[[nodiscard]] Recording with_sigma(const Recording& recording, double sigma, SigmaOf of = SigmaOf::medians);

}  // namespace tandem::evaluation
