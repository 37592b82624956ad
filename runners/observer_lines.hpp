#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "specs/metric.hpp"

namespace tandem::runners {

/// All values that a program printed for one key ("NET latency"), in the order they came.
struct ObservedSeries {
  std::string key;
  specs::Metric metric;
  std::vector<double> values;
};

/// Reads FAI-PEP observer lines: "PyTorchObserver {…}", "Caffe2Observer {…}" or any `identifier` given.
///
/// New form: {"type":"NET","metric":"latency","unit":"us","value":"12.5"}; old form: one object per
/// iteration,
/// {"NET":{"latency":{"value":…,"unit":…}},…}. Other text is passed over. A line with an identifier whose
/// object cannot be read is an error sentence, because a silently dropped value would be a wrong result.
[[nodiscard]] std::variant<std::vector<ObservedSeries>, std::string> read_observer_lines(
    std::string_view output,
    const std::vector<std::string>& identifiers = {"PyTorchObserver", "Caffe2Observer"});

}  // namespace tandem::runners
