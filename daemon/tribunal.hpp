#pragma once

#include <stop_token>

#include "daemon/bench.hpp"
#include "daemon/pipeline.hpp"

namespace tandem::daemon {

/// Steps 5 to 7 of the walk: measures a suspect again, finds the commit, and writes down what came of it.
class Tribunal {
 public:
  Tribunal(const PipelineSettings& settings, const Workshop& workshop, Bench& bench)
      : settings_(settings), workshop_(workshop), bench_(bench) {}

  /// Publishes and stores the outcome together with the suspect's verdict. False if it was stopped before the
  /// end; then nothing is stored.
  [[nodiscard]] bool settle(const Line& line, std::size_t position, const Suspect& suspect,
                            const std::stop_token& stop);

 private:
  struct Finding;

  std::optional<Finding> find(const Line& line, std::size_t position, const Suspect& suspect,
                              const std::stop_token& stop);
  void narrow(const Line& line, const Suspect& suspect, Finding& finding, const std::stop_token& stop);
  std::optional<ConfirmationRecord> confirm(const Line& line, std::size_t control, std::size_t treatment,
                                            const Suspect& suspect, std::uint64_t stream,
                                            const std::stop_token& stop);
  /// `fresh`: the units are linked anew.
  [[nodiscard]] double bar(const Suspect& suspect, bool fresh) const;
  [[nodiscard]] Record record_of(const Line& line, std::size_t position, const Suspect& suspect,
                                 const Finding& finding) const;

  const PipelineSettings& settings_;
  const Workshop& workshop_;
  Bench& bench_;
};

}  // namespace tandem::daemon
