#pragma once

#include <optional>
#include <string_view>

namespace tandem {

/// One row of an enum's table of names, which is read both ways.
template <class Enum>
struct Name {
  Enum value;
  const char* name;
};

template <class Table, class Enum>
[[nodiscard]] constexpr const char* name_in(const Table& table, Enum value) {
  for (const auto& row : table) {
    if (row.value == value) return row.name;
  }
  return "unknown";
}

template <class Enum, class Table>
[[nodiscard]] constexpr std::optional<Enum> value_in(const Table& table, std::string_view name) {
  for (const auto& row : table) {
    if (name == row.name) return row.value;
  }
  return std::nullopt;
}

}  // namespace tandem
