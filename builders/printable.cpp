#include "builders/printable.hpp"

#include <cstdint>

namespace tandem::builders {
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

}  // namespace

std::string printable(std::string_view bytes, std::size_t limit, Lines lines) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = sequence_length(bytes);
    std::string_view piece = length == 0 ? std::string_view("\xEF\xBF\xBD") : bytes.substr(0, length);
    if (length == 1) {
      const char c = piece.front();
      const bool control = static_cast<std::uint8_t>(c) < 0x20 || c == 0x7F;
      if (control && !(c == '\n' && lines == Lines::many)) piece = " ";
    }
    if (text.size() + piece.size() > limit) break;
    text += piece;
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

}  // namespace tandem::builders
