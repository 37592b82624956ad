#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "specs/json/document.hpp"

namespace tandem::specs {

/// The value at a JSON pointer (RFC 6901), or nothing.
inline std::optional<Node> at_pointer(const JsonDocument& document, std::string_view pointer) {
  Node node = document.root();
  while (!pointer.empty()) {
    if (pointer.front() != '/') return std::nullopt;
    const std::string_view token = pointer.substr(1, std::min(pointer.find('/', 1), pointer.size()) - 1);
    pointer.remove_prefix(token.size() + 1);
    std::string key;
    for (std::size_t i = 0; i < token.size(); ++i) {
      const bool escape = token[i] == '~' && i + 1 < token.size();
      key += escape ? (token[++i] == '1' ? '/' : '~') : token[i];
    }
    std::optional<Node> next;
    if (node.kind() == Kind::object) next = node.find(key);
    std::size_t rank = 0;
    const auto [last, error] = std::from_chars(key.data(), key.data() + key.size(), rank);
    const bool is_rank = error == std::errc{} && last == key.data() + key.size();
    if (node.kind() == Kind::array && is_rank && rank < node.items().size()) next = node.items()[rank];
    if (!next) return std::nullopt;
    node = *next;
  }
  return node;
}

}  // namespace tandem::specs
