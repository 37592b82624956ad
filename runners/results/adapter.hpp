#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runners/pairing/pairing.hpp"
#include "runners/pairing/samples.hpp"
#include "specs/benchmark/metric.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::runners {

/// All values that a program printed for one metric of one benchmark, in the order they came.
struct Series {
  std::string key;  ///< the benchmark's name
  specs::Metric metric;
  std::vector<double> values;  ///< finite, at least one
  Remarks remarks = {};
};

/// What an adapter makes of a program's output: series, none if there is nothing of its kind, or a sentence
/// that says what cannot be read. The sentence has no subject: "the object in output line 3 has no value".
using ReadSeries = std::variant<std::vector<Series>, std::string>;

/// Collects values under their benchmark and metric, up to a bound that no sane program reaches. The adding
/// functions are false when it is reached.
class SeriesCollector {
 public:
  static constexpr std::size_t most_series = 20'000;
  static constexpr std::size_t most_values = 2'000'000;
  static constexpr std::size_t most_remark_bytes = std::size_t{16} << 20;

  /// The metric of the first value counts for all of its series.
  [[nodiscard]] bool add(const std::string& benchmark, const specs::Metric& metric, double value);
  /// What stands for a value, such as the mean of a summary; it counts if the series gets no other.
  [[nodiscard]] bool add_instead(const std::string& benchmark, const specs::Metric& metric, double value);
  [[nodiscard]] bool add_info(const std::string& benchmark, const specs::Metric& metric,
                              const std::string& text);
  [[nodiscard]] bool add_statistic(const std::string& benchmark, const specs::Metric& metric,
                                   const std::string& name, double value);
  [[nodiscard]] bool add_table(std::string json);  ///< of the program as a whole

  /// All series that have values. Remarks without values, and tables, go to the first one as tables.
  [[nodiscard]] std::vector<Series> take();

  static constexpr const char* too_much = "the output holds more results than can be kept";

 private:
  struct Entry {
    Series series;
    std::vector<double> instead;
    std::set<std::string> infos;  ///< those that its remarks have already
  };
  Entry* entry(const std::string& benchmark, const specs::Metric& metric);
  [[nodiscard]] bool room_for_values();
  [[nodiscard]] bool room_for_remark(std::size_t bytes);

  std::vector<Entry> all_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
  std::vector<std::string> tables_;
  std::size_t values_ = 0;
  std::size_t remark_bytes_ = 0;
};

/// Turns foreign text into series: what a program printed, or a file that it wrote. Each is a constant in a
/// file of its own and a line in the registry (adapter.cpp); runners/CONVERTERS.md shows how to add one.
struct ResultAdapter {
  using Arguments = std::map<std::string, std::string>;  ///< as a spec gives them beside the name
  using ListedNames = std::variant<std::vector<std::string>, std::string>;  ///< or what is wrong with them

  std::string_view name;  ///< as specs write it
  ReadSeries (*read)(std::string_view text, const Arguments& arguments);

  /// What a program is found to speak whose output this reads; nothing: only where a spec asks for it.
  std::optional<Protocol> protocol = {};
  /// Whether output is of this form; null: whenever it has results.
  bool (*recognises)(std::string_view output) = nullptr;
  /// What a program's own command line says about its output; null: nothing.
  Arguments (*arguments_of)(const std::vector<std::string>& command) = nullptr;
  /// Where programs list their benchmarks: how they are asked, and how they are told to run just one (an
  /// empty name: all of them).
  const char* list_argument = nullptr;
  ListedNames (*read_list)(std::string_view output) = nullptr;
  std::vector<std::string> (*run_arguments)(const std::string& benchmark) = nullptr;
  /// Whether it reads observer lines, and so those that `pair.after` prints.
  bool observer_lines = false;
};

/// Null if there is none of this name.
[[nodiscard]] const ResultAdapter* find_adapter(std::string_view name);
/// The one whose output such a program prints; null for slices and plain commands.
[[nodiscard]] const ResultAdapter* find_adapter(Protocol protocol);
/// In alphabetical order.
[[nodiscard]] std::vector<std::string_view> adapter_names();

/// Adds series to others: values and remarks of one benchmark and metric come together.
void merge(std::vector<Series>& all, std::vector<Series> more);

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
