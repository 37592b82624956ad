#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "specs/benchmark/metric.hpp"

namespace tandem::runners {

/// The numbers of a text (between white space, commas or semicolons) or of raw floats, or a sentence without
/// subject that says what is wrong. NaN and infinity are numbers here.
[[nodiscard]] std::variant<std::vector<double>, std::string> read_numbers(std::string_view bytes,
                                                                          specs::Golden::Type type);

/// A regular file of bounded size, not behind a link, or a sentence that says why it cannot be read.
struct FileBytes {
  std::string bytes;
};
enum class Links { followed, refused };
[[nodiscard]] std::variant<FileBytes, std::string> read_output_file(const std::filesystem::path& file,
                                                                    Links links);

/// How far numbers are from the golden ones at the worst place.
struct OutputError {
  /// The largest difference among the numbers outside the relative tolerance.
  double absolute = 0;
  /// The largest share of the golden number among those outside the absolute tolerance.
  double relative = 0;
};

/// Both lists have one length. NaN is equal to NaN; where only one of two is a number, the error is infinite.
[[nodiscard]] OutputError compare_output(std::span<const double> golden, std::span<const double> found,
                                         const specs::Golden& tolerances);

/// The metric of an error, with the tolerance as its limit: "error" if an absolute one is given or none,
/// "relative_error" if a relative one is.
struct NamedError {
  specs::Metric metric;
  double value = 0;
};
[[nodiscard]] std::vector<NamedError> named(const OutputError& error, const specs::Golden& tolerances);

}  // namespace tandem::runners
