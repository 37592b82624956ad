#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "evaluation/evidence/results/result.hpp"

namespace tandem::evaluation {

/// What every part is given.
struct PartSettings {
  std::filesystem::path out;     ///< evaluation/: journals, recorded launches, results
  std::filesystem::path build;   ///< with tandem and the workloads
  std::filesystem::path source;  ///< the top of the tree
  std::uint64_t seed = 1;
  enum class Length { full, brief } length = Length::full;  ///< brief: seconds, for the tests
  std::optional<double> minutes = {};  ///< of this run; what is not done by then is left for the next one
  /// Shows how far it is; called as often as one likes.
  std::function<void(const std::string& what, std::size_t done, std::size_t all)> show = [](auto&&...) {};
};

/// One part: does what is still to be done and says what all runs together found. `command`, `at`, `seconds`
/// and `host` may be left to the caller.
using Part = PartResult (*)(const PartSettings&);

[[nodiscard]] PartResult replay(const PartSettings& settings);
[[nodiscard]] PartResult live(const PartSettings& settings);
[[nodiscard]] PartResult layouts(const PartSettings& settings);
[[nodiscard]] PartResult power(const PartSettings& settings);
[[nodiscard]] PartResult rivals(const PartSettings& settings);
[[nodiscard]] PartResult ablations(const PartSettings& settings);
[[nodiscard]] PartResult spread(const PartSettings& settings);
[[nodiscard]] PartResult culprit(const PartSettings& settings);
[[nodiscard]] PartResult cost(const PartSettings& settings);

/// Whether looking at the limits of a sandbox makes launches scatter more, as a table on standard output.
void print_looks(const std::filesystem::path& build);

}  // namespace tandem::evaluation
