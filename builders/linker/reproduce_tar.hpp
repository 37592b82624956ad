#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tandem::builders {

/// Calls `entry` with path and content of every file of a tar archive as lld's --reproduce writes it: ustar,
/// with a pax header before a file whose path is long. Throws std::runtime_error if it is anything else.
void for_each_entry(std::string_view archive,
                    const std::function<void(const std::string& path, std::string_view content)>& entry);

}  // namespace tandem::builders
