#pragma once

#include "daemon/walk/steps.hpp"

namespace tandem::daemon {

/// The walk of one commit through build, screen, confirmation and report, as the design's table has it.
///
/// Everything found is in the store when `examine` returns. It can be interrupted anywhere and repeated: what
/// is stored is not measured again. A failure of a commit is a value in the store; one that may pass is left
/// to the caller (`put_off`), and the commit is not done. `HostError` means that the host cannot be worked
/// on; any other exception is about this commit.
class Pipeline {
 public:
  enum class Examined { done, stopped, put_off };

  Pipeline(WalkSettings settings, WalkContext context) : steps_(std::move(settings), std::move(context)) {}

  /// Throws InputError if every commit is to be compared with a base that does not lie on the line.
  void expect_base_on(const Line& line) const;

  [[nodiscard]] Examined examine(const Examination& at);
  /// Why the last commit was put off.
  [[nodiscard]] const builders::BuildFailure& why_put_off() const { return why_put_off_; }

  /// What idle time and requests work with.
  [[nodiscard]] WalkSteps& steps() { return steps_; }

 private:
  /// Steps 3 and 4 for all benchmarks: what changed. Nothing: stopped.
  std::optional<std::vector<Suspect>> screen_all(const Examination& at, const std::vector<Trial>& trials);
  /// Steps 5 to 7 for all suspects, the largest first, as far as the time goes. False: stopped.
  bool settle_all(const Examination& at, const std::vector<Suspect>& suspects);

  WalkSteps steps_;
  builders::BuildFailure why_put_off_;
};

}  // namespace tandem::daemon
