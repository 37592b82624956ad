#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "specs/benchmark/readers.hpp"

namespace tandem::specs {

MergedValue::MergedValue(std::vector<Node> layers) : layers_(std::move(layers)) {
  // A value of another kind below cannot be merged, so the stronger one stands alone.
  std::erase_if(layers_, [kind = layers_.front().kind()](const Node& node) { return node.kind() != kind; });
}

std::optional<MergedValue> MergedValue::find(std::string_view key) const {
  std::vector<Node> found;
  for (const Node& layer : layers_) {
    if (auto node = layer.find(key)) found.push_back(std::move(*node));
  }
  if (found.empty()) return std::nullopt;
  return MergedValue(std::move(found));
}

std::vector<std::pair<std::string, MergedValue>> MergedValue::members() const {
  std::vector<std::pair<std::string, MergedValue>> merged;
  std::unordered_map<std::string, std::size_t> seen;
  for (const Node& layer : layers_) {
    for (const Member& member : layer.members()) {
      if (!seen.try_emplace(member.key, merged.size()).second) continue;
      merged.emplace_back(member.key, *find(member.key));
    }
  }
  return merged;
}

std::vector<Node> MergedValue::items() const {
  std::vector<Node> all;
  for (const Node& layer : layers_) {
    for (Node& item : layer.items()) all.push_back(std::move(item));
  }
  return all;
}

std::optional<MergedValue> MergedModel::find(std::string_view key) const {
  std::vector<Node> found;
  if (auto node = model_.find(key)) found.push_back(std::move(*node));
  if (meta_) {
    if (auto node = meta_->find(key)) found.push_back(std::move(*node));
  }
  if (found.empty()) return std::nullopt;
  return MergedValue(std::move(found));
}

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

namespace {

// A short file can ask for any number of benchmarks, each with all files of its model.
constexpr std::size_t most_benchmarks = 10'000;
constexpr std::size_t most_bytes = std::size_t{32} << 20;  // of all benchmarks together

std::size_t bytes_of(const std::vector<HostCommand>& commands) {
  std::size_t sum = 0;
  for (const HostCommand& command : commands) sum += sizeof(command) + command.text.size();
  return sum;
}

std::size_t bytes_of(const std::vector<FileSpec>& files) {
  std::size_t sum = 0;
  for (const FileSpec& file : files) sum += sizeof(file) + file.key.size() + file.location.size();
  return sum;
}

std::size_t bytes_of(const BenchmarkSpec& spec) {
  std::size_t sum = sizeof(spec) + bytes_of(spec.model_before) + bytes_of(spec.before) +
                    bytes_of(spec.after) + bytes_of(spec.model_after) + bytes_of(spec.files) +
                    bytes_of(spec.libraries) + spec.cpus.size() * sizeof(int);
  for (const std::string& command : spec.commands) sum += command.size();
  for (const auto& [name, value] : spec.env) sum += name.size() + value.size();
  for (const std::string& tag : spec.tags) sum += tag.size();
  return sum;
}

/// Power is a metric of phones; what the program prints is still its result.
void note_power(const CheckedObject& test, LoadedSpecs& specs) {
  const auto metric = test.find("metric");
  if (!metric || metric->as_string() != "power") return;
  add_notice(specs.ignored,
             metric->problem("is not measured: Android and iOS are out of scope; the program's own results "
                             "are kept under this name"));
}

void note_retry(const CheckedObject& test, LoadedSpecs& specs) {
  const auto args = test.find("platform_args");
  const auto retry = args ? args->find("retry") : std::nullopt;
  if (!retry) return;
  add_notice(specs.ignored, retry->problem("is accepted and has no effect: a measured program that fails "
                                           "is not started again in its place"));
}

/// All benchmarks of one test. `id` counts those of the file.
void read_variants(const Node& node, const MergedModel& model, const SpecOptions& options, std::size_t& id,
                   Problems& problems, SpecsSoFar& so_far) {
  LoadedSpecs& specs = so_far.specs;
  const CheckedObject test(node, test_kind(), problems, specs.ignored);
  note_power(test, specs);
  note_retry(test, specs);
  const auto& meta = model.meta();
  PlaceholderScope scope{node,
                         model.model().node(),
                         meta ? std::optional(meta->node()) : std::nullopt,
                         test.find("inputs"),
                         id,
                         0,
                         {},
                         options.string_map,
                         options.programs};
  for (Variant& variant : variants_of(test, most_benchmarks - specs.benchmarks.size())) {
    if (so_far.bytes > most_bytes) {
      node.fail(fmt::format("is past {} bytes of benchmarks; split the suite", most_bytes));
    }
    scope.id = id++;
    scope.shape = variant.shape;
    scope.parameters = std::move(variant.parameters);
    Problems found(Problems::Mode::collect);
    BenchmarkSpec spec = read_test({test, model, scope, options}, variant.suffix, found);
    for (const Problem& problem : found.found()) problems.add(problem);
    so_far.bytes += bytes_of(spec);
    specs.benchmarks.push_back(std::move(spec));
    if (!found.empty()) return;  // the other variants have the same
  }
}

void expect_framework(const MergedModel& model, const SpecOptions& options, Problems& problems) {
  const auto framework = model.find("framework");
  if (!framework || options.framework.empty()) return;
  const Node& node = framework->node();
  if (node.as_string() == options.framework) return;
  problems.add(node.problem(fmt::format("found {}; expected {}, the framework of this run", node.found(),
                                        in_quotes(options.framework))));
}

}  // namespace

void read_model_and_tests(const Node& root, const std::optional<CheckedObject>& meta,
                          const SpecOptions& options, Problems& problems, SpecsSoFar& so_far) {
  LoadedSpecs& specs = so_far.specs;
  const Node model_node = root.at("model");
  const Node tests = root.at("tests");
  const CheckedObject model_fields(model_node, model_kind(), problems, specs.ignored);
  const MergedModel model(model_fields, meta);
  keep_build_section(root, problems, specs.build);
  // The other fields of a model are free; only an object can be meant.
  if (const auto build = model_node.find("build"); build && build->kind() == Kind::object) {
    keep_build_section(model_node, problems, specs.build);
  }
  const std::vector<Node> items = tests.items();
  if (items.empty()) tests.fail("is an empty array; write at least one test");
  expect_framework(model, options, problems);
  std::size_t id = 0;
  for (const Node& item : items) {
    if (specs.benchmarks.size() >= most_benchmarks) {
      item.fail(fmt::format("is past {} benchmarks; split the suite", most_benchmarks));
    }
    problems.attempt([&] { read_variants(item, model, options, id, problems, so_far); });
  }
}

}  // namespace tandem::specs
