#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "specs/metric.hpp"

namespace tandem::runners {

/// All values that a program printed for one metric of one benchmark, in the order they came.
struct Series {
  std::string key;  ///< the benchmark's name
  specs::Metric metric;
  std::vector<double> values;  ///< finite, at least one
};

/// What an adapter makes of a program's output: series, none if there is nothing of its kind, or a sentence
/// that says what cannot be read. The sentence has no subject: "the object in output line 3 has no value".
using ReadSeries = std::variant<std::vector<Series>, std::string>;

/// Collects values under their benchmark and metric, up to a bound that no sane program reaches.
class SeriesCollector {
 public:
  static constexpr std::size_t most_series = 20'000;
  static constexpr std::size_t most_values = 2'000'000;

  /// The metric of the first value counts for all of its series. False when the bound is reached.
  [[nodiscard]] bool add(const std::string& benchmark, const specs::Metric& metric, double value);
  [[nodiscard]] std::vector<Series> take() { return std::move(all_); }

  static constexpr const char* too_much = "the output holds more results than can be kept";

 private:
  std::vector<Series> all_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
  std::size_t values_ = 0;
};

/// Foreign text for a message: no control characters, cut to `most` bytes at a character's border.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most);

/// Calls `take(line, number)` for every line, counted from 1, without its newline and carriage return; ends
/// early when it returns false.
template <class Take>
void for_each_line(std::string_view text, Take&& take) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!take(line, number)) return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace tandem::runners
