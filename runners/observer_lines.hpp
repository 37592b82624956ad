#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runners/series.hpp"

namespace tandem::runners {

/// Reads FAI-PEP observer lines: "PyTorchObserver {…}", "Caffe2Observer {…}" or whatever `identifiers` says.
/// If that is empty, any word that ends in "Observer" right before " {" is one.
///
/// New form: {"type":"NET","metric":"latency","unit":"us","value":"12.5"}; old form: one object per
/// iteration, {"NET":{"latency":{"value":…,"unit":…}},…}. The benchmark is "NET latency". Other text is
/// passed over. A line with an identifier whose object cannot be read is an error sentence, because a
/// silently dropped value would be a wrong result.
[[nodiscard]] ReadSeries read_observer_lines(std::string_view output,
                                             const std::vector<std::string>& identifiers = {
                                                 "PyTorchObserver", "Caffe2Observer"});

}  // namespace tandem::runners
