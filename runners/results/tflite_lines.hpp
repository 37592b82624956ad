#pragma once

#include <string_view>

#include "runners/results/series.hpp"

namespace tandem::runners {

/// Reads the text of TensorFlow Lite's benchmark_model, of 2018 and of today.
///
/// "NET latency" in us is the average of the regular runs, with the program's own statistics as remarks (p0,
/// p100, mean, stdev, num_runs, and its percentiles where it prints some); warm-up, initialisation and first
/// inference are no results. Where operators are profiled, each operator of the regular runs and each kind of
/// them has a latency in us; operators of one name are told apart as "name #2". A program that reports
/// several such runs gives several values. A line of figures or a row of a table that does not fit is an
/// error sentence; other text is passed over.
[[nodiscard]] ReadSeries read_tflite_lines(std::string_view output);

}  // namespace tandem::runners
