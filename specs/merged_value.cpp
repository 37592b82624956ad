#include "specs/merged_value.hpp"

#include <algorithm>
#include <unordered_map>

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

}  // namespace tandem::specs
