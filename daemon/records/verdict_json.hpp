#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "analysis/calibration.hpp"
#include "analysis/verdict.hpp"
#include "runners/host/machine_facts.hpp"
#include "runners/pairing/samples.hpp"
#include "specs/benchmark/metric.hpp"

namespace tandem::daemon::report {

// Shared by the writers and readers of this folder only.
[[nodiscard]] nlohmann::ordered_json to_json(const analysis::RatioInterval& ratio);
[[nodiscard]] nlohmann::ordered_json to_json(const analysis::Verdict& verdict);
[[nodiscard]] nlohmann::ordered_json to_json(const runners::MachineFacts& facts);
[[nodiscard]] nlohmann::ordered_json to_json(const runners::RunFailure& failure);
[[nodiscard]] const char* name_of(specs::Direction direction);

/// Each reads exactly what its writer above wrote and throws Error for anything else.
[[nodiscard]] analysis::RatioInterval ratio_from_json(const nlohmann::ordered_json& value);
[[nodiscard]] analysis::Verdict verdict_from_json(const nlohmann::ordered_json& value);
[[nodiscard]] runners::MachineFacts machine_facts_from_json(const nlohmann::ordered_json& value);
[[nodiscard]] specs::Direction direction_at(const nlohmann::ordered_json& object, const char* name);

/// The text of a document of ours; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string document_text(const nlohmann::ordered_json& document);

/// A verdict as one line of JSON, the same object that stands in a report. What was written is read back
/// exactly, every double bit for bit; any other text throws Error.
[[nodiscard]] std::string verdict_text(const analysis::Verdict& verdict);
[[nodiscard]] analysis::Verdict verdict_from_text(const std::string& text);

// Shared by the writers and readers of this folder only.
[[nodiscard]] nlohmann::ordered_json to_json(const analysis::Calibration& calibration);
/// Reads exactly what the writer wrote and throws Error for anything else.
[[nodiscard]] analysis::Calibration calibration_from_json(const nlohmann::ordered_json& value);

/// One calibration as one line of JSON, the same object that the documents above hold. What was written is
/// read back exactly, every double bit for bit; any other text throws Error.
[[nodiscard]] std::string calibration_line(const analysis::Calibration& calibration);
[[nodiscard]] analysis::Calibration calibration_from_line(const std::string& text);

}  // namespace tandem::daemon::report
