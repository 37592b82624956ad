#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tandem::builders {

/// The one line of a token file, `user:password` or a token. Throws InputError if it holds none, or more.
[[nodiscard]] std::string read_token(const std::filesystem::path& file);

/// User information of a URL, in which %XX stands for what a URL cannot hold. Control characters are left
/// out: a line break would begin a header or a setting of its own.
[[nodiscard]] std::string decoded(std::string_view user_information);

}  // namespace tandem::builders
