#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/confirmation.hpp"
#include "analysis/screen.hpp"
#include "evaluation/evidence/recorded/resampling.hpp"

namespace tandem::evaluation {

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

  void add(const Screened& screened);
  void add(const TrialTally& other);
};

/// The launches that so large a share of the screens needed at most; 0 of none.
[[nodiscard]] double launches_at(const std::vector<std::size_t>& launches, double share);

/// Where the trials of one kind take their launches: called once for every screen and every confirmation.
struct TrialSource {
  std::function<NextLaunch()> launches;
  std::function<NextUnit()> units;  ///< nothing: suspects are not confirmed
};

/// `count` screens, and a confirmation on units of its own after each suspect.
[[nodiscard]] TrialTally run_trials(std::size_t count, const analysis::ScreenSettings& settings,
                                    const TrialSource& source);

}  // namespace tandem::evaluation
