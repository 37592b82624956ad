#pragma once

#include <string>
#include <variant>
#include <vector>

namespace tandem::builders {

/// The arguments of a captured link, from lld's own response file, as far as they may be used again: what
/// would write files or run other code is left out or refused, since a foreign build chose them. `inputs` are
/// the captured files. The second form is a sentence: the link cannot be repeated in another order.
[[nodiscard]] std::variant<std::vector<std::string>, std::string> options_to_repeat(
    const std::string& response, const std::vector<std::string>& inputs);

/// True if a path from a capture stays below the directory it is laid out in.
[[nodiscard]] bool stays_below(const std::string& path);

}  // namespace tandem::builders
