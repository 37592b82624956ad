#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/confirmation.hpp"
#include "analysis/screen.hpp"
#include "evaluation/evidence/recorded/launches.hpp"
#include "evaluation/evidence/recorded/recording.hpp"
#include "evaluation/evidence/results/proportion.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::evaluation {

/// Recorded launches drawn again and again without end: blocks of successive launches from random places, so
/// that neighbours stay neighbours. The first launch follows the last.
class Resampling {
 public:
  /// `launches` and `random` have to stay. Throws Error when there are no launches or a block has none.
  Resampling(std::span<const LaunchRow> launches, std::size_t block, tandem::Random& random);

  [[nodiscard]] const LaunchRow& next();
  /// What the places are drawn with.
  [[nodiscard]] tandem::Random& random() const { return *random_; }

 private:
  std::span<const LaunchRow> launches_;
  std::size_t block_;
  tandem::Random* random_;
  std::size_t position_ = 0;
  std::size_t left_ = 0;
};

enum class Coin { fresh, none };

/// Where the launches of a screen and the units of a confirmation come from, one by one.
using NextLaunch = std::function<LaunchRow()>;
using Unit = std::array<LaunchRow, 2>;
using NextUnit = std::function<Unit()>;

/// A change of one launch: what is planted.
using Plant = std::function<LaunchRow(const LaunchRow&)>;

/// Both sides of each launch are exchanged or not by a fresh coin, or never; then `plant` is done to it. The
/// launches of one call belong together: each call begins with a new block.
[[nodiscard]] NextLaunch launches_of(Resampling from, Coin coin, Plant plant = {});

/// Two successive launches in opposite slots, the coin deciding which of them is exchanged; without a coin
/// both as recorded, in the same slots.
[[nodiscard]] NextUnit units_of(Resampling from, Coin coin, Plant plant = {});

/// How one screen ended.
struct Screened {
  analysis::Outcome outcome = analysis::Outcome::inconclusive;
  std::size_t launches = 0;
  analysis::Statistic by = analysis::Statistic::median;  ///< of a suspect: what raised the suspicion

  [[nodiscard]] bool is_suspect() const {
    return outcome == analysis::Outcome::slower || outcome == analysis::Outcome::faster;
  }
};

/// One screen by analysis::Screen.
[[nodiscard]] Screened screen_once(const analysis::ScreenSettings& settings, const NextLaunch& next);

/// One confirmation by analysis::confirm, looked at when it asks to be.
[[nodiscard]] analysis::ConfirmationResult confirm_once(
    const analysis::ConfirmationPlan& plan, analysis::Statistic statistic, const NextUnit& next,
    analysis::PValueOf test = analysis::signed_rank_p_value);

/// The plan by which the daemon confirms that suspect.
[[nodiscard]] analysis::ConfirmationPlan plan_for(const Screened& suspect, double margin);

/// How a number of trials ended.
struct TrialTally {
  std::size_t slower = 0;
  std::size_t faster = 0;
  std::size_t unchanged = 0;
  std::size_t inconclusive = 0;
  std::size_t recorded_slower = 0;  ///< of the suspects, confirmed
  std::size_t recorded_faster = 0;
  std::vector<std::size_t> launches;  ///< of each screen

  [[nodiscard]] std::size_t trials() const { return launches.size(); }
  [[nodiscard]] std::size_t suspects() const { return slower + faster; }
  [[nodiscard]] std::size_t records() const { return recorded_slower + recorded_faster; }
  [[nodiscard]] Proportion of_all(std::size_t count) const { return proportion(count, trials()); }
  [[nodiscard]] Proportion suspected() const { return of_all(suspects()); }
  [[nodiscard]] Proportion recorded() const { return of_all(records()); }
  [[nodiscard]] Proportion found() const { return of_all(slower); }  ///< of what makes the treatment slower

  /// The launches that so large a share of the screens needed at most; 0 of none.
  [[nodiscard]] double launches_at(double share) const;
  [[nodiscard]] double median_launches() const { return launches_at(0.5); }

  void add(const Screened& screened);
  void add(const TrialTally& other);
  /// The same trials with slower and faster exchanged.
  [[nodiscard]] TrialTally turned() const;
};

/// Where the trials of one kind take their launches: called once for every screen and every confirmation.
struct TrialSource {
  std::function<NextLaunch()> launches;
  std::function<NextUnit()> units;  ///< nothing: suspects are not confirmed
};

/// `count` screens, and a confirmation on units of its own after each suspect.
[[nodiscard]] TrialTally run_trials(std::size_t count, const analysis::ScreenSettings& settings,
                                    const TrialSource& source);

/// Trials on recorded launches: settings from the tuning half, launches from the judged half with a fresh
/// coin each. The seed and the recording's name decide everything.

/// Screens of equal builds, their suspects confirmed.
[[nodiscard]] TrialTally null_trials(const Recording& recording, std::size_t count, std::uint64_t seed);

/// Screens of a treatment whose times are multiplied by 1 + `effect`; with Confirming::yes also what becomes
/// of the suspects.
enum class Confirming { no, yes };
[[nodiscard]] TrialTally planted_trials(const Recording& recording, double effect, std::size_t count,
                                        Confirming confirming, std::uint64_t seed);

/// How many confirmations of equal builds confirm a change that no screen has suspected: both directions and
/// both statistics in turn.
[[nodiscard]] std::size_t null_confirmations(const Recording& recording, std::size_t count,
                                             std::uint64_t seed);

/// Launches with real more work, as `power` left them: blocks of them in the order of the dice, the coins as
/// they fell. The settings are taken from the spread of the tuning half about its own centre.
[[nodiscard]] TrialTally real_trials(std::span<const LaunchRow> launches, std::size_t count,
                                     std::uint64_t seed);

/// `count` screens in each direction: slower by 1 + `size` and faster by its inverse. Of both together, as if
/// all were slower: `slower` counts those that were found, `faster` those called in the wrong direction.
[[nodiscard]] TrialTally both_directions(const Recording& recording, double size, std::size_t count,
                                         Confirming confirming, std::uint64_t seed);

}  // namespace tandem::evaluation
