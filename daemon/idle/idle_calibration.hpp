#pragma once

#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "builders/builder.hpp"
#include "daemon/idle/calibrate.hpp"
#include "daemon/idle/newest_good.hpp"
#include "daemon/walk/host_fitness.hpp"

namespace tandem::daemon {

/// Finds out how each benchmark is best measured here, one at a time. What it finds is stored and shown at
/// once.
class IdleCalibration {
 public:
  /// `seconds`: that one benchmark may take.
  IdleCalibration(const WalkSettings& settings, const WalkContext& context, double seconds)
      : settings_(settings), context_(context), seconds_(seconds) {}

  /// The first benchmark of the commit's program whose calibration is missing, outdated, or said an hour ago
  /// that it cannot be measured. A program that fails in it is an event, and is left alone until the next
  /// commit.
  [[nodiscard]] IdleStep next(const builders::Commit& commit, const std::stop_token& stop);

 private:
  /// What a test of the commit measures, by looking at its program once.
  struct Program {
    const Test* test = nullptr;
    runners::ProgramFacts facts;
  };

  bool look_at(const builders::Commit& commit, const std::stop_token& stop);
  [[nodiscard]] bool is_due(const Test& test, const std::string& benchmark, const std::string& metric,
                            const std::string& host) const;
  /// Whether it says that nothing is to be had from this benchmark.
  [[nodiscard]] bool is_hopeless(const analysis::Calibration& calibration) const;
  IdleStep calibrate_one(const Program& program, const std::string& benchmark, const std::string& host,
                         const std::stop_token& stop);
  void fail(const std::string& name, const runners::RunFailure& failure);
  void keep(const Test& test, std::vector<analysis::Calibration> found, const std::string& host);

  const WalkSettings& settings_;
  const WalkContext& context_;
  double seconds_;
  std::string commit_;
  std::optional<builders::Executable> executable_;
  std::vector<Program> programs_;
  std::set<std::string> failed_;  ///< benchmarks of this commit
};

/// The status shows how each benchmark is measured, and loudly what cannot be.
void show_calibrations(Status& status, const store::Store& store, const WatchKey& key,
                       const std::string& host, std::int64_t now);

}  // namespace tandem::daemon
