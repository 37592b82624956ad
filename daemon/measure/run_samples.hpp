#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "daemon/measure/screening.hpp"
#include "daemon/records/run_record.hpp"
#include "runners/pairing/pair_runner.hpp"

namespace tandem::daemon {

/// Every value of every launch, by benchmark and metric, in the order they came.
class RunSamples {
 public:
  void add(const std::vector<runners::Sampled>& launch);
  /// The same of a launch that may have failed: then nothing is added.
  void add_measured(const runners::LaunchResult& launch);

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
