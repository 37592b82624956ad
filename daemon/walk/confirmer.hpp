#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "daemon/walk/bench.hpp"
#include "daemon/walk/confirming.hpp"
#include "daemon/walk/pipeline.hpp"

namespace tandem::daemon {

/// Second trials between any two commits of a line: of a suspect, of what a search asks for, of a person.
class Confirmer {
 public:
  Confirmer(const PipelineSettings& settings, const Workshop& workshop, Bench& bench)
      : settings_(settings), workshop_(workshop), bench_(bench) {}

  /// `alpha`: its part of the probability that a suspect without a change is confirmed. `stream` gives every
  /// trial of a suspect coins and layouts of its own. If it could not be measured, its outcome is `failed`.
  /// Nothing: it was stopped, or one of the commits does not build.
  [[nodiscard]] std::optional<ConfirmationRecord> confirm(const Line& line, std::size_t control,
                                                          std::size_t treatment, const Suspect& suspect,
                                                          std::uint64_t stream, const std::stop_token& stop,
                                                          double alpha = analysis::confirmation_alpha);

  /// One unit alone, as a cost. Of a metric with a rule of its own: 1 if it is worse, -1 if better, else 0.
  /// Nothing: it was stopped, one of the commits does not build, or the programs fail. A failure: they could
  /// not be linked anew or started, which says nothing about the commits.
  [[nodiscard]] std::variant<std::optional<double>, runners::RunFailure> unit(
      const Line& line, std::size_t control, std::size_t treatment, const Suspect& suspect,
      std::uint64_t stream, const std::stop_token& stop);

  /// Launches of two commits as they were built, as costs.
  [[nodiscard]] std::vector<double> as_built(const Line& line, std::size_t control, std::size_t treatment,
                                             const Suspect& suspect, std::size_t count,
                                             const std::stop_token& stop);

 private:
  struct Prepared;
  [[nodiscard]] std::unique_ptr<Prepared> prepare(const Line& line, std::size_t control,
                                                  std::size_t treatment, const Suspect& suspect,
                                                  std::uint64_t stream, const std::stop_token& stop);
  /// `fresh`: the units are linked anew.
  [[nodiscard]] double bar(const Suspect& suspect, bool fresh) const;

  const PipelineSettings& settings_;
  const Workshop& workshop_;
  Bench& bench_;
};

/// Which way the suspect changed, as a cost.
[[nodiscard]] analysis::Direction direction_of(const Suspect& suspect);

/// Whether its confirmation needs new layouts.
[[nodiscard]] bool is_relinked(const Suspect& suspect);

[[nodiscard]] bool is_confirmed(const std::optional<ConfirmationRecord>& record);

/// Whether the trial could not be measured: that is neither a yes nor a no.
[[nodiscard]] bool has_failed(const std::optional<ConfirmationRecord>& record);

/// A trial that could not be measured, between commits that are still to be named.
[[nodiscard]] ConfirmationRecord failed_confirmation(const Suspect& suspect, std::string why);

}  // namespace tandem::daemon
