#pragma once

#include <string>

#include "daemon/records/comparison.hpp"

namespace tandem::daemon::report {

/// Pure: the same record gives the same text.
[[nodiscard]] std::string comparison_text(const Comparison& comparison);
[[nodiscard]] std::string comparison_json(const Comparison& comparison);

/// One benchmark's verdict as a sentence, without its name: "slower by 8.1 % (ratio 1.0810, …)".
[[nodiscard]] std::string verdict_sentence(const Screened& screened);

}  // namespace tandem::daemon::report
