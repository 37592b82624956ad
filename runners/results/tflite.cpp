#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "runners/results/adapter.hpp"
#include "specs/foundation/numbers.hpp"

namespace tandem::runners {
namespace {

using TableWords = std::vector<std::string_view>;
constexpr std::string_view blank_characters = " \t";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// A number at the begin of a text, which may go on: "1234(all same)".
std::optional<double> leading_number(std::string_view text) {
  double number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc{} && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

/// A word of a table's row: a number, or a share with its sign.
std::optional<double> cell(std::string_view word) {
  if (word.ends_with('%')) word.remove_suffix(1);
  return number_from<double>(word);
}

TableWords words_of(std::string_view line) {
  TableWords words;
  for (std::size_t at = 0; (at = line.find_first_not_of(blank_characters, at)) != std::string_view::npos;) {
    const auto end = std::min(line.find_first_of(blank_characters, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

/// From the first of some words of a line to the last.
std::string_view between(const TableWords& words, std::size_t first, std::size_t after_last) {
  if (first >= after_last) return {};
  const char* const begin = words[first].data();
  const std::string_view last = words[after_last - 1];
  return {begin, static_cast<std::size_t>(last.data() + last.size() - begin)};
}

/// The number after a label such as "Inference (avg):".
std::optional<double> number_after(std::string_view line, std::string_view label) {
  const auto at = line.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + label.size());
  line.remove_prefix(std::min(line.find_first_not_of(blank_characters), line.size()));
  return leading_number(line);
}

/// How benchmark_model names its statistics, and how FAI-PEP does.
constexpr std::array<std::pair<std::string_view, const char*>, 8> statistics = {{{"count", "num_runs"},
                                                                                 {"min", "p0"},
                                                                                 {"max", "p100"},
                                                                                 {"avg", "mean"},
                                                                                 {"std", "stdev"},
                                                                                 {"p5", "p5"},
                                                                                 {"median", "p50"},
                                                                                 {"p95", "p95"}}};

/// "count=50 first=… curr=… min=… max=… avg=… std=…", or with one run or equal ones just "count=1 curr=…".
struct Runs {
  double value = 0;
  std::map<std::string, double> summary;
};

class Reader {
 public:
  ReadSeries read(std::string_view output) {
    std::string error;
    for_each_line(output, [&](std::string_view line, std::size_t number) {
      const std::string wrong = take(line);
      if (!wrong.empty()) error = fmt::format("benchmark_model's text in output line {} {}", number, wrong);
      return wrong.empty();
    });
    if (error.empty()) error = finish_runs();
    if (!error.empty()) return error;
    return series_.take();
  }

 private:
  enum class Table { none, operators, kinds, passed_over };

  std::string take(std::string_view line) {
    if (contains(line, "Running benchmark for")) {
      // The first are the warm-up; whichever comes last before the timings counts.
      runs_.reset();
      awaits_runs_ = true;
      begin_section(true);
      return {};
    }
    if (awaits_runs_ && contains(line, "count=")) return take_runs(line.substr(line.find("count=")));
    if (contains(line, "nference timings in us:")) return take_timings(line);
    if (contains(line, "Profiling Info for")) {
      begin_section(!contains(line, "Initialization"));
      return {};
    }
    if (contains(line, "[node type]") || contains(line, "[Node type]")) return begin_table(line);
    return table_ == Table::none ? std::string() : take_row(line);
  }

  std::string take_runs(std::string_view line) {
    awaits_runs_ = false;
    std::map<std::string_view, double> found;
    for (const std::string_view word : words_of(line)) {
      const auto equals = word.find('=');
      const auto number =
          equals == std::string_view::npos ? std::nullopt : leading_number(word.substr(equals + 1));
      if (number) found[word.substr(0, equals)] = *number;
    }
    if (const auto count = found.find("count"); count != found.end() && count->second == 0) return {};
    const auto value = found.contains("avg") ? found.find("avg") : found.find("curr");
    if (value == found.end() || !found.contains("count")) return "has neither an average nor a single value";
    runs_ = Runs{value->second, {}};
    for (const auto& [theirs, ours] : statistics) {
      if (const auto one = found.find(theirs); one != found.end()) runs_->summary[ours] = one->second;
    }
    if (!found.contains("avg"))
      for (const char* same : {"mean", "p0", "p100"}) runs_->summary[same] = value->second;
    return {};
  }

  /// The end of one run of the program: of 2018 "Average inference timings in us: Warmup: …, Init: …, no
  /// stats: …".
  std::string take_timings(std::string_view line) {
    if (!runs_) {
      auto average = number_after(line, "Inference (avg):");
      if (!average) average = number_after(line, "no stats:");
      if (!average) return "has no average of the inference";
      runs_ = Runs{*average, {}};
    }
    return finish_runs();
  }

  std::string finish_runs() {
    if (!runs_) return {};
    bool kept = series_.add("NET latency", latency, runs_->value);
    for (const auto& [name, value] : runs_->summary)
      kept = kept && series_.add_statistic("NET latency", latency, name, value);
    runs_.reset();
    return kept ? "" : too_much;
  }

  void begin_section(bool regular) {
    regular_ = regular;
    table_ = Table::none;
    has_operators_ = has_kinds_ = false;
    names_ = {{"NET", 1}};
  }

  /// Of two tables with one header the second has the same rows in another order.
  std::string begin_table(std::string_view line) {
    const bool kinds = contains(line, "[Node type]");
    bool& has = kinds ? has_kinds_ : has_operators_;
    // Of 2018, without a headline: what is profiled are the regular runs.
    table_ = !regular_ || has ? Table::passed_over : kinds ? Table::kinds : Table::operators;
    has = true;
    average_ = columns_ = 0;
    for (std::size_t at = 0; (at = line.find('[', at)) != std::string_view::npos; ++at) {
      const std::string_view column = line.substr(at + 1, std::min(line.find(']', at), line.size()) - at - 1);
      if (column == "avg ms") average_ = columns_;
      if (column != "Name") ++columns_;
    }
    return average_ > 0 || table_ == Table::passed_over ? "" : "is a table without averages";
  }

  std::string take_row(std::string_view line) {
    if (line.find_first_not_of(blank_characters) == std::string_view::npos ||
        blank_characters.find(line[0]) == blank_characters.npos) {
      table_ = Table::none;
      return {};
    }
    if (table_ == Table::passed_over) return {};
    const TableWords words = words_of(line);
    // Kinds and names may hold blanks: the numbers between them are found as so many in a row.
    const std::size_t numbers = columns_ - 1;
    for (std::size_t first = 1; first + numbers <= words.size(); ++first) {
      std::vector<double> row;
      while (row.size() < numbers) {
        const auto number = cell(words[first + row.size()]);
        if (!number) break;
        row.push_back(*number);
      }
      if (row.size() < numbers) continue;
      const auto name =
          table_ == Table::kinds ? between(words, 0, first) : between(words, first + numbers, words.size());
      return keep_latency(name.empty() ? between(words, 0, first) : name, row[average_ - 1] * 1000);
    }
    return "does not fit the table above it";
  }

  /// "[conv/Relu]:3" is called conv/Relu.
  std::string keep_latency(std::string_view name, double us) {
    if (const auto end = name.rfind(']'); name.starts_with('[') && end != std::string_view::npos && end > 1)
      name = name.substr(1, end - 1);
    std::string own(name);
    if (const std::size_t before = names_[own]++; before > 0) own += fmt::format(" #{}", before + 1);
    return series_.add(own + " latency", latency, us) ? "" : too_much;
  }

  static constexpr const char* too_much = "is one result too many to be kept";
  const specs::Metric latency{"latency", "us"};

  SeriesCollector series_;
  bool awaits_runs_ = false;
  std::optional<Runs> runs_;
  Table table_ = Table::none;
  bool regular_ = true;
  bool has_operators_ = false;
  bool has_kinds_ = false;
  std::size_t columns_ = 0;  ///< with the first, without the name
  std::size_t average_ = 0;
  std::map<std::string, std::size_t> names_;
};

ReadSeries read_tflite(std::string_view output, const ResultAdapter::Arguments& /*none*/) {
  return Reader().read(output);
}

}  // namespace

/// The text of TensorFlow Lite's benchmark_model, of 2018 and of today.
///
/// "NET latency" in us is the average of the regular runs, with the program's own statistics as remarks (p0,
/// p100, mean, stdev, num_runs, and its percentiles where it prints some); warm-up, initialisation and first
/// inference are no results. Where operators are profiled, each operator of the regular runs and each kind of
/// them has a latency in us; operators of one name are told apart as "name #2". A program that reports
/// several such runs gives several values. A line of figures or a row of a table that does not fit is an
/// error; other text is passed over.
extern const ResultAdapter tflite_adapter = {.name = "tflite", .read = read_tflite};

}  // namespace tandem::runners
