#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runners/results/series.hpp"

namespace tandem::runners {

/// How benchdnn was told to write its performance lines.
struct BenchdnnTemplate {
  /// "def" or empty, "csv", or text with fields such as "perf,%prb%,%-time%,%-Gflops%".
  std::string text;
};

/// The template that a command line asks for with --perf-template=…; empty if it does not say.
[[nodiscard]] BenchdnnTemplate benchdnn_template(const std::vector<std::string>& command);

/// Reads the performance lines of oneDNN's benchdnn (--mode=P). The benchmark is the problem descriptor.
///
/// benchdnn 2.x and 3.x print the template they use ("Output template: …"), which then counts for the lines
/// below it; before it, or without it, `asked` does, and if that says nothing, the default of 2.x.
/// Times are in ns: "time" is the first of the shortest, the average and the longest that the template has,
/// the others are metrics of their own; so are flops and bandwidth (higher is better) and the times of
/// creation. A "perf," line that does not fit the template is an error sentence; other text is passed over.
[[nodiscard]] ReadSeries read_benchdnn_lines(std::string_view output, const BenchdnnTemplate& asked = {});

/// Whether benchdnn wrote this: it names its template.
[[nodiscard]] bool is_benchdnn_output(std::string_view output);

}  // namespace tandem::runners
