#pragma once

#include <cstddef>
#include <string_view>

namespace tandem::specs {

// What positions in JSON with comments need beside the parser's events. Offsets are bytes.

/// Offset of the first byte that is not UTF-8, or npos.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view text);

/// From the end of a token over blanks, separators and comments to the start of the next one.
[[nodiscard]] std::size_t skip_to_token(std::string_view text, std::size_t from);

/// Whether a comma that is no part of a comment stands between the two offsets.
[[nodiscard]] bool comma_between(std::string_view text, std::size_t from, std::size_t to);

}  // namespace tandem::specs
