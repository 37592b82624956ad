#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runners/results/adapter.hpp"

namespace tandem::runners::tests {

/// What the adapter of this name makes of a text that it has to understand.
inline std::vector<Series> read_as(const char* adapter, std::string_view text,
                                   const ResultAdapter::Arguments& arguments = {}) {
  auto result = find_adapter(adapter)->read(text, arguments);
  if (const auto* wrong = std::get_if<std::string>(&result)) {
    ADD_FAILURE() << *wrong;
    return {};
  }
  return std::get<std::vector<Series>>(std::move(result));
}

/// Why it refuses a text; empty if it does not.
inline std::string error_as(const char* adapter, std::string_view text,
                            const ResultAdapter::Arguments& arguments = {}) {
  const auto result = find_adapter(adapter)->read(text, arguments);
  return std::holds_alternative<std::string>(result) ? std::get<std::string>(result) : "";
}

inline const Series* find_series(const std::vector<Series>& all, const std::string& key,
                                 const std::string& metric) {
  for (const Series& one : all) {
    if (one.key == key && one.metric.name == metric) return &one;
  }
  ADD_FAILURE() << "no " << metric << " of " << key;
  return nullptr;
}

}  // namespace tandem::runners::tests
