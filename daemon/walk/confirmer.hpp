#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "daemon/measure/confirmation.hpp"
#include "daemon/measure/layouts.hpp"
#include "daemon/measure/trial.hpp"
#include "daemon/walk/build.hpp"
#include "daemon/walk/context.hpp"
#include "daemon/walk/verdict_log.hpp"

namespace tandem::daemon {

/// Step 5 of the walk: second trials between any two commits of a line, of a suspect, of what a search asks
/// for, of a person. Whoever asks for one gives the two positions; those of the examination do not count.
class Confirmer {
 public:
  Confirmer(const WalkSettings& settings, const WalkContext& context, Builds& builds, Layouts& layouts,
            const VerdictLog& log)
      : settings_(settings), context_(context), builds_(builds), layouts_(layouts), log_(log) {}

  /// `alpha`: its part of the probability that a suspect without a change is confirmed. `stream` gives every
  /// trial of a suspect coins and layouts of its own. If it could not be measured, its outcome is `failed`.
  /// Nothing: it was stopped, or one of the commits does not build.
  [[nodiscard]] std::optional<ConfirmationRecord> confirm(const Examination& at, std::size_t control,
                                                          std::size_t treatment, const Suspect& suspect,
                                                          std::uint64_t stream,
                                                          double alpha = analysis::confirmation_alpha);

  /// One unit alone, as a cost. Of a metric with a rule of its own: 1 if it is worse, -1 if better, else 0.
  /// Nothing: it was stopped, one of the commits does not build, or the programs fail. A failure: they could
  /// not be linked anew or started, which says nothing about the commits.
  [[nodiscard]] std::variant<std::optional<double>, runners::RunFailure> unit(const Examination& at,
                                                                              std::size_t control,
                                                                              std::size_t treatment,
                                                                              const Suspect& suspect,
                                                                              std::uint64_t stream);

  /// Launches of two commits as they were built, as costs.
  [[nodiscard]] std::vector<double> as_built(const Examination& at, std::size_t control,
                                             std::size_t treatment, const Suspect& suspect,
                                             std::size_t count);

 private:
  struct Prepared;
  [[nodiscard]] std::unique_ptr<Prepared> prepare(const Examination& at, std::size_t control,
                                                  std::size_t treatment, const Suspect& suspect,
                                                  std::uint64_t stream);
  /// `fresh`: the units are linked anew.
  [[nodiscard]] double bar(const Suspect& suspect, bool fresh) const;

  const WalkSettings& settings_;
  const WalkContext& context_;
  Builds& builds_;
  Layouts& layouts_;
  const VerdictLog& log_;
};

[[nodiscard]] bool is_confirmed(const std::optional<ConfirmationRecord>& record);

/// Whether the trial could not be measured: that is neither a yes nor a no.
[[nodiscard]] bool has_failed(const std::optional<ConfirmationRecord>& record);

/// A trial that could not be measured, between commits that are still to be named.
[[nodiscard]] ConfirmationRecord failed_confirmation(const Suspect& suspect, std::string why);

}  // namespace tandem::daemon
