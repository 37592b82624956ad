#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluation/evidence/results/result.hpp"

namespace tandem::evaluation {

/// PART.json and its drawings in the directory, each by rename.
void write_result(const std::filesystem::path& directory, const PartResult& result);

/// All results that stand in the directory, in the order of the parts; other files are passed over. Throws
/// Error when one of them is none.
[[nodiscard]] std::vector<PartResult> read_results(const std::filesystem::path& directory);

/// The page: host, goals of all parts in one table, then part after part with its drawings. Pure.
[[nodiscard]] std::string page_of(std::span<const PartResult> results);

/// The table of goals alone, as README.md quotes it. Pure.
[[nodiscard]] std::string goals_of(std::span<const PartResult> results);

}  // namespace tandem::evaluation
