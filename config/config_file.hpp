#pragma once

#include <filesystem>
#include <string>

#include "config/settings.hpp"
#include "specs/json/problem.hpp"

namespace tandem::config {

/// Reads `{"state_dir": …, "interval": …, "watch": [{…}, …]}`, JSON with comments. Unknown keys, wrong types
/// and values out of range are problems with file, line, column and what is allowed. Relative paths count
/// from the folder of the file.
[[nodiscard]] ConfigFile load_config(const std::filesystem::path& file, specs::Problems& problems);
[[nodiscard]] ConfigFile load_config(const std::filesystem::path& file);

/// The same from a text that is already in memory; `file` is its name.
[[nodiscard]] ConfigFile parse_config(std::string text, const std::filesystem::path& file,
                                      specs::Problems& problems);

}  // namespace tandem::config
