#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "runners/results/adapter.hpp"
#include "specs/foundation/numbers.hpp"

namespace tandem::runners {
namespace {

using nlohmann::json;
constexpr std::size_t longest_identifier = 100;

std::optional<double> finite_number(const json& value) {
  if (value.is_string()) return number_from<double>(value.get_ref<const std::string&>());
  const double number = value.is_number() ? value.get<double>() : NAN;
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::string text_member(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// One benchmark's part of an object: its value and what is said about it. An error text, empty if all of it
/// was understood.
class Entry {
 public:
  Entry(SeriesCollector& series, const std::string& type, const std::string& metric, const json& entry)
      : series_(series), entry_(entry), name_(type + " " + metric) {
    const std::string unit = entry.is_object() ? text_member(entry, "unit") : std::string();
    metric_ = {metric, unit, specs::usual_direction(metric, unit)};
  }

  std::string take() {
    if (!entry_.is_object()) return keep_value(entry_);
    bool something = false;
    for (const auto& [key, part] : {std::pair{"value", &Entry::keep_value},
                                    {"info_string", &Entry::keep_info},
                                    {"summary", &Entry::keep_summary},
                                    {"num_runs", &Entry::keep_runs}}) {
      const auto found = entry_.find(key);
      if (found == entry_.end()) continue;
      something = true;
      if (std::string wrong = (this->*part)(*found); !wrong.empty()) return wrong;
    }
    return something ? "" : "has no \"value\"";
  }

 private:
  static std::string unless(bool kept) { return kept ? "" : "is one too many to be kept"; }

  std::string keep_value(const json& value) {
    const auto number = finite_number(value);
    if (!number) return "has a \"value\" that is not a number";
    return unless(series_.add(name_, metric_, *number));
  }

  std::string keep_info(const json& info) {
    return unless(series_.add_info(name_, metric_, info.is_string() ? info.get<std::string>() : info.dump()));
  }

  std::string keep_runs(const json& runs) {
    const auto number = finite_number(runs);
    if (!number) return "has \"num_runs\" that is not a number";
    return unless(series_.add_statistic(name_, metric_, "num_runs", *number));
  }

  std::string keep_summary(const json& summary) {
    if (!summary.is_object()) return "has a \"summary\" that is not an object";
    for (const auto& [statistic, value] : summary.items()) {
      if (value.is_null()) continue;  // FAI-PEP's cv of a mean of 0
      const auto number = finite_number(value);
      if (!number) return fmt::format("has \"{}\" in its \"summary\" that is not a number", statistic);
      if (!series_.add_statistic(name_, metric_, statistic, *number)) return unless(false);
    }
    for (const char* stands_for_all : {"mean", "p50"}) {
      const auto found = summary.find(stands_for_all);
      const auto number = found == summary.end() ? std::nullopt : finite_number(*found);
      if (number) return unless(series_.add_instead(name_, metric_, *number));
    }
    return {};
  }

  SeriesCollector& series_;
  const json& entry_;
  std::string name_;
  specs::Metric metric_;
};

bool is_new_form(const json& object) {
  return object.contains("type") && object.contains("metric");
}

/// An error text, empty if the object was understood.
std::string take_object(const json& object, SeriesCollector& series) {
  if (!object.is_object()) return "is not an object";
  if (const auto table = object.find("custom_output"); table != object.end()) {
    json kept = {{"custom_output", *table}};
    if (object.contains("table_name")) kept["table_name"] = object["table_name"];
    if (!series.add_table(kept.dump())) return "is one too many to be kept";
    if (!object.contains("value")) return {};
  }
  if (is_new_form(object))
    return Entry(series, text_member(object, "type"), text_member(object, "metric"), object).take();
  for (const auto& [type, metrics] : object.items()) {
    if (!metrics.is_object()) return fmt::format("has \"{}\" that is not an object of metrics", type);
    for (const auto& [metric, entry] : metrics.items()) {
      if (std::string wrong = Entry(series, type, metric, entry).take(); !wrong.empty())
        return fmt::format("has \"{}\" / \"{}\" that {}", type, metric, wrong);
    }
  }
  return {};
}

/// Whether an object without an identifier is a result: of the new form, a table, or of the old form with a
/// net or with nothing but metrics.
bool is_result(const json& object) {
  if (!object.is_object() || object.empty()) return false;
  if (is_new_form(object) || object.contains("custom_output") || object.contains("NET")) return true;
  return std::all_of(object.begin(), object.end(), [](const json& metrics) {
    return metrics.is_object() && !metrics.empty() &&
           std::all_of(metrics.begin(), metrics.end(), [](const json& entry) {
             return entry.is_object() && (entry.contains("value") || entry.contains("info_string"));
           });
  });
}

struct Found {
  std::string_view identifier;
  std::string_view object;
};

/// From the object's first brace to the line's last: other words may follow.
std::string_view up_to_last_brace(std::string_view text) {
  const auto last = text.rfind('}');
  return text.starts_with('{') && last != std::string_view::npos ? text.substr(0, last + 1) : text;
}

/// The identifier, then a space or the object. FAI-PEP's own specs write the space into the identifier.
std::optional<Found> find_given(std::string_view line, std::string_view identifier) {
  const std::string_view word = identifier.substr(0, identifier.find_last_not_of(' ') + 1);
  const auto at = word.empty() ? std::string_view::npos : line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + word.size());
  if (!rest.starts_with(' ') && !rest.starts_with('{')) return std::nullopt;
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return Found{line.substr(at, word.size()), up_to_last_brace(rest)};
}

std::optional<Found> find_any(std::string_view line) {
  constexpr std::string_view ending = "Observer {";
  const auto at = line.find(ending);
  if (at == std::string_view::npos) return std::nullopt;
  const auto end = at + ending.size() - 2;
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  auto begin = at;
  while (begin > 0 && end - begin < longest_identifier && is_letter(line[begin - 1])) --begin;
  return Found{line.substr(begin, end - begin), up_to_last_brace(line.substr(end + 1))};
}

/// Reads the objects that `look` finds: it gives an error text for a line, empty if nothing in it is wrong.
template <class Look>
ReadSeries read_lines(std::string_view output, Look&& look) {
  SeriesCollector series;
  std::string error;
  for_each_line(output, [&](std::string_view line, std::size_t number) {
    error = look(line, number, series);
    return error.empty();
  });
  if (!error.empty()) return error;
  return series.take();
}

std::string identifier_in(const ResultAdapter::Arguments& arguments) {
  const auto found = arguments.find("identifier");
  return found == arguments.end() ? std::string() : found->second;
}

ReadSeries read_observer_lines(std::string_view output, const ResultAdapter::Arguments& arguments) {
  const std::string identifier = identifier_in(arguments);
  return read_lines(output, [&](std::string_view line, std::size_t number, SeriesCollector& series) {
    const auto found = identifier.empty() ? find_any(line) : find_given(line, identifier);
    if (!found) return std::string();
    const json object = json::parse(found->object, nullptr, false);
    const std::string wrong = object.is_discarded() ? "is not valid JSON" : take_object(object, series);
    if (wrong.empty()) return std::string();
    return fmt::format("the object after {} in output line {} {}", found->identifier, number, wrong);
  });
}

ReadSeries read_json_lines(std::string_view output, const ResultAdapter::Arguments& /*none*/) {
  return read_lines(output, [&](std::string_view line, std::size_t number, SeriesCollector& series) {
    const auto begin = line.find('{');
    if (begin == std::string_view::npos) return std::string();
    const std::string_view text = up_to_last_brace(line.substr(begin));
    const json object = json::parse(text, nullptr, false);
    std::string wrong;
    if (!object.is_discarded()) {
      if (is_result(object)) wrong = take_object(object, series);
    } else if (text.find("\"type\"") != text.npos && text.find("\"metric\"") != text.npos) {
      wrong = "is not valid JSON";
    }
    return wrong.empty() ? wrong : fmt::format("the object in output line {} {}", number, wrong);
  });
}

/// FAI-PEP's: without an identifier it looks at every line.
ReadSeries read_identified_lines(std::string_view output, const ResultAdapter::Arguments& arguments) {
  return identifier_in(arguments).empty() ? read_json_lines(output, arguments)
                                          : read_observer_lines(output, arguments);
}

}  // namespace

/// FAI-PEP observer lines: "PyTorchObserver {…}", "Caffe2Observer {…}". The argument "identifier" names the
/// word; without it, any word that ends in "Observer" right before " {" is one.
///
/// New form: {"type":"NET","metric":"latency","unit":"us","value":"12.5"}; old form: one object per
/// iteration, {"NET":{"latency":{"value":…,"unit":…}},…}. The benchmark is "NET latency". Beside or instead
/// of the value there may be an "info_string", a "summary" of numbers and "num_runs", which become remarks;
/// where a benchmark has no values, the mean or p50 of its summaries are. {"custom_output":…} is a table.
/// Other text is passed over. A line with an identifier whose object cannot be read is an error, because a
/// silently dropped value would be a wrong result.
extern const ResultAdapter observer_adapter = {
    .name = "observer", .read = read_observer_lines, .protocol = Protocol::observer, .observer_lines = true};

/// The same objects in lines without an identifier: from the first "{" of a line to its last "}". What is no
/// such object is passed over, unless it names a type and a metric as results do.
extern const ResultAdapter json_adapter = {
    .name = "json_converter", .read = read_json_lines, .observer_lines = true};
extern const ResultAdapter json_with_identifier_adapter = {
    .name = "json_with_identifier_converter", .read = read_identified_lines, .observer_lines = true};

}  // namespace tandem::runners
