#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "daemon/walk/confirmer.hpp"

namespace tandem::daemon {

/// One step of a range that was confirmed to have changed, or what of the change has no single commit. A
/// search that could not be brought to its end is unconfirmed: its confirmation says why.
struct FoundStep {
  enum class Kind { culprit, accumulated, unconfirmed } kind = Kind::culprit;
  std::size_t control = 0;  ///< the last good commit, which the confirmation compares with
  std::size_t culprit = 0;
  double probability = 1;
  std::vector<std::string> co_suspects;  ///< in their order
  SearchRecord search;
  ConfirmationRecord confirmation;
  analysis::Direction direction = analysis::Direction::slower;  ///< as a cost
};

/// Finds the commits that changed a benchmark, good and bad being confirmed to differ.
///
/// A noisy bisection over all commits between the two, each measured against the good one with new layouts;
/// what it names is confirmed against the last good commit before it. If something is left of the whole
/// change after that, the rest of the range is searched too, also for what went the other way. What no single
/// commit is confirmed for has accumulated. A trial that fails ends the hunt as unconfirmed; what was found
/// before stands.
class CulpritHunt {
 public:
  CulpritHunt(const WalkSettings& settings, const WalkContext& context, Builds& builds, Confirmer& confirmer)
      : settings_(settings), context_(context), builds_(builds), confirmer_(confirmer) {}

  /// At least one step, oldest first. Nothing: it was stopped.
  [[nodiscard]] std::optional<std::vector<FoundStep>> hunt(const Examination& at, const Suspect& suspect,
                                                           std::size_t good, std::size_t bad,
                                                           const ConfirmationRecord& whole);

 private:
  /// The likeliest step of the range, not confirmed yet; of kind accumulated if there is none. Nothing:
  /// stopped.
  [[nodiscard]] std::optional<FoundStep> search(const Examination& at, const Suspect& suspect,
                                                std::size_t good, std::size_t bad,
                                                const ConfirmationRecord& whole);
  /// Of a change that has accumulated: the part of the range where a drift's points show it, if that part is
  /// confirmed to hold most of it. Else as it was. Nothing: stopped.
  [[nodiscard]] std::optional<FoundStep> narrowed(const Examination& at, const Suspect& suspect,
                                                  FoundStep step);
  [[nodiscard]] std::vector<double> priors(const Line& line,
                                           const std::vector<std::size_t>& candidates) const;
  [[nodiscard]] std::string identity_at(const Line& line, std::size_t position) const;

  const WalkSettings& settings_;
  const WalkContext& context_;
  Builds& builds_;
  Confirmer& confirmer_;
  std::uint64_t stream_ = 16;  ///< those before it belong to the confirmations of the suspect itself
};

}  // namespace tandem::daemon
