#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "runners/pairing/pair_runner.hpp"

namespace tandem::daemon::commands {

enum class Format { text, json };

/// `tandem compare CONTROL TREATMENT [-- ARGUMENTS]`.
struct CompareOptions {
  std::string control;
  std::string treatment;
  std::vector<std::string> arguments;
  std::string filter;    ///< only benchmarks whose name contains it
  double margin = 0.01;  ///< as a share
  std::size_t max_launches = 66;
  std::optional<std::uint64_t> seed;
  double timeout_seconds = 60;  ///< of one launch
  bool measure_identical = false;
  std::optional<std::filesystem::path> state_dir;  ///< where `tandem calibrate` keeps what it found
  std::optional<runners::Pairing> pairing;         ///< nothing: auto
  std::optional<runners::Protocol> protocol;       ///< nothing: found out
  Format format = Format::text;
};

/// Writes the verdicts to standard output and returns the exit code of the design. Throws `InputError`.
int compare(const CompareOptions& options, const std::stop_token& stop);

}  // namespace tandem::daemon::commands
