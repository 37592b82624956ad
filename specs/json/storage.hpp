#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "specs/json/document.hpp"

namespace tandem::specs {

/// One value in the flat list of a document. Offsets are bytes into the text.
struct JsonValue {
  Kind kind = Kind::null;
  bool boolean = false;
  bool whole = false;  ///< a number that `integer` holds exactly
  std::uint32_t offset = 0;
  std::uint32_t key_offset = 0;
  std::uint32_t parent = 0;  ///< the root is its own parent
  std::uint32_t rank = 0;    ///< place among the parent's children
  double number = 0;
  std::int64_t integer = 0;
  std::string key;   ///< of this value in its object
  std::string text;  ///< a string's content, a number's digits
  std::vector<std::uint32_t> children;
};

/// A parsed document: flat, so that neither depth nor size can exhaust the stack. Never changed after
/// parsing.
struct JsonStorage {
  std::string file;
  std::string text;
  std::vector<std::uint32_t> line_starts;
  std::vector<std::uint32_t> continued_before;  ///< UTF-8 continuation bytes before each block of text
  std::vector<JsonValue> values;
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t>
      members;  ///< by object and key; views of `values`

  JsonStorage(std::string file_name, std::string content);
  JsonStorage(const JsonStorage&) = delete;
  JsonStorage& operator=(const JsonStorage&) = delete;

  /// Characters before a byte of the text, in time that does not grow with the text: a file may be one long
  /// line.
  [[nodiscard]] std::size_t characters_before(std::size_t offset) const;
  [[nodiscard]] Position position(std::size_t offset) const;
  [[nodiscard]] std::string pointer(std::uint32_t index) const;
  [[nodiscard]] Problem problem(std::size_t offset, std::string pointer, std::string message) const;
};

/// Fills `storage.values` and `storage.members` from `storage.text`. Private to JsonDocument: nlohmann/json
/// lives behind it.
void read_json(JsonStorage& storage, const JsonLimits& limits, Problems& problems);

}  // namespace tandem::specs
