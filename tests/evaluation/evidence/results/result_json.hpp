#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "evaluation/evidence/results/result.hpp"

namespace tandem::evaluation {

/// All of a result as JSON that says what it is: `"tandem_evidence": 1`. Throws Error when a number is not
/// finite, for which JSON has no word.
[[nodiscard]] std::string json_of(const PartResult& result);

/// And back; keys that are not known are passed over. Nothing if the text is JSON of something else. Throws
/// Error when it is no JSON, or something of the result is missing.
[[nodiscard]] std::optional<PartResult> result_in_json(std::string_view text);

}  // namespace tandem::evaluation
