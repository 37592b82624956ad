#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runners/pairing/pair_runner.hpp"

namespace tandem::tests {

/// One call that a fake runner received. Programs are named by the last part of their path.
struct Call {
  enum class Kind { inspect, look_at, launch } kind = Kind::launch;
  std::string control;
  std::string treatment;
  std::string benchmark;
  std::string control_layout = {};  ///< the folder that the program lies in
  std::string treatment_layout = {};
  runners::LaunchPlan plan = {};
  std::size_t count = 0;  ///< launches of this benchmark and pair before this one
};

/// What a launch gives of a benchmark beside the metric that it is made for, once a side.
struct Beside {
  specs::Metric metric;
  double control = 1;
  double treatment = 1;
};

/// A runner without processes: what it measures is written down by the test.
class FakeRunner final : public runners::PairRunner {
 public:
  /// The benchmarks of a program, all measured in one way.
  std::function<std::vector<std::string>(const std::string& program)> benchmarks = [](const auto&) {
    return std::vector<std::string>{"work"};
  };
  runners::Protocol protocol = runners::Protocol::slices;
  specs::Metric metric = {};
  /// What every launch gives of each benchmark beside it, and ln(treatment / control) of that.
  std::vector<std::pair<specs::Metric, double>> further = {};
  /// The same where it belongs to the programs of the call.
  std::function<std::vector<Beside>(const Call&)> beside;
  runners::BenchmarkFacts benchmark_facts = {1000.0, 1, true, 0};  ///< of every benchmark

  /// ln(treatment / control) of the metric that a launch gives.
  std::function<double(const Call&)> log_ratio = [](const Call&) { return 0.0; };
  /// All values of a launch, where a ratio does not say enough. Of a launch alone the other side's are
  /// dropped.
  std::function<runners::Launch(const Call&)> samples;
  /// Whether a call fails, and how.
  std::function<std::optional<runners::RunFailure>(const Call&)> fails;
  /// Told of every call before it is answered; may ask for a stop, or throw.
  std::function<void()> before_call;

  std::vector<Call> calls;

  [[nodiscard]] std::vector<Call> launches() const;
  [[nodiscard]] std::size_t launches_of(const std::string& control, const std::string& treatment) const;

  [[nodiscard]] std::variant<runners::ProgramFacts, runners::RunFailure> inspect(
      const runners::ProgramPair& pair, runners::Side side, std::stop_token stop) override;
  [[nodiscard]] std::variant<runners::BenchmarkFacts, runners::RunFailure> look_at(
      const runners::ProgramPair& pair, const std::string& benchmark, std::stop_token stop) override;
  [[nodiscard]] runners::LaunchResult launch(const runners::ProgramPair& pair,
                                             const runners::Subject& subject, const runners::LaunchPlan& plan,
                                             std::stop_token stop) override;

 private:
  std::optional<runners::RunFailure> receive(Call call, const std::stop_token& stop);

  std::map<std::string, std::size_t> counts_;
};

/// A failure with a sentence in the words of the real runner.
[[nodiscard]] runners::RunFailure crash_of(runners::Side side);

}  // namespace tandem::tests
