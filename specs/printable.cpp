#include "specs/printable.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace tandem::specs {
namespace {

/// Length of the well-formed UTF-8 sequence at the beginning of `bytes`, 0 if there is none (Unicode, table
/// 3-7).
std::size_t sequence_length(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  const std::uint8_t first = at(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || bytes.size() < length) return 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (at(1) < low || at(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (at(i) < 0x80 || at(i) > 0xBF) return 0;
  }
  return length;
}

/// The character that a well-formed sequence stands for.
std::uint32_t code_point(std::string_view sequence) {
  const auto first = static_cast<std::uint8_t>(sequence.front());
  if (sequence.size() == 1) return first;
  std::uint32_t code = first & (0xFFU >> (sequence.size() + 1));
  for (const char c : sequence.substr(1)) code = code << 6 | (static_cast<std::uint8_t>(c) & 0x3FU);
  return code;
}

/// C0, DEL, and C1, which some terminals obey like an escape sequence; the two separators begin a line.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x2028 || code == 0x2029;
}

/// Marks that reorder the text around them, hide it, or are never seen themselves: a name must not look like
/// another (Unicode Technical Report 36, "bidirectional text spoofing"; tag characters).
bool is_deceptive(std::uint32_t code) {
  return code == 0x061C || code == 0x200B || code == 0x200E || code == 0x200F ||
         (code >= 0x202A && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
         (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE007F);
}

constexpr std::string_view replacement = "\xEF\xBF\xBD";

}  // namespace

std::string printable(std::string_view bytes, std::size_t limit, Lines lines) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = sequence_length(bytes);
    std::string_view piece = length == 0 ? replacement : bytes.substr(0, length);
    if (length > 0) {
      const std::uint32_t code = code_point(piece);
      if (is_control(code) && !(code == '\n' && lines == Lines::many)) piece = " ";
      if (is_deceptive(code)) piece = replacement;
    }
    if (text.size() + piece.size() > limit) break;
    text += piece;
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

std::string printable_text(std::string_view text) {
  return printable(text, std::string::npos, Lines::many);
}

std::string escaped_json(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  while (!json.empty()) {
    const std::size_t length = sequence_length(json);
    const std::string_view piece = length == 0 ? replacement : json.substr(0, length);
    const std::uint32_t code = code_point(piece);
    // White space between values is no part of a string, and JSON has escaped every other one below 0x20.
    if (code < 0x20 || !(is_control(code) || is_deceptive(code))) {
      text += piece;
    } else if (code < 0x10000) {
      text += fmt::format("\\u{:04x}", code);
    } else {
      text += fmt::format("\\u{:04x}\\u{:04x}", 0xD7C0 + (code >> 10), 0xDC00 + (code & 0x3FF));
    }
    json.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

}  // namespace tandem::specs
