#include "runners/observer_lines.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace tandem::runners {
namespace {

using nlohmann::json;
constexpr std::size_t longest_identifier = 100;

std::optional<double> number_in(const json& value) {
  double number = 0;
  if (value.is_number()) {
    number = value.get<double>();
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) return std::nullopt;
  } else {
    return std::nullopt;
  }
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// An error text, empty if the value was kept.
std::string keep(SeriesCollector& series, const std::string& type, const std::string& metric,
                 const std::string& unit, double value) {
  const specs::Metric kept{metric, unit, specs::usual_direction(metric, unit)};
  return series.add(type + " " + metric, kept, value) ? "" : "is one too many to be kept";
}

/// An error text, empty if the object was understood.
std::string take_object(const json& object, SeriesCollector& series) {
  if (!object.is_object()) return "is not an object";
  if (object.contains("type") && object.contains("metric")) {
    if (!object.contains("value")) {
      // A summary or table of the program's own; there is no sample in it.
      return object.contains("summary") || object.contains("custom_output") ? "" : "has no \"value\"";
    }
    const auto value = number_in(object["value"]);
    if (!value) return "has a \"value\" that is not a number";
    return keep(series, text_in(object, "type"), text_in(object, "metric"), text_in(object, "unit"), *value);
  }
  if (object.contains("custom_output")) return {};
  for (const auto& [type, metrics] : object.items()) {
    if (!metrics.is_object()) return fmt::format("has \"{}\" that is not an object of metrics", type);
    for (const auto& [metric, entry] : metrics.items()) {
      const auto value =
          entry.is_object() && entry.contains("value") ? number_in(entry["value"]) : number_in(entry);
      if (!value) return fmt::format("has \"{}\" / \"{}\" without a number", type, metric);
      const std::string unit = entry.is_object() ? text_in(entry, "unit") : std::string();
      if (std::string wrong = keep(series, type, metric, unit, *value); !wrong.empty()) return wrong;
    }
  }
  return {};
}

struct Found {
  std::string_view identifier;
  std::string_view object;
};

/// One of the given identifiers, then a space. FAI-PEP's own specs write the space into the identifier.
std::optional<Found> find_given(std::string_view line, const std::vector<std::string>& identifiers) {
  for (const std::string& identifier : identifiers) {
    const std::string_view word =
        std::string_view(identifier).substr(0, identifier.find_last_not_of(' ') + 1);
    const auto at = line.find(std::string(word) + " ");
    if (!word.empty() && at != std::string_view::npos)
      return Found{line.substr(at, word.size()), line.substr(at + word.size() + 1)};
  }
  return std::nullopt;
}

std::optional<Found> find_any(std::string_view line) {
  constexpr std::string_view ending = "Observer {";
  const auto at = line.find(ending);
  if (at == std::string_view::npos) return std::nullopt;
  const auto end = at + ending.size() - 2;
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  auto begin = at;
  while (begin > 0 && end - begin < longest_identifier && is_letter(line[begin - 1])) --begin;
  return Found{line.substr(begin, end - begin), line.substr(end + 1)};
}

}  // namespace

ReadSeries read_observer_lines(std::string_view output, const std::vector<std::string>& identifiers) {
  SeriesCollector series;
  std::string error;
  for_each_line(output, [&](std::string_view line, std::size_t number) {
    const auto found = identifiers.empty() ? find_any(line) : find_given(line, identifiers);
    if (!found) return true;
    const json object = json::parse(found->object, nullptr, false);
    const std::string wrong = object.is_discarded() ? "is not valid JSON" : take_object(object, series);
    if (wrong.empty()) return true;
    error = fmt::format("the object after {} in output line {} {}", found->identifier, number, wrong);
    return false;
  });
  if (!error.empty()) return error;
  return series.take();
}

}  // namespace tandem::runners
