#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

enum class Lines { one, many };

/// Text from outside made safe to show on a terminal and to write as JSON: invalid UTF-8 becomes U+FFFD,
/// control characters, those of C1 included, become spaces (newlines stay for `Lines::many`), and characters
/// that reorder or hide others become U+FFFD. At most `limit` bytes are kept, cut between characters.
[[nodiscard]] std::string printable(std::string_view bytes, std::size_t limit, Lines lines = Lines::one);

/// The same for a whole text that is about to be written: newlines stay and nothing is cut.
[[nodiscard]] std::string printable_text(std::string_view text);

/// Offset of the first byte that is not part of well-formed UTF-8, or npos.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view bytes);

/// Foreign text for a message: printable, cut to `most` bytes, and with "…" where it was cut.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

/// Whether there is a character below 0x20 or a DEL in it.
[[nodiscard]] bool has_control_characters(std::string_view text);

/// One word of a POSIX shell's command line: as it is if a shell takes it as it is, else in single quotes.
[[nodiscard]] std::string quoted_for_shell(std::string_view word);

/// Serialised JSON in which the characters that `printable` takes away are written as \u escapes, so that a
/// reader gets the same strings and a terminal gets none of them.
[[nodiscard]] std::string escaped_json(std::string_view json);

/// ASCII letters only; everything else stays.
[[nodiscard]] std::string lower_case(std::string_view text);

/// Whether there is nothing but hexadecimal digits, those above nine in lower case.
[[nodiscard]] bool is_lower_hex(std::string_view text);

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other
/// (optimal string alignment: no part is edited twice).
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

/// The known word that a person probably meant, if one is close enough to be worth naming.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string_view>& known);

/// `"a", "b", "c"`: words as they appear in messages.
[[nodiscard]] std::string list_in_quotes(const std::vector<std::string_view>& words);

/// `"text"`, cut to a readable length at a character boundary.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// An enumeration's names stand in an array in the order of its values, which begin at 0.
template <class Enum, std::size_t count>
[[nodiscard]] constexpr const char* name_in(const std::array<const char*, count>& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

/// The value of that name; nothing for another word.
template <class Enum, std::size_t count>
[[nodiscard]] constexpr std::optional<Enum> value_named(const std::array<const char*, count>& names,
                                                        std::string_view name) {
  for (std::size_t i = 0; i < count; ++i) {
    if (name == names[i]) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace tandem
