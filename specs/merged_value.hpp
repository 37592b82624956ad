#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "specs/field_check.hpp"

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

}  // namespace tandem::specs
