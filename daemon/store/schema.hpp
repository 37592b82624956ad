#pragma once

#include <array>
#include <filesystem>

namespace tandem::daemon::store {

/// Marks the file as a store of ours: "TAND" in PRAGMA application_id.
inline constexpr int application_id = 0x54414e44;

/// The statements that lead from version i of the schema to version i + 1. PRAGMA user_version counts them.
/// Never change one that was released; add the next.
extern const std::array<const char*, 5> schema_steps;

/// Whether a file is an SQLite file that carries the mark of our stores, in itself or in the write-ahead log
/// beside it. Only reads, and takes no lock: not even a foreign file is touched.
[[nodiscard]] bool is_store_file(const std::filesystem::path& file);

}  // namespace tandem::daemon::store
