#pragma once

#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "builders/builder.hpp"
#include "daemon/calibrating.hpp"
#include "daemon/pipeline.hpp"

namespace tandem::daemon {

/// What the daemon does at the tip of a branch: it finds out how each benchmark is best measured here.
///
/// One benchmark at a time, so that a new commit never waits long. What it finds is stored and shown at once.
class IdleTime {
 public:
  /// `seconds`: that one benchmark may take.
  IdleTime(PipelineSettings settings, Workshop workshop, double seconds = 30)
      : settings_(std::move(settings)), workshop_(std::move(workshop)), seconds_(seconds) {}

  enum class Spent { calibrated, nothing_to_do, stopped };
  /// The first benchmark of the commit's program whose calibration is missing or outdated. A program that
  /// fails in it is an event, and is left alone until the next commit.
  [[nodiscard]] Spent calibrate_next(const builders::Commit& commit, const std::stop_token& stop);

 private:
  /// What a test of the commit measures, by looking at its program once.
  struct Program {
    const Test* test = nullptr;
    runners::ProgramFacts facts;
  };

  bool look_at(const builders::Commit& commit, const std::stop_token& stop);
  [[nodiscard]] bool is_due(const Test& test, const std::string& benchmark, const std::string& metric,
                            const std::string& host) const;
  Spent calibrate_one(const Program& program, const std::string& benchmark, const std::string& host,
                      const std::stop_token& stop);
  void fail(const std::string& name, const runners::RunFailure& failure);
  void keep(const Test& test, std::vector<analysis::Calibration> found, const std::string& host);

  PipelineSettings settings_;
  Workshop workshop_;
  double seconds_;
  std::string commit_;
  std::optional<builders::Executable> executable_;
  std::vector<Program> programs_;
  std::set<std::string> failed_;  ///< benchmarks of this commit
};

/// The watch under which calibrations made by hand are kept.
inline constexpr const char* calibrated_by_hand = "by hand";

/// Whether the calibrations of all watches say that nothing may be recorded on this host: a sentence, or
/// nothing. Those of another host do not count; an empty `host` stands for any.
[[nodiscard]] std::string host_unfit(const store::Store& store, const std::string& host);

/// The status shows how each benchmark is measured, and loudly what cannot be.
void show_calibrations(Status& status, const store::Store& store, const WatchKey& key,
                       const std::string& host);

}  // namespace tandem::daemon
