#include "runners/results/converters.hpp"

#include <algorithm>
#include <array>

#include "runners/results/benchdnn_lines.hpp"
#include "runners/results/google_benchmark.hpp"
#include "runners/results/observer_lines.hpp"
#include "runners/results/tflite_lines.hpp"

namespace tandem::runners {
namespace {

using specs::ConverterSpec;

std::string argument(const ConverterSpec& spec, const char* name) {
  const auto found = spec.args.find(name);
  return found == spec.args.end() ? std::string() : found->second;
}

ReadSeries observer(std::string_view text, const ConverterSpec& spec) {
  const std::string identifier = argument(spec, "identifier");
  return identifier.empty() ? read_observer_lines(text, {}) : read_observer_lines(text, {identifier});
}

/// FAI-PEP's: without an identifier it looks at every line.
ReadSeries json_with_identifier(std::string_view text, const ConverterSpec& spec) {
  return argument(spec, "identifier").empty() ? read_json_lines(text) : observer(text, spec);
}

ReadSeries json_lines(std::string_view text, const ConverterSpec& /*spec*/) {
  return read_json_lines(text);
}

ReadSeries google(std::string_view text, const ConverterSpec& /*spec*/) {
  return read_google_benchmark(text);
}

ReadSeries benchdnn(std::string_view text, const ConverterSpec& spec) {
  return read_benchdnn_lines(text, {argument(spec, "template")});
}

ReadSeries tflite(std::string_view text, const ConverterSpec& /*spec*/) {
  return read_tflite_lines(text);
}

struct Named {
  std::string_view name;
  Converter converter;
};
constexpr std::array registry = {
    Named{"benchdnn", benchdnn},         Named{"google_benchmark", google},
    Named{"json_converter", json_lines}, Named{"json_with_identifier_converter", json_with_identifier},
    Named{"observer", observer},         Named{"tflite", tflite},
};

}  // namespace

Converter find_converter(std::string_view name) {
  const auto found =
      std::find_if(registry.begin(), registry.end(), [&](const Named& one) { return one.name == name; });
  return found == registry.end() ? nullptr : found->converter;
}

const std::vector<std::string_view>& converter_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    all.reserve(registry.size());
    for (const Named& one : registry) all.push_back(one.name);
    return all;
  }();
  return names;
}

}  // namespace tandem::runners
