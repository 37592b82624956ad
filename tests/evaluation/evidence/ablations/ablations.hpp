#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/confirmation.hpp"
#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/recorded/launches.hpp"
#include "evaluation/evidence/recorded/trial.hpp"
#include "evaluation/evidence/results/proportion.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::evaluation {

/// What a confirmation's units are linked with.
enum class UnitLayouts {
  same,  ///< the layouts of the screen
  fresh  ///< new ones for every unit
};

struct LayoutPlan {
  double spread = 0.01;   ///< ω of one build
  std::size_t count = 8;  ///< k: layouts of each side in a screen
  UnitLayouts units = UnitLayouts::fresh;
};

/// Launches of equal builds, coins drawn afresh, that also draw their layouts; `plant` is done to each.
/// `random` and the launches of `from` have to stay.
[[nodiscard]] TrialSource with_layouts(const Resampling& from, const LayoutPlan& plan, tandem::Random& random,
                                       const Plant& plant = {});

/// The usual test that Tandem does not use: Student's t of the mean log-ratio against 0, two-sided at 1 %.
/// What is taken for independent is the question.
enum class TestUnit {
  slices,   ///< every pair of slices of every launch, pooled by the moments that the rows keep
  launches  ///< one mean per launch
};

/// The direction of the change that the test finds, if it finds one. Nothing of fewer than two units.
[[nodiscard]] std::optional<analysis::Direction> pooled_test(std::span<const LaunchRow> launches,
                                                             TestUnit unit);

/// Up to so many values all sign patterns are counted; beyond, a random part of them.
inline constexpr std::size_t largest_exact_sign_flip = 32;
inline constexpr std::uint64_t random_sign_flips = 99'999;

/// What the confirmation tested before it tested ranks: the share of sign patterns that give the values a sum
/// at least as large as theirs: the p-value against "symmetric about 0" (or lower) in favour of "larger".
/// Exact whatever the distribution, as long as each value is as likely to have had the other sign. Beyond 32
/// values it is (1 + hits) / (1 + 99 999), valid too, and never below 1e-5; `seed` matters only there. 1
/// without values. Throws Error when a value is not finite.
[[nodiscard]] double sign_flip_p_value(std::span<const double> values, std::uint64_t seed);

/// Whose log-ratios are judged.
enum class LaunchKind {
  recorded,       ///< all recordings as they are
  quiet,          ///< the sound ones, multiplied so that σ is quiet_sigma
  quiet_layouts,  ///< these, and the builds linked in simulated layouts
};

/// The method with one part taken out, or as built.
struct Ablation {
  std::string name;
  LaunchKind kind = LaunchKind::recorded;
  std::optional<Proportion> suspects;  ///< of equal builds
  std::optional<Proportion> records;   ///< of equal builds; nothing: there is no second look
  std::optional<Proportion> found;     ///< suspected in the right direction with 2 % planted
  double launches = 0;                 ///< median, of equal builds, else of what was planted
  std::string buys;                    ///< what the part buys, a clause
};

/// False alarms of one recording.
struct RecordingAblation {
  std::string name;
  Proportion built;
  Proportion no_coin;
  Proportion slices;    ///< as the unit of a t-test
  Proportion launches;  ///< the same
};

/// Screens whose builds are linked in simulated layouts.
struct LayoutAblation {
  double spread = 0;  ///< ω
  double margin = 0;  ///< δ
  std::size_t count = 1;
  Proportion suspects;
  Proportion missed;                ///< `unchanged` although δ is planted
  std::optional<Proportion> same;   ///< records, confirmed with the screen's layouts
  std::optional<Proportion> fresh;  ///< records, confirmed with new ones
};

/// Confirmations of 2 δ where σ = δ that say `not reproduced`, by what is tested.
struct ConfirmationAblation {
  enum class Launched { slices, processes } launched = Launched::slices;
  enum class Half { tuning, judged } half = Half::judged;
  analysis::Statistic statistic = analysis::Statistic::median;
  Proportion sums;
  Proportion ranks;
};

struct Ablations {
  std::vector<Ablation> rows;
  std::vector<RecordingAblation> recordings;
  std::vector<LayoutAblation> layouts;
  std::vector<ConfirmationAblation> confirmations;
};

/// The noise of the quiet launches that layouts and rare events are tried on, in margins.
inline constexpr double quiet_sigma = 0.4;

[[nodiscard]] Ablations ablation_trials(const PartSettings& settings);

/// What all trials of the ablations share.
struct AblationSetup {
  /// Trials of one kind for every recording.
  struct Sizes {
    std::size_t null = 1;
    std::size_t planted = 1;
    std::size_t layouts = 1;
  } sizes;
  tandem::Random random;
  std::vector<Recording> all;
  std::vector<Recording> quiet;  ///< the sound ones, at quiet_sigma
};

/// One layout of each side instead of four, and the screen's layouts again in the confirmation.
void add_layout_ablations(AblationSetup& setup, Ablations& found);

}  // namespace tandem::evaluation
