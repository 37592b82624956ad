#pragma once

#include <string>
#include <string_view>

#include "analysis/screen.hpp"

namespace tandem::daemon::store {

/// A screen's history as lines of text: the settings, then one line per launch, "-" for a failed one. Doubles
/// are written in the shortest form that reads back as the same bits, so a continued screen is the
/// uninterrupted one. Reading anything else than what was written throws Error.
[[nodiscard]] std::string history_text(const analysis::ScreenHistory& history);
[[nodiscard]] analysis::ScreenHistory history_from_text(std::string_view text);

}  // namespace tandem::daemon::store
