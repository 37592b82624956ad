#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem::specs {

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

}  // namespace tandem::specs
