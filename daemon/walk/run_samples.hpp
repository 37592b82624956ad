#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "daemon/records/run_record.hpp"
#include "daemon/walk/screening.hpp"
#include "runners/pairing/pair_runner.hpp"

namespace tandem::daemon {

/// Every value of every launch, by benchmark and metric, in the order they came.
class RunSamples {
 public:
  void add(const std::vector<runners::Sampled>& launch);

  /// How many values the whole net has, or, where there is no such series, the longest one: what `iter`
  /// counts.
  [[nodiscard]] std::size_t counted() const;
  [[nodiscard]] std::size_t launches() const { return launches_; }

  /// As reporters are given them; the benchmark and metric of each series stand beside it.
  struct Kept {
    std::string benchmark;
    specs::Metric metric;
    ReportedSeries series;
  };
  [[nodiscard]] const std::vector<Kept>& kept() const { return kept_; }

 private:
  std::vector<Kept> kept_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
  std::size_t launches_ = 0;
};

/// The samples that screens kept.
[[nodiscard]] std::vector<RunSamples::Kept> kept_of(const std::vector<Screened>& screened);

/// FAI-PEP's type of a benchmark: "NET" of "NET latency" with the metric "latency"; else its own name.
[[nodiscard]] std::string type_of(const std::string& benchmark, const std::string& metric);

/// A runner that keeps what launches gave, and passes everything on.
class KeepingRunner final : public runners::PairRunner {
 public:
  enum class Which { all, chosen };
  KeepingRunner(runners::PairRunner& runner, RunSamples& samples, Which which)
      : runner_(runner), samples_(samples), which_(which) {}

  /// Chooses the next launch; others, such as those of an A/A, are not kept.
  void keep_next() { next_ = true; }

  [[nodiscard]] std::variant<runners::ProgramFacts, runners::RunFailure> inspect(
      const runners::ProgramPair& pair, runners::Side side, std::stop_token stop) override;
  [[nodiscard]] std::variant<runners::BenchmarkFacts, runners::RunFailure> look_at(
      const runners::ProgramPair& pair, const std::string& benchmark, std::stop_token stop) override;
  [[nodiscard]] runners::LaunchResult launch(const runners::ProgramPair& pair,
                                             const runners::Subject& subject, const runners::LaunchPlan& plan,
                                             std::stop_token stop) override;

 private:
  runners::PairRunner& runner_;
  RunSamples& samples_;
  Which which_;
  bool next_ = false;
};

/// All that a run of one test gave. Nothing that was measured is missing, even after a failure.
struct TestRun {
  std::vector<RunSamples::Kept> series;
  std::vector<Screened> screened;  ///< with a control: the verdicts
  std::string failure;             ///< a sentence; empty: it went through
  std::string log = {};            ///< what the programs printed, where the spec wants it shown
  /// The exit code of the design: 1 slower, or outside the golden tolerance; 3 inconclusive; 4 failed.
  int code = 0;
};

}  // namespace tandem::daemon
