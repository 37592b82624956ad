#pragma once

#include <filesystem>

#include "daemon/records/run_record.hpp"

// Results as files of one directory. All of it throws Error.
namespace tandem::daemon::harness {

/// FAI-PEP's tree: PLATFORM/FRAMEWORK/MODEL/METRIC/IDENTIFIER/YEAR/MONTH/DAY/COMMIT/NUMBER, with one file for
/// each key ("NET-latency.txt") and meta.txt. The day is the commit's in UTC, or the run's if the commit has
/// no time. The number is the first free one, also among several writers, and the directory appears under it
/// only when it is complete. Gives its path.
std::filesystem::path write_local(const std::filesystem::path& directory, const RunRecord& record);

/// IDENTIFIER/data.txt, replaced as a whole; nothing else in there is touched. Gives its path.
std::filesystem::path write_simple_local(const std::filesystem::path& directory, const RunRecord& record);

}  // namespace tandem::daemon::harness
