#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runners/results/series.hpp"
#include "specs/files/file_spec.hpp"

namespace tandem::runners {

/// Turns a text into results: what a program printed, or a file that it wrote.
using Converter = ReadSeries (*)(std::string_view text, const specs::ConverterSpec& spec);

/// The registry: nothing if there is no converter of this name. How to add one: runners/CONVERTERS.md.
[[nodiscard]] Converter find_converter(std::string_view name);
[[nodiscard]] const std::vector<std::string_view>& converter_names();

}  // namespace tandem::runners
