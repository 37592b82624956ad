#include "specs/foundation/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace tandem {

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
constexpr std::size_t longest_quoted = 60;
constexpr std::size_t longest_compared = 64;  // the distance costs the product of the lengths

bool is_low_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

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

std::size_t find_invalid_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = sequence_length(bytes.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string shortened(std::string_view text, std::size_t most) {
  const std::string shown = printable(text, most);
  return text.size() > most ? shown + "…" : shown;
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_low_control);
}

std::string quoted_for_shell(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
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

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool is_lower_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before(right.size() + 1);
  std::vector<std::size_t> previous(right.size() + 1);
  std::vector<std::size_t> current(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[right.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string_view>& known) {
  if (word.size() > longest_compared) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (!best || distance < best_distance) {
      best = std::string(candidate);
      best_distance = distance;
    }
  }
  // Two slips, or a third of a long word; in a word of three letters two slips would match almost anything.
  const std::size_t allowed = word.size() <= 3 ? 1 : std::max<std::size_t>(2, word.size() / 3);
  if (best && best_distance > allowed) best.reset();
  return best;
}

std::string list_in_quotes(const std::vector<std::string_view>& words) {
  std::string result;
  for (const std::string_view word : words) {
    if (!result.empty()) result += ", ";
    result += in_quotes(word);
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  std::size_t length = text.size();
  if (length > longest_quoted) {
    length = longest_quoted;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  }
  std::string result = "\"";
  std::replace_copy_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length),
                       std::back_inserter(result), is_low_control, '?');
  return result + (length < text.size() ? "…\"" : "\"");
}

}  // namespace tandem
