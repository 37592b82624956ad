#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::specs {

enum class Direction { lower_is_better, higher_is_better };
inline constexpr std::array direction_names = {"lower_is_better", "higher_is_better"};

/// One measured quantity of a benchmark. Time is in nanoseconds wherever a number stands alone.
///
/// Most metrics scatter and are judged by the trial. Two kinds have a rule of their own: with a `tolerance`
/// the medians are compared, and a change beyond that share is a change; with a `limit` a value is sound up
/// to it, and leaving it is the change, however far.
struct Metric {
  std::string name = "time";
  std::string unit = "ns";
  Direction direction = Direction::lower_is_better;
  std::optional<double> tolerance = {};  ///< as a share
  std::optional<double> limit = {};  ///< in the metric's unit; above it (below, if higher is better) is wrong
};

/// Which way is better, judged by the words that programs use: rates and accuracies point up, costs down.
[[nodiscard]] Direction usual_direction(std::string_view name, std::string_view unit);

/// What a test may list under "metrics". Time is always measured, and so is whatever a program reports by
/// itself.
inline constexpr std::array metric_names = {"time", "cpu_time",     "peak_memory",
                                            "size", "instructions", "error"};

/// Numbers that a program must reproduce. A number is sound within the absolute or within the relative
/// tolerance; without either it must be equal.
struct Golden {
  enum class Type { text, float32, float64 };  ///< numbers between white space or commas, or raw and native
  std::filesystem::path file;
  std::string output;  ///< the file that the program writes, with placeholders; empty: its standard output
  std::optional<double> absolute;
  std::optional<double> relative;  ///< as a share of the golden number
  Type type = Type::text;
};
inline constexpr std::array golden_type_names = {"text", "float32", "float64"};

/// How instructions are counted. `automatic`: by the processor where it counts, else by callgrind.
enum class InstructionCounter { automatic, perf, callgrind };
inline constexpr std::array counter_names = {"auto", "perf", "callgrind"};

}  // namespace tandem::specs
