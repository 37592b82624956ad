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

/// What was measured on one kind of host: the results in one folder, which is named after its processor.
struct HostResults {
  std::string folder;
  std::vector<PartResult> results;

  /// The processor that the results name.
  [[nodiscard]] std::string processor() const;
};

/// The results in each folder of the directory that has any; the host with the most parts comes first.
[[nodiscard]] std::vector<HostResults> read_hosts(const std::filesystem::path& directory);

/// The page: host, goals of all parts in one table, then part after part with its drawings. Pure.
[[nodiscard]] std::string page_of(std::span<const PartResult> results);

/// The table of goals alone, as README.md quotes it: of a goal that was measured on several hosts the figures
/// of each one and the worst answer, where "not known" is worse than "yes". Pure.
[[nodiscard]] std::string goals_of(std::span<const HostResults> hosts);

/// The page of all hosts: where each one's page is, and the table of goals. Pure.
[[nodiscard]] std::string overview_of(std::span<const HostResults> hosts);

}  // namespace tandem::evaluation
