#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "analysis/calibration.hpp"
#include "daemon/records/screened.hpp"
#include "runners/host/machine_facts.hpp"
#include "runners/pairing/pair_runner.hpp"

namespace tandem::daemon {

/// Everything that `tandem compare` found out: one entry per benchmark, in the programs' order.
struct Comparison {
  std::filesystem::path control;
  std::filesystem::path treatment;
  std::vector<std::string> arguments;
  runners::Protocol protocol = runners::Protocol::slices;
  double margin = 0.01;
  std::uint64_t seed = 1;
  bool identical = false;  ///< byte for byte, and therefore not run
  std::vector<Screened> benchmarks;
  std::vector<std::string> missing;  ///< benchmarks that only the control has
  std::vector<std::string> added;    ///< benchmarks that only the treatment has
  runners::MachineFacts host;
  std::chrono::nanoseconds time{};
};

/// Exit codes of the design: 1 something is slower or fails in the treatment alone, else 4 something failed,
/// else 3 something is inconclusive that was measured for its own sake, else 0.
[[nodiscard]] int exit_code(const std::vector<Screened>& benchmarks);
[[nodiscard]] int exit_code(const Comparison& comparison);

/// Of two exit codes the one that counts for both: 1, else 2, else 4, else 3, else 0.
[[nodiscard]] int worse_code(int one, int other);

/// Of two exit codes the one that matters more to a person: 1 slower, 2 wrong input, 4 something failed, 3
/// inconclusive, 0.
[[nodiscard]] constexpr int more_pressing(int one, int other) {
  for (const int code : {1, 2, 4, 3}) {
    if (one == code || other == code) return code;
  }
  return 0;
}

/// Everything that `tandem calibrate` found out: one entry per benchmark, in the program's order.
struct HostCalibration {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  runners::Protocol protocol = runners::Protocol::slices;
  double margin = 0.01;
  std::uint64_t seed = 1;
  std::string host;  ///< runners::host_identity
  std::vector<analysis::Calibration> benchmarks;
  struct Failed {
    std::string benchmark;
    runners::RunFailure failure;
  };
  std::vector<Failed> failed;
  double seconds = 0;
};

/// Whether a change of twice the margin would be missed too often.
[[nodiscard]] bool is_unmeasurable(const analysis::Calibration& calibration);

/// 4 if a program failed, else 3 if a benchmark is unfit or unmeasurable at its margin, else 0.
[[nodiscard]] int exit_code(const HostCalibration& calibration);

}  // namespace tandem::daemon
