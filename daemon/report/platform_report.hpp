#pragma once

#include <string>
#include <vector>

#include "runners/host/cpu_choice.hpp"
#include "runners/host/fix.hpp"
#include "runners/host/platform.hpp"

namespace tandem::daemon::report {

/// What `tandem platform` shows: the score and its rule, every finding in its group, then what would help,
/// most first, each with its command. At most 100 columns, except for commands, which are never broken.
[[nodiscard]] std::string platform_text(const runners::Platform& platform);

/// Everything. A value, and the score, that is unavailable is null.
[[nodiscard]] std::string platform_json(const runners::Platform& platform, const runners::CpuChoice& choice);

/// One line for each setting: what was done or why not.
[[nodiscard]] std::string fix_text(const std::vector<runners::FixStep>& steps);

/// What was set back, and one line for each thing that was not; empty if there was nothing to set back.
[[nodiscard]] std::string restored_text(const runners::Restored& restored);

}  // namespace tandem::daemon::report
