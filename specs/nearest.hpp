#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::specs {

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

}  // namespace tandem::specs
