#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/verdict.hpp"
#include "runners/machine_facts.hpp"
#include "runners/paired_samples.hpp"
#include "specs/metric.hpp"

// Shared by the writers of this folder only.
namespace tandem::daemon::report {

[[nodiscard]] nlohmann::ordered_json to_json(const analysis::RatioInterval& ratio);
[[nodiscard]] nlohmann::ordered_json to_json(const analysis::Verdict& verdict);
[[nodiscard]] nlohmann::ordered_json to_json(const runners::MachineFacts& facts);
[[nodiscard]] nlohmann::ordered_json to_json(const runners::RunFailure& failure);
[[nodiscard]] const char* name_of(specs::Direction direction);

}  // namespace tandem::daemon::report
