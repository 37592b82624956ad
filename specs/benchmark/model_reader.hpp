#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "specs/benchmark/field_check.hpp"
#include "specs/benchmark/spec.hpp"

namespace tandem::specs {

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

/// What the files of a suite have given until now.
struct SpecsSoFar {
  LoadedSpecs specs;
  std::size_t bytes = 0;  ///< of memory, about
};

/// Reads one benchmark file's `model` and `tests` under the meta of its suite and appends what it
/// gives. Part of load_benchmarks.
void read_model_and_tests(const Node& root, const std::optional<CheckedObject>& meta,
                          const SpecOptions& options, Problems& problems, SpecsSoFar& so_far);

/// A text that is not empty and has no control characters.
[[nodiscard]] std::string read_name(const Node& node);

}  // namespace tandem::specs
