#pragma once

#include "daemon/publisher.hpp"
#include "daemon/store/store.hpp"

namespace tandem::daemon {

/// The same change, which also writes the report's files. They are written within the transaction, so that
/// files and store change in one order whoever else changes the record; if the transaction fails, the next
/// start sets the files right. `publisher` outlives it.
[[nodiscard]] store::RecordChange published(const Publisher& publisher, store::RecordChange change);

/// Writes the files of these records.
void publish(const Publisher& publisher, const std::vector<Record>& records);

}  // namespace tandem::daemon
