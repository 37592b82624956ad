#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "runners/results/adapter.hpp"

namespace tandem::runners {
namespace {

using nlohmann::json;

constexpr std::size_t deepest = 64;
constexpr std::size_t most_listed = 10'000;
constexpr std::size_t longest_name = 1000;

bool is_usable(std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return !name.empty() && name.size() <= longest_name && std::none_of(name.begin(), name.end(), is_control);
}

/// A JSON object cut out of a text.
struct Cut {
  std::string text;     ///< with null for NaN and Infinity, which Google Benchmark writes bare
  std::size_t end = 0;  ///< where the rest begins
  bool complete = false;
};

/// Follows braces and strings from the "{" at `at` to its partner.
Cut cut_object(std::string_view text, std::size_t at) {
  Cut cut;
  std::size_t depth = 0;
  bool in_string = false;
  for (cut.end = at; cut.end < text.size(); ++cut.end) {
    const char c = text[cut.end];
    if (in_string) {
      cut.text += c;
      if (c == '\\' && cut.end + 1 < text.size()) cut.text += text[++cut.end];
      in_string = c != '"';
      continue;
    }
    if (c == 'N' || c == 'I') {
      const std::string_view word = c == 'N' ? "NaN" : "Infinity";
      if (text.substr(cut.end, word.size()) == word) {
        if (cut.text.ends_with('-')) cut.text.pop_back();
        cut.text += "null";
        cut.end += word.size() - 1;
        continue;
      }
    }
    cut.text += c;
    in_string = c == '"';
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > deepest) return cut;
    if (depth == 0) {
      ++cut.end;
      cut.complete = true;
      return cut;
    }
  }
  return cut;
}

/// The next "{" whose first key is "context": nothing else in ordinary output begins like this.
std::size_t find_report(std::string_view text, std::size_t from) {
  constexpr std::string_view key = "\"context\"";
  for (auto at = text.find(key, from); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const auto brace = at == 0 ? std::string_view::npos : text.find_last_not_of(" \t\r\n", at - 1);
    if (brace != std::string_view::npos && brace >= from && text[brace] == '{') return brace;
  }
  return std::string_view::npos;
}

std::string text_in(const json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> number_in(const json& row, const char* key) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_number()) return std::nullopt;
  const double number = found->get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

bool is_set(const json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_boolean() && found->get<bool>();
}

std::optional<double> nanoseconds_of(const std::string& unit) {
  constexpr std::array<std::pair<std::string_view, double>, 4> units = {
      {{"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  for (const auto& [name, factor] : units) {
    if (unit == name) return factor;
  }
  return std::nullopt;
}

/// The metric of a further number of a row; nothing for those that say how it was run.
std::optional<specs::Metric> metric_of(const std::string& key) {
  constexpr std::array<std::string_view, 13> bookkeeping = {"family_index",
                                                            "per_family_instance_index",
                                                            "repetitions",
                                                            "repetition_index",
                                                            "threads",
                                                            "iterations",
                                                            "real_time",
                                                            "cpu_time",
                                                            "cpu_coefficient",
                                                            "real_coefficient",
                                                            "rms",
                                                            "complexity_n",
                                                            "time"};
  if (std::find(bookkeeping.begin(), bookkeeping.end(), key) != bookkeeping.end()) return std::nullopt;
  const std::string unit = key == "items_per_second"                             ? "items/s"
                           : key == "bytes_per_second"                           ? "B/s"
                           : key.starts_with("bytes") || key.ends_with("_bytes") ? "B"
                                                                                 : "";
  return specs::Metric{key, unit, specs::usual_direction(key, unit)};
}

class Rows {
 public:
  /// An error text, empty if the report was understood.
  std::string take(const json& report) {
    const auto rows = report.find("benchmarks");
    if (rows == report.end() || !rows->is_array()) return "has no array \"benchmarks\"";
    std::set<std::string> measured;
    std::set<std::string> with_median;
    for (const json& row : *rows) {
      if (!row.is_object()) return "has a benchmark that is no object";
      if (!is_aggregate(row)) measured.insert(name_of(row));
      if (text_in(row, "aggregate_name") == "median") with_median.insert(name_of(row));
    }
    for (const json& row : *rows) {
      const std::string name = name_of(row);
      if (!is_usable(name)) return "has a benchmark without a usable name";
      const char* stands_for_all = with_median.contains(name) ? "median" : "mean";
      if (is_aggregate(row) &&
          (measured.contains(name) || text_in(row, "aggregate_name") != stands_for_all)) {
        continue;
      }
      if (std::string wrong = take_row(name, row); !wrong.empty()) return wrong;
    }
    return {};
  }
  [[nodiscard]] std::vector<Series> series() { return series_.take(); }

 private:
  static std::string name_of(const json& row) {
    std::string name = text_in(row, "run_name");
    return name.empty() ? text_in(row, "name") : name;
  }

  static bool is_aggregate(const json& row) { return text_in(row, "run_type") == "aggregate"; }

  std::string take_row(const std::string& name, const json& row) {
    if (is_set(row, "error_occurred")) {
      const std::string said = shortened(text_in(row, "error_message"), 200);
      return fmt::format("says of {} that an error occurred: {}", name,
                         said.empty() ? "no reason given" : said);
    }
    if (is_set(row, "skipped")) return {};
    const auto factor = nanoseconds_of(text_in(row, "time_unit"));
    const auto time = number_in(row, "real_time");
    if (!factor || !time) return fmt::format("has no real_time with a known time_unit for {}", name);
    bool kept = series_.add(name, {}, *time * *factor);
    if (const auto cpu = number_in(row, "cpu_time"))
      kept = kept && series_.add(name, {"cpu_time", "ns"}, *cpu * *factor);
    for (const auto& [key, value] : row.items()) {
      const auto number = number_in(row, key.c_str());
      const auto metric = number ? metric_of(key) : std::nullopt;
      if (metric) kept = kept && series_.add(name, *metric, *number);
    }
    return kept ? "" : "holds more results than can be kept";
  }

  SeriesCollector series_;
};

/// The library takes POSIX extended expressions, in which "]" and "}" must not be escaped.
std::string in_regex(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (std::string_view(R"(.^$*+?()[{|\)").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

ReadSeries read_google_benchmark(std::string_view output, const ResultAdapter::Arguments& /*none*/) {
  Rows rows;
  for (std::size_t at = 0; (at = find_report(output, at)) != std::string_view::npos;) {
    const Cut cut = cut_object(output, at);
    if (cut.text.find("\"benchmarks\"") == std::string::npos) {
      at = cut.end;  // some other program's object
      continue;
    }
    if (!cut.complete) return "Google Benchmark's JSON in the output has no end";
    const json report = json::parse(cut.text, nullptr, false);
    const std::string wrong = report.is_discarded() ? "is not valid" : rows.take(report);
    if (!wrong.empty()) return fmt::format("Google Benchmark's JSON in the output {}", wrong);
    at = cut.end;
  }
  return rows.series();
}

/// The names that --benchmark_list_tests=true prints.
ResultAdapter::ListedNames read_google_list(std::string_view output) {
  std::vector<std::string> names;
  std::string wrong;
  for_each_line(output, [&](std::string_view line, std::size_t number) {
    if (line.empty()) return true;
    if (!is_usable(line)) {
      wrong = fmt::format("line {} of its list of benchmarks is no name", number);
    } else if (names.size() == most_listed) {
      wrong = fmt::format("it lists more than {} benchmarks", most_listed);
    }
    names.emplace_back(line);
    return wrong.empty();
  });
  if (!wrong.empty()) return wrong;
  return names;
}

std::vector<std::string> google_run_arguments(const std::string& benchmark) {
  std::vector<std::string> arguments = {"--benchmark_format=json"};
  if (!benchmark.empty()) arguments.push_back(fmt::format("--benchmark_filter=^{}$", in_regex(benchmark)));
  return arguments;
}

}  // namespace

/// What Google Benchmark writes with --benchmark_format=json: an object with "context" and "benchmarks",
/// alone or somewhere in other text. Several such objects are read one after the other.
///
/// Per benchmark: time and cpu_time in ns, items and bytes per second, and every counter of the program.
/// Repetitions give several values. Aggregates are passed over; where a program printed nothing else, the
/// median, else the mean stands for it. A benchmark that reports an error is an error.
extern const ResultAdapter google_benchmark_adapter = {.name = "google_benchmark",
                                                       .read = read_google_benchmark,
                                                       .protocol = Protocol::google_benchmark,
                                                       .list_argument = "--benchmark_list_tests=true",
                                                       .read_list = read_google_list,
                                                       .run_arguments = google_run_arguments};

}  // namespace tandem::runners
