#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem::builders {

enum class Lines { one, many };

/// Text from outside made safe to show and to write as JSON: invalid UTF-8 becomes U+FFFD, control characters
/// become spaces (newlines stay for `Lines::many`), and at most `limit` bytes are kept, cut between
/// characters.
[[nodiscard]] std::string printable(std::string_view bytes, std::size_t limit, Lines lines = Lines::one);

}  // namespace tandem::builders
