#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "specs/benchmark/readers.hpp"

namespace tandem::specs {

Direction usual_direction(std::string_view name, std::string_view unit) {
  constexpr std::array<std::string_view, 6> rates = {"throughput", "flops",    "fps",
                                                     "qps",        "accuracy", "per_second"};
  const bool rate =
      unit.ends_with("/s") || std::any_of(rates.begin(), rates.end(), [&](std::string_view word) {
        return name.find(word) != std::string_view::npos;
      });
  return rate ? Direction::higher_is_better : Direction::lower_is_better;
}

namespace {

namespace fs = std::filesystem;

/// The file lies in the spec's own folder or below it.
fs::path read_golden_file(const Node& node) {
  const fs::path written = node.as_string();
  const fs::path plain = written.lexically_normal();
  if (written.is_absolute() || plain.begin() == plain.end() || *plain.begin() == "..") {
    node.fail(fmt::format("found {}; expected a path inside the folder of this file", node.found()));
  }
  fs::path file = (fs::path(node.file()).parent_path() / plain).lexically_normal();
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    node.fail(
        fmt::format("there is no file {}; write a path relative to this file", in_quotes(file.string())));
  }
  return file;
}

/// Programs write where every launch has a directory of its own.
std::string read_golden_output(const Node& node) {
  std::string output = node.as_string();
  constexpr std::array<std::string_view, 3> roots = {"{TGTDIR}/", "{HOSTDIR}/", "{TEMPDIR}/"};
  for (const std::string_view root : roots) {
    if (!output.starts_with(root)) continue;
    const fs::path below = fs::path(output.substr(root.size())).lexically_normal();
    if (below.is_relative() && below.begin() != below.end() && *below.begin() != "..") return output;
  }
  node.fail(
      fmt::format("found {}; expected a path such as \"{{TGTDIR}}/output.txt\", or no \"output\" for "
                  "what the program prints",
                  node.found()));
}

Golden::Type type_of(const fs::path& file) {
  const std::string extension = file.extension().string();
  if (extension == ".f32" || extension == ".float32") return Golden::Type::float32;
  if (extension == ".f64" || extension == ".float64") return Golden::Type::float64;
  return Golden::Type::text;
}

Golden read_golden(const Node& node) {
  Golden golden;
  golden.file = read_golden_file(node.at("file"));
  golden.type = type_of(golden.file);
  if (const auto output = node.find("output")) golden.output = read_golden_output(*output);
  if (const auto absolute = node.find("absolute")) golden.absolute = absolute->as_number();
  if (const auto relative = node.find("relative")) golden.relative = relative->as_number();
  if (const auto type = node.find("type")) golden.type = read_choice<Golden::Type>(*type, golden_type_names);
  return golden;
}

}  // namespace

void read_metrics(const CheckedObject& test, Problems& problems, BenchmarkSpec& spec) {
  const auto field = [&](const char* key, auto&& read) {
    if (const auto node = test.find(key)) problems.attempt([&] { read(*node); });
  };
  field("metrics", [&](const Node& node) {
    for (const Node& item : node.items()) {
      problems.attempt([&] {
        std::string name = item.as_string();
        if (std::find(spec.metrics.begin(), spec.metrics.end(), name) != spec.metrics.end())
          item.fail(fmt::format("names {} a second time; keep one", in_quotes(name)));
        spec.metrics.push_back(std::move(name));
      });
    }
  });
  field("golden", [&](const Node& node) { spec.golden = read_golden(node); });
  field("instructions",
        [&](const Node& node) { spec.instructions = read_choice<InstructionCounter>(node, counter_names); });
  const auto named = [&](const char* name) {
    return std::find(spec.metrics.begin(), spec.metrics.end(), name) != spec.metrics.end();
  };
  // What is wrong in itself is not there; nothing is to be said about its company then.
  const auto is_sound = [&](const char* key) { return test.has(key) || !test.node().has(key); };
  if (!is_sound("metrics") || !is_sound("golden") || !is_sound("instructions")) return;
  // Each of the two belongs to one metric and would silently do nothing without it.
  field("golden", [&](const Node& node) {
    if (!named("error")) node.fail("has no effect; add \"error\" to \"metrics\"");
  });
  field("instructions", [&](const Node& node) {
    if (!named("instructions")) node.fail("has no effect; add \"instructions\" to \"metrics\"");
  });
  field("metrics", [&](const Node& node) {
    if (named("error") && !test.has("golden"))
      node.fail("names \"error\"; add \"golden\": {\"file\": …} to say against which numbers");
  });
}

}  // namespace tandem::specs
