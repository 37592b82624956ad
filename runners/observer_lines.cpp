#include "runners/observer_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace tandem::runners {
namespace {

using nlohmann::json;

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

/// Rates are better when higher; everything else that programs print here is a cost.
specs::Direction direction_of(std::string_view metric, std::string_view unit) {
  constexpr std::array<std::string_view, 5> rates = {"throughput", "flops", "fps", "qps", "accuracy"};
  const bool rate =
      unit.ends_with("/s") || std::any_of(rates.begin(), rates.end(), [&](std::string_view word) {
        return metric.find(word) != std::string_view::npos;
      });
  return rate ? specs::Direction::higher_is_better : specs::Direction::lower_is_better;
}

class Series {
 public:
  void add(const std::string& type, const std::string& metric, const std::string& unit, double value) {
    const std::string key = type + " " + metric;
    const auto found =
        std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.key == key; });
    ObservedSeries& series =
        found != all_.end()
            ? *found
            : all_.emplace_back(ObservedSeries{key, {metric, unit, direction_of(metric, unit)}, {}});
    series.values.push_back(value);
  }
  [[nodiscard]] std::vector<ObservedSeries> take() { return std::move(all_); }

 private:
  std::vector<ObservedSeries> all_;
};

/// An error text, empty if the object was understood.
std::string take_object(const json& object, Series& series) {
  if (!object.is_object()) return "is not an object";
  if (object.contains("type") && object.contains("metric")) {
    if (!object.contains("value")) {
      // A summary or table of the program's own; there is no sample in it.
      return object.contains("summary") || object.contains("custom_output") ? "" : "has no \"value\"";
    }
    const auto value = number_in(object["value"]);
    if (!value) return "has a \"value\" that is not a number";
    series.add(text_in(object, "type"), text_in(object, "metric"), text_in(object, "unit"), *value);
    return {};
  }
  if (object.contains("custom_output")) return {};
  for (const auto& [type, metrics] : object.items()) {
    if (!metrics.is_object()) return fmt::format("has \"{}\" that is not an object of metrics", type);
    for (const auto& [metric, entry] : metrics.items()) {
      const auto value =
          entry.is_object() && entry.contains("value") ? number_in(entry["value"]) : number_in(entry);
      if (!value) return fmt::format("has \"{}\" / \"{}\" without a number", type, metric);
      series.add(type, metric, entry.is_object() ? text_in(entry, "unit") : std::string(), *value);
    }
  }
  return {};
}

}  // namespace

std::variant<std::vector<ObservedSeries>, std::string> read_observer_lines(
    std::string_view output, const std::vector<std::string>& identifiers) {
  Series series;
  for (std::size_t line_number = 1; !output.empty(); ++line_number) {
    const auto end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    for (const std::string& identifier : identifiers) {
      const auto at = line.find(identifier + " ");
      if (at == std::string_view::npos) continue;
      const std::string_view text = line.substr(at + identifier.size() + 1);
      const json object = json::parse(text, nullptr, false);
      const std::string wrong = object.is_discarded() ? "is not valid JSON" : take_object(object, series);
      if (!wrong.empty()) {
        return fmt::format("the object after {} in output line {} {}", identifier, line_number, wrong);
      }
      break;
    }
  }
  return series.take();
}

}  // namespace tandem::runners
