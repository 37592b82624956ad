#include <map>
#include <nlohmann/json.hpp>

#include "specs/benchmark/fields.hpp"

namespace tandem::specs {
namespace {

using Json = nlohmann::ordered_json;
using Type = Shape::Type;

/// Objects that are mentioned, by name, in the order of their names.
using Kinds = std::map<std::string, const ObjectKind*>;

Json json_of(const Shapes& shapes, Kinds& mentioned);

void add_range(const Shape& shape, Json& json) {
  const auto add = [&](const char* key, double value) {
    if (shape.type == Type::whole) {
      json[key] = static_cast<std::int64_t>(value);
    } else {
      json[key] = value;
    }
  };
  if (shape.low != std::numeric_limits<double>::lowest()) add("minimum", shape.low);
  if (shape.high != std::numeric_limits<double>::max()) add("maximum", shape.high);
  if (shape.except) json["not"] = {{"const", *shape.except}};
}

Json text_json(const Shape& shape) {
  if (!shape.choices.empty()) return {{"enum", shape.choices}};
  Json json = {{"type", "string"}};
  if (shape.rule != nullptr) json["pattern"] = shape.rule->pattern;
  if (shape.type == Type::name) {
    json["minLength"] = 1;
    json["not"] = {{"pattern", "[\\x00-\\x1f\\x7f]"}};
  }
  if (shape.type == Type::command) {
    json["pattern"] = "[^ \\t\\r\\n]";
    json["not"] = {{"pattern", "\\x00"}};
  }
  return json;
}

Json list_json(const Shape& shape, Kinds& mentioned) {
  Json json = {{"type", "array"}, {"items", json_of(shape.items, mentioned)}};
  if (shape.least_items > 0) json["minItems"] = shape.least_items;
  if (shape.most_items > 0) json["maxItems"] = shape.most_items;
  return json;
}

Json map_json(const Shape& shape, Kinds& mentioned) {
  Json json = {{"type", "object"}};
  if (shape.key_rule != nullptr) json["propertyNames"] = {{"pattern", shape.key_rule->pattern}};
  json["additionalProperties"] = json_of(shape.items, mentioned);
  return json;
}

Json json_of(const Shape& shape, Kinds& mentioned) {
  Json json = Json::object();
  switch (shape.type) {
    case Type::anything:
      return json;
    case Type::null:
      return {{"type", "null"}};
    case Type::text:
    case Type::name:
    case Type::command:
      return text_json(shape);
    case Type::flag:
      return {{"type", "boolean"}};
    case Type::whole:
    case Type::number:
      json["type"] = shape.type == Type::whole ? "integer" : "number";
      add_range(shape, json);
      return json;
    case Type::scalar:
      return {{"type", {"string", "number", "boolean"}}, {"not", {{"type", "string"}, {"pattern", "\\x00"}}}};
    case Type::list:
      return list_json(shape, mentioned);
    case Type::map:
      return map_json(shape, mentioned);
    case Type::object:
      mentioned.emplace(shape.object().name, &shape.object());
      return {{"$ref", std::string("#/$defs/") + shape.object().name}};
  }
  return json;
}

Json json_of(const Shapes& shapes, Kinds& mentioned) {
  if (shapes.size() == 1) return json_of(shapes.front(), mentioned);
  Json alternatives = Json::array();
  for (const Shape& shape : shapes) alternatives.push_back(json_of(shape, mentioned));
  return {{"anyOf", std::move(alternatives)}};
}

Json json_of(const Field& field, Kinds& mentioned) {
  Json json = {{"description", field.description}};
  if (field.effect == Effect::none || field.effect == Effect::phone) json["deprecated"] = true;
  json.update(json_of(field.shapes, mentioned));
  return json;
}

/// No two keys of a group.
Json exclusive_json(const std::vector<Keys>& groups) {
  Json pairs = Json::array();
  for (const Keys& group : groups) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (std::size_t k = i + 1; k < group.size(); ++k)
        pairs.push_back({{"required", {group[i], group[k]}}});
    }
  }
  return {{"anyOf", std::move(pairs)}};
}

Json json_of(const ObjectKind& kind, Kinds& mentioned) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Field& field : kind.fields) {
    properties[std::string(field.name)] = json_of(field, mentioned);
    if (field.need == Need::required) required.push_back(field.name);
  }
  Json json = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) json["required"] = std::move(required);
  if (kind.others == OtherKeys::refused) json["additionalProperties"] = false;
  if (!kind.exclusive.empty()) json["not"] = exclusive_json(kind.exclusive);
  return json;
}

}  // namespace

std::string benchmark_schema() {
  Kinds mentioned = {{suite_kind().name, &suite_kind()}, {benchmark_kind().name, &benchmark_kind()}};
  std::map<std::string, Json> written;
  while (written.size() < mentioned.size()) {
    const Kinds known = mentioned;
    for (const auto& [name, kind] : known) {
      if (!written.contains(name)) written.emplace(name, json_of(*kind, mentioned));
    }
  }
  Json definitions = Json::object();
  for (auto& [name, json] : written) definitions[name] = std::move(json);
  const Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"title", "A benchmark file or a suite of Tandem"},
                       {"type", "object"},
                       {"if", {{"required", {"benchmarks"}}}},
                       {"then", {{"$ref", "#/$defs/suite"}}},
                       {"else", {{"$ref", "#/$defs/benchmark"}}},
                       {"$defs", std::move(definitions)}};
  return schema.dump(2) + "\n";
}

}  // namespace tandem::specs
