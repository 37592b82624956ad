#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/measure/screening.hpp"
#include "evaluation/evidence/live/decision.hpp"
#include "evaluation/evidence/part.hpp"
#include "evaluation/pairing/arrangement.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::evaluation {

inline constexpr double live_margin = 0.01;  ///< δ of all live parts, but where layouts ask for more

/// What the live parts measure on: the host's runner and a journal of decisions, which are made in turns, so
/// that all kinds of them meet the same moods of the machine and an interrupted run is balanced. The host's
/// lock is held for one decision at a time.
class LiveRun {
 public:
  /// `part` names journal/PART.tsv and launches/PART.tsv. The settings have to stay.
  LiveRun(const PartSettings& settings, std::string part);

  [[nodiscard]] runners::PairRunner& runner() { return runner_; }
  [[nodiscard]] const std::filesystem::path& scratch() const { return folder_.path(); }

  /// How a workload is measured, and what its launches scatter by then.
  struct Prepared {
    WorkloadPair programs;
    runners::SliceShape shape;
    daemon::PriorSigma prior;

    /// Screens of the pair, and confirmations of the same two programs.
    [[nodiscard]] DecisionSubject subject(const Origin& origin, const runners::ProgramPair& pair) const;
  };
  /// By a short A/A of the program. Nothing if that refuses to measure so, as a calibration would; a note
  /// says why.
  [[nodiscard]] std::optional<Prepared> prepare(const std::string& name, const std::filesystem::path& program,
                                                runners::Pairing pairing,
                                                std::chrono::nanoseconds launch_time,
                                                std::vector<std::string>& notes);

  /// One kind of decision and how many are wanted of it, earlier runs included.
  struct Cell {
    std::string name;  ///< for the progress
    Origin origin;
    std::size_t wanted = 0;
    std::function<DecisionSubject(std::size_t number)> subject;
  };
  /// Makes what is missing, round by round, until the time of this run is over. Returns all decisions.
  [[nodiscard]] std::vector<Decision> fill(const std::vector<Cell>& cells);

 private:
  struct Noise {
    daemon::PriorSigma prior;
    std::string refused;  ///< why this way of measuring may not be used, a clause; empty: it may
  };
  [[nodiscard]] Noise noise_of(const WorkloadPair& programs, const runners::SliceShape& shape,
                               std::uint64_t look);

  [[nodiscard]] bool is_over() const;
  void keep(Measured measured);

  const PartSettings& settings_;
  std::string part_;
  tests::TemporaryDirectory folder_;
  runners::HostPairRunner runner_;
  Journal journal_;
  std::ofstream launches_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// The programs of tests/evaluation/workloads in BUILD/evaluation_programs. In a brief run `steady` and, for
/// any more work, `slower` of tests/programs stand for all of them.
[[nodiscard]] std::filesystem::path workload(const PartSettings& settings, const std::string& name,
                                             const std::string& percent = "0");

}  // namespace tandem::evaluation
