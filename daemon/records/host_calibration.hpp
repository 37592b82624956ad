#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/calibration.hpp"
#include "runners/pairing/pair_runner.hpp"

namespace tandem::daemon {

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
