#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/margin.hpp"
#include "analysis/verdict.hpp"
#include "daemon/measure/test.hpp"
#include "daemon/records/record.hpp"
#include "daemon/records/screened.hpp"
#include "runners/pairing/pair_runner.hpp"

// What is measured between two commits, and what came of it.
namespace tandem::daemon {

/// One benchmark of the treatment, under its own name and under the one that the store knows.
struct Candidate {
  std::string in_program;
  std::string name;
  specs::Metric metric;
};

/// Benchmarks that are measured together against one control.
struct Trial {
  const Test* test = nullptr;
  runners::Protocol protocol = runners::Protocol::slices;
  std::vector<Candidate> candidates;  ///< one for slices; all of a process that share their control
  std::optional<std::size_t>
      control;              ///< a position on the line; nothing: there is no commit to compare with
  std::size_t threads = 1;  ///< of whole processes
};

/// What is asked of a trial beyond its benchmarks.
struct TrialPlan {
  std::size_t max_launches = 66;  ///< those of a stored screen included
  std::string purpose = {};       ///< every purpose has coins of its own; empty: the walk itself
  std::string metric = {};        ///< the one for whose sake alone it is made; empty: the program's first
  std::map<std::string, analysis::ScreenHistory> goes_on = {};  ///< by series_key: stored screens
  /// What is done if a program that has other layouts cannot be linked again now.
  enum class Unlinked { put_off, measured_as_built } unlinked = Unlinked::put_off;
};

/// Whether both programs of a trial have other layouts, though they may not have been linked this time.
enum class Relinking { possible, not_possible };

/// A trial that was made; nothing of it is stored.
struct Measured {
  std::vector<Screened> screened;
  runners::Subject confirmation;  ///< how a confirmation measures it
  std::uint64_t seed = 0;
  LayoutFacts layout;
  Relinking relinking = Relinking::not_possible;

  /// What was measured of the candidate; nothing: not this one.
  [[nodiscard]] const Screened* of(const Candidate& candidate) const;
};

/// Why a trial could not be made, with a sentence for people.
struct NotMeasured {
  analysis::Outcome outcome = analysis::Outcome::failed;
  std::string why;
  enum class Lasts { always, for_now } lasts = Lasts::always;
};

/// A change that waits for its confirmation.
struct Suspect {
  const Test* test = nullptr;
  runners::Subject subject;  ///< as the confirmation measures it
  Candidate candidate;
  std::size_t control = 0;
  Screened screened;
  std::uint64_t seed = 0;
  LayoutFacts layout;
  Relinking relinking = Relinking::not_possible;
  analysis::Margin margin = {};
  double q_value = 1;
  /// Of a drift: positions that its points show most of it to lie between.
  std::optional<std::pair<std::size_t, std::size_t>> likely_range = {};
  enum class Origin { screen, drift } origin = Origin::screen;  ///< only a screen's verdict is stored with it

  /// Which way it changed, as a cost.
  [[nodiscard]] analysis::Direction direction() const;
  /// Whether its metric is judged by a rule of its own.
  [[nodiscard]] bool is_exact() const { return screened.rule == Screened::Rule::exact; }
  [[nodiscard]] bool is_relinked() const { return relinking == Relinking::possible; }
};

/// The trial with this control and, of its candidates, those that are wanted.
[[nodiscard]] Trial narrowed(const Trial& trial, std::size_t control, std::vector<Candidate> wanted);

/// The candidate with this name, as a trial of its own against the control; nothing: none of them lists it.
[[nodiscard]] std::optional<Trial> find_trial(const std::vector<Trial>& trials, const std::string& benchmark,
                                              std::size_t control);

}  // namespace tandem::daemon
