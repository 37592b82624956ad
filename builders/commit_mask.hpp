#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "builders/elf_image.hpp"

namespace tandem::builders {

/// Where the text within `range` of the bytes names the commit: whole words of hexadecimal digits that are
/// the commit id or a beginning of it with at least 7 digits. In their order. Nothing else is ever found, so
/// that two programs are not called the same for anything but their own names.
[[nodiscard]] std::vector<FileRange> find_commit_ids(std::string_view bytes, FileRange range,
                                                     const std::string& commit);

}  // namespace tandem::builders
