#include "specs/variants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/nearest.hpp"
#include "specs/placeholders.hpp"

namespace tandem::specs {
namespace {

/// How many shapes each input has; 1 without inputs.
std::size_t shapes_of(const Node& inputs) {
  std::size_t count = 0;
  std::string first;
  for (const Member& input : inputs.members()) {
    const Node shapes = input.value.at("shapes");
    const std::size_t size = shapes.items().size();
    if (count == 0) first = input.key;
    if (count != 0 && size != count) {
      shapes.fail(fmt::format("holds {} shapes and input {} holds {}; write as many for each input", size,
                              in_quotes(first), count));
    }
    count = size;
  }
  return std::max<std::size_t>(count, 1);
}

/// "/1x3x224x224", of several inputs "/1x3,1x1".
std::string shape_suffix(const Node& inputs, std::size_t shape) {
  std::string text;
  for (const Member& input : inputs.members()) {
    const std::string sizes = shape_text(input.value.at("shapes").items().at(shape), "x");
    text += (text.empty() ? "/" : ",") + (sizes.empty() ? "scalar" : sizes);
  }
  return text;
}

std::vector<std::string> values_of(const Member& parameter) {
  const Keys fields = names_of(test_kind());
  if (is_reserved_placeholder(parameter.key) ||
      std::find(fields.begin(), fields.end(), parameter.key) != fields.end()) {
    parameter.value.fail(fmt::format("{{{}}} has a meaning of its own; choose another name", parameter.key));
  }
  std::vector<std::string> values;
  for (const Node& item : parameter.value.items()) {
    std::string value = item.scalar_text();
    if (std::find(values.begin(), values.end(), value) != values.end())
      item.fail("stands here twice; remove one");
    values.push_back(std::move(value));
  }
  return values;
}

bool mentions(const std::string& identifier, const std::string& name) {
  return identifier.find("{" + name) != std::string::npos;
}

}  // namespace

std::vector<Variant> variants_of(const CheckedObject& test, std::size_t most) {
  const auto inputs = test.find("inputs");
  const auto parameters = test.find("parameters");
  const auto identifier_node = test.find("identifier");
  const std::string identifier = identifier_node ? identifier_node->as_string() : "";
  const bool counted = mentions(identifier, "ID}");
  const auto bound = [&](const Node& node, std::size_t count) {
    if (count > most) node.fail(fmt::format("makes more than {} benchmarks; write fewer", most));
  };

  std::vector<Variant> variants(inputs ? shapes_of(*inputs) : 1);
  if (inputs) bound(*inputs, variants.size());
  for (std::size_t shape = 0; shape < variants.size(); ++shape) {
    variants[shape].shape = shape;
    if (variants.size() > 1 && !counted && !mentions(identifier, "inputs"))
      variants[shape].suffix = shape_suffix(*inputs, shape);
  }
  for (const Member& parameter : parameters ? parameters->members() : std::vector<Member>{}) {
    bound(parameter.value, variants.size() * parameter.value.items().size());
    const std::vector<std::string> values = values_of(parameter);
    std::vector<Variant> product;
    for (const Variant& variant : variants) {
      for (const std::string& value : values) {
        Variant& next = product.emplace_back(variant);
        next.parameters[parameter.key] = value;
        if (!counted && !mentions(identifier, parameter.key + "}"))
          next.suffix += fmt::format("/{0}:{{{0}}}", parameter.key);
      }
    }
    variants = std::move(product);
  }
  return variants;
}

}  // namespace tandem::specs
