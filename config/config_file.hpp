#pragma once

#include <filesystem>

#include "config/settings.hpp"
#include "specs/json/document.hpp"

namespace tandem::config {

/// Reads `{"state_dir": …, "interval": …, "watch": [{…}, …]}`, JSON with comments. Unknown keys, wrong types
/// and values out of range are problems with file, line, column and what is allowed. Relative paths count
/// from the folder of the file.
[[nodiscard]] ConfigFile load_config(const std::filesystem::path& file, specs::Problems& problems);
[[nodiscard]] ConfigFile load_config(const std::filesystem::path& file);

/// The same of a file that was read; its root may throw ProblemError.
[[nodiscard]] ConfigFile read_config(const specs::JsonDocument& document, specs::Problems& problems);

}  // namespace tandem::config
