#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "specs/benchmark/fields.hpp"
#include "specs/benchmark/placeholders.hpp"
#include "specs/benchmark/spec.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::specs {

// The readers of the parts of a benchmark file: all of it is load_benchmarks. Objects were checked against
// their tables before, so a reader only looks for what a table cannot say.

/// A value of a model over the same one of its suite's meta, as FAI-PEP merges them: the model's own scalars
/// win, objects are merged member by member, arrays follow each other.
class MergedValue {
 public:
  explicit MergedValue(std::vector<Node> layers);  ///< at least one, the strongest first
  explicit MergedValue(Node only) : MergedValue(std::vector<Node>{std::move(only)}) {}

  [[nodiscard]] const Node& node() const { return layers_.front(); }  ///< the strongest
  [[nodiscard]] Kind kind() const { return node().kind(); }
  [[nodiscard]] std::optional<MergedValue> find(std::string_view key) const;
  [[nodiscard]] std::vector<std::pair<std::string, MergedValue>> members() const;
  [[nodiscard]] std::vector<Node> items() const;

 private:
  std::vector<Node> layers_;
};

/// A model and the meta it stands under.
class MergedModel {
 public:
  MergedModel(const CheckedObject& model, const std::optional<CheckedObject>& meta)
      : model_(model), meta_(meta) {}

  [[nodiscard]] std::optional<MergedValue> find(std::string_view key) const;
  [[nodiscard]] const CheckedObject& model() const { return model_; }
  [[nodiscard]] const std::optional<CheckedObject>& meta() const { return meta_; }

 private:
  const CheckedObject& model_;
  const std::optional<CheckedObject>& meta_;
};

/// One of the benchmarks that a test stands for.
struct Variant {
  std::size_t shape = 0;  ///< which one of each input
  std::map<std::string, std::string> parameters;
  std::string suffix;  ///< for an identifier that does not tell the variants apart; with placeholders
};

/// Every shape of its inputs with every combination of its parameters, the last parameter first to change.
/// More than `most`, inputs with different numbers of shapes, and parameters that hide another name throw
/// ProblemError.
[[nodiscard]] std::vector<Variant> variants_of(const CheckedObject& test, std::size_t most);

/// One benchmark's fields and what its placeholders mean: what every reader of a part of it needs.
struct TestView {
  const CheckedObject& test;
  const MergedModel& model;
  const PlaceholderScope& scope;
  const SpecOptions& options;

  [[nodiscard]] std::string expand(const Node& node, Keep keep) const {
    return expand_placeholders(node, node.scalar_text(), scope, keep);
  }

  [[nodiscard]] std::optional<MergedValue> of_test(std::string_view key) const {
    const auto node = test.find(key);
    return node ? std::optional(MergedValue(*node)) : std::nullopt;
  }

  /// A field of the test, else of its model, else of the suite.
  [[nodiscard]] std::optional<Node> nearest(std::string_view key) const {
    if (auto found = test.find(key)) return found;
    if (const auto found = model.find(key)) return found->node();
    return std::nullopt;
  }
};

/// What FAI-PEP's `platform_args` say, as far as this host honours them.
struct PlatformArgs {
  std::optional<Seconds> timeout;
  std::optional<bool> log_output;
  bool ignore_status = false;
  int tries = 1;
  std::map<std::string, std::string> env;
  std::vector<int> cpus;
};

[[nodiscard]] PlatformArgs read_platform_args(const TestView& view, const MergedValue& args);

/// Environment variables with their placeholders replaced.
[[nodiscard]] std::map<std::string, std::string> read_env(const TestView& view, const MergedValue& env);

/// The commands of the test itself, at least one. Without any, programs that list their benchmarks are
/// started as they are, and the old forms of FAI-PEP for Caffe2 and TensorFlow Lite are composed as it does.
[[nodiscard]] std::vector<std::string> read_commands(const TestView& view, Protocol protocol);

/// The commands of a `preprocess` or `postprocess`.
[[nodiscard]] std::vector<HostCommand> read_host_commands(const TestView& view, const MergedValue& process);

/// Processors as taskset writes them: "0f" is 0 to 3.
[[nodiscard]] std::vector<int> cpus_of_mask(std::string_view mask);

/// The value of "cpu-list": a number above 0, or a text such as "0-3,8".
[[nodiscard]] std::vector<int> read_cpu_list(const Node& node);

/// Reads the files and libraries of one benchmark: of its model, of the test, of its commands before and
/// after. A file of the test hides one of the model with the same key.
void read_files(const TestView& view, Problems& problems, BenchmarkSpec& spec);

/// Of a model or of a written file.
[[nodiscard]] ConverterSpec read_converter(const MergedValue& value);

/// Reads what a test wants to be measured beside time: "metrics", "golden" and "instructions".
void read_metrics(const CheckedObject& test, Problems& problems, BenchmarkSpec& spec);

/// Reads one benchmark. `suffix` follows its identifier.
[[nodiscard]] BenchmarkSpec read_test(const TestView& view, const std::string& suffix, Problems& problems);

/// What the files of a suite have given until now.
struct SpecsSoFar {
  LoadedSpecs specs;
  std::size_t bytes = 0;  ///< of memory, about
};

/// Reads one benchmark file's `model` and `tests` under the meta of its suite and appends what it
/// gives.
void read_model_and_tests(const Node& root, const std::optional<CheckedObject>& meta,
                          const SpecOptions& options, Problems& problems, SpecsSoFar& so_far);

/// The value of a field whose choices are the names of an enumeration.
template <class Enum, std::size_t count>
[[nodiscard]] Enum read_choice(const Node& node, const std::array<const char*, count>& names) {
  return value_named<Enum>(names, node.as_string()).value();
}

}  // namespace tandem::specs
