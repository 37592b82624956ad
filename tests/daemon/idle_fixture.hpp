#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "daemon/fake_history.hpp"
#include "daemon/idle/idle_time.hpp"
#include "daemon/walk/steps.hpp"

namespace tandem::tests {

/// A branch at its tip: everything is examined, and there is time. Differences of costs are as the history
/// has them, with a little noise; the clock stands until it is moved.
class AtTheTip : public testing::Test {
 protected:
  explicit AtTheTip(const std::vector<FakeCommit>& history, double margin = 0.01) : walk_(history, margin) {
    walk_.settings.cpus.measured = walk_.settings.cpus.all = {0};
    walk_.runner.log_ratio = [truth = walk_.runner.log_ratio, this](const Call& call) {
      std::mt19937_64 random(call.plan.program_seed);
      return truth(call) + std::log1p(call.plan.shape.treatment_extra) + bias_ +
             std::normal_distribution<double>(0, sigma_)(random);
    };
  }

  /// Starts it anew, as after the end of the process.
  void restart() {
    idle_.reset();
    steps_ = std::make_unique<daemon::WalkSteps>(walk_.settings, context_);
    idle_ = std::make_unique<daemon::IdleTime>(*steps_, 60);
  }
  daemon::IdleTime::Spent spend(const std::stop_token& stop = {}) {
    if (!idle_) restart();
    return idle_->spend_next(walk_.line, stop);
  }
  /// All steps until there is nothing to do.
  std::vector<daemon::IdleTime::Spent> spend_all() {
    std::vector<daemon::IdleTime::Spent> steps;
    while (steps.size() < 100) {
      steps.push_back(spend());
      if (steps.back() == daemon::IdleTime::Spent::nothing_to_do) break;
    }
    return steps;
  }

  FakeWalk walk_;
  double sigma_ = 0.002;
  double bias_ = 0;
  std::int64_t now_ = 1'704'705'120;
  daemon::WalkContext context_{walk_.builder,
                               walk_.runner,
                               *walk_.store,
                               walk_.publisher,
                               [this] { return now_; },
                               walk_.status,
                               [this] { works_.push_back(walk_.status.idle_work); },
                               [] { return std::string("a host"); }};
  std::vector<std::string> works_;  ///< what the status showed
  std::unique_ptr<daemon::WalkSteps> steps_;
  std::unique_ptr<daemon::IdleTime> idle_;
};

}  // namespace tandem::tests
