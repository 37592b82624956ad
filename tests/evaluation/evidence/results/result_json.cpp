#include "evaluation/evidence/results/result_json.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* mark = "tandem_evidence";  ///< its number is that of the form

constexpr std::array kinds = {std::pair{Plot::Kind::curves, "curves"}, std::pair{Plot::Kind::bars, "bars"}};
constexpr std::array scales = {std::pair{Plot::Scale::linear, "linear"},
                               std::pair{Plot::Scale::logarithmic, "logarithmic"}};
constexpr std::array answers = {std::pair{Goal::Met::yes, "yes"}, std::pair{Goal::Met::no, "no"},
                                std::pair{Goal::Met::unknown, "unknown"}};

template <class Table, class Value>
std::string word_of(const Table& table, Value value) {
  for (const auto& [known, word] : table) {
    if (known == value) return word;
  }
  throw Error("a result with a value that has no word");
}

template <class Table, class Value>
void read_word(const Table& table, const json& from, Value& value) {
  const auto text = from.get<std::string>();
  for (const auto& [known, word] : table) {
    if (text != word) continue;
    value = known;
    return;
  }
  throw Error(fmt::format("\"{}\" is no word of a result", text));
}

double finite(double value) {
  if (!std::isfinite(value)) throw Error("a result with a number that is not finite");
  return value;
}

}  // namespace

// nlohmann finds these by their names; it would not in a namespace without one.

void to_json(ordered_json& json, const Point& point) {
  json = {{"x", finite(point.x)}, {"y", finite(point.y)}};
  if (point.low) json["low"] = finite(*point.low);
  if (point.high) json["high"] = finite(*point.high);
}

void from_json(const json& json, Point& point) {
  json.at("x").get_to(point.x);
  json.at("y").get_to(point.y);
  if (json.contains("low")) point.low = json.at("low").get<double>();
  if (json.contains("high")) point.high = json.at("high").get<double>();
}

void to_json(ordered_json& json, const Series& series) {
  json = {{"name", series.name}, {"points", series.points}};
}

void from_json(const json& json, Series& series) {
  json.at("name").get_to(series.name);
  json.at("points").get_to(series.points);
}

void to_json(ordered_json& json, const Plot::Line& line) {
  json = {{"y", finite(line.y)}, {"text", line.text}};
}

void from_json(const json& json, Plot::Line& line) {
  json.at("y").get_to(line.y);
  json.at("text").get_to(line.text);
}

void to_json(ordered_json& json, const Plot& plot) {
  json = {{"name", plot.name},
          {"title", plot.title},
          {"x_label", plot.x_label},
          {"y_label", plot.y_label},
          {"kind", word_of(kinds, plot.kind)},
          {"places", plot.places},
          {"x_scale", word_of(scales, plot.x_scale)},
          {"y_scale", word_of(scales, plot.y_scale)},
          {"series", plot.series},
          {"lines", plot.lines}};
}

void from_json(const json& json, Plot& plot) {
  json.at("name").get_to(plot.name);
  json.at("title").get_to(plot.title);
  json.at("x_label").get_to(plot.x_label);
  json.at("y_label").get_to(plot.y_label);
  read_word(kinds, json.at("kind"), plot.kind);
  json.at("places").get_to(plot.places);
  read_word(scales, json.at("x_scale"), plot.x_scale);
  read_word(scales, json.at("y_scale"), plot.y_scale);
  json.at("series").get_to(plot.series);
  json.at("lines").get_to(plot.lines);
}

void to_json(ordered_json& json, const Table& table) {
  json = {{"title", table.title}, {"columns", table.columns}, {"rows", table.rows}, {"below", table.below}};
}

void from_json(const json& json, Table& table) {
  json.at("title").get_to(table.title);
  json.at("columns").get_to(table.columns);
  json.at("rows").get_to(table.rows);
  json.at("below").get_to(table.below);
}

void to_json(ordered_json& json, const Goal& goal) {
  json = {{"source", goal.source},
          {"what", goal.what},
          {"target", goal.target},
          {"measured", goal.measured},
          {"met", word_of(answers, goal.met)},
          {"why", goal.why}};
}

void from_json(const json& json, Goal& goal) {
  json.at("source").get_to(goal.source);
  json.at("what").get_to(goal.what);
  json.at("target").get_to(goal.target);
  json.at("measured").get_to(goal.measured);
  read_word(answers, json.at("met"), goal.met);
  json.at("why").get_to(goal.why);
}

void to_json(ordered_json& json, const PartResult& result) {
  for (const auto& [name, value] : result.figures) finite(value);
  json = {{mark, 1},
          {"part", result.part},
          {"title", result.title},
          {"says", result.says},
          {"command", result.command},
          {"seed", result.seed},
          {"at", result.at},
          {"seconds", finite(result.seconds)},
          {"host", result.host},
          {"goals", result.goals},
          {"tables", result.tables},
          {"plots", result.plots},
          {"notes", result.notes},
          {"figures", result.figures}};
}

void from_json(const json& json, PartResult& result) {
  json.at("part").get_to(result.part);
  json.at("title").get_to(result.title);
  json.at("says").get_to(result.says);
  json.at("command").get_to(result.command);
  json.at("seed").get_to(result.seed);
  json.at("at").get_to(result.at);
  json.at("seconds").get_to(result.seconds);
  json.at("host").get_to(result.host);
  json.at("goals").get_to(result.goals);
  json.at("tables").get_to(result.tables);
  json.at("plots").get_to(result.plots);
  json.at("notes").get_to(result.notes);
  json.at("figures").get_to(result.figures);
}

std::string json_of(const PartResult& result) {
  return ordered_json(result).dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::optional<PartResult> result_in_json(std::string_view text) {
  try {
    const json all = json::parse(text);
    if (!all.is_object() || !all.contains(mark) || all.at(mark) != 1) return std::nullopt;
    return all.get<PartResult>();
  } catch (const json::exception& error) {
    throw Error(error.what());
  }
}

}  // namespace tandem::evaluation
