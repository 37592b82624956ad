#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/recorded/layout_effects.hpp"
#include "evaluation/evidence/recorded/replaying.hpp"
#include "evaluation/evidence/results/proportion.hpp"

namespace tandem::evaluation {

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

}  // namespace tandem::evaluation
