#pragma once

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

/// The same for a whole text that is about to be written: nothing is cut.
[[nodiscard]] std::string printable_text(std::string_view text);

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

}  // namespace tandem
