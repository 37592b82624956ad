#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runners/results/series.hpp"

namespace tandem::runners {

/// Reads FAI-PEP observer lines: "PyTorchObserver {…}", "Caffe2Observer {…}" or whatever `identifiers` says.
/// If that is empty, any word that ends in "Observer" right before " {" is one.
///
/// New form: {"type":"NET","metric":"latency","unit":"us","value":"12.5"}; old form: one object per
/// iteration, {"NET":{"latency":{"value":…,"unit":…}},…}. The benchmark is "NET latency". Beside or instead
/// of the value there may be an "info_string", a "summary" of numbers and "num_runs", which become remarks;
/// where a benchmark has no values, the mean or p50 of its summaries are. {"custom_output":…} is a table.
/// Other text is passed over. A line with an identifier whose object cannot be read is an error sentence,
/// because a silently dropped value would be a wrong result.
[[nodiscard]] ReadSeries read_observer_lines(std::string_view output,
                                             const std::vector<std::string>& identifiers = {
                                                 "PyTorchObserver", "Caffe2Observer"});

/// The same objects in lines without an identifier: from the first "{" of a line to its last "}". What is no
/// such object is passed over, unless it names a type and a metric as results do.
[[nodiscard]] ReadSeries read_json_lines(std::string_view output);

}  // namespace tandem::runners
