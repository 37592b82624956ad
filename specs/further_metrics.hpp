#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::specs {

/// What a test may list under "metrics". Time is always measured, and so is whatever a program reports by
/// itself.
[[nodiscard]] const std::vector<std::string_view>& metric_names();

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

/// How instructions are counted. `automatic`: by the processor where it counts, else by callgrind.
enum class InstructionCounter { automatic, perf, callgrind };

}  // namespace tandem::specs
