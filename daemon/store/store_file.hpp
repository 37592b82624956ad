#pragma once

#include <filesystem>

namespace tandem::daemon::store {

/// Whether a file is an SQLite file that carries the mark of our stores, in itself or in the write-ahead log
/// beside it. Only reads, and takes no lock: not even a foreign file is touched.
[[nodiscard]] bool is_store_file(const std::filesystem::path& file);

}  // namespace tandem::daemon::store
