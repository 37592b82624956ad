#pragma once

#include <string>

#include "analysis/verdict.hpp"

namespace tandem::daemon::report {

/// A verdict as one line of JSON, the same object that stands in a report. What was written is read back
/// exactly, every double bit for bit; any other text throws Error.
[[nodiscard]] std::string verdict_text(const analysis::Verdict& verdict);
[[nodiscard]] analysis::Verdict verdict_from_text(const std::string& text);

}  // namespace tandem::daemon::report
