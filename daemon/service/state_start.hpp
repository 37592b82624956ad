#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "daemon/store/store.hpp"
#include "daemon/walk/publish.hpp"

namespace tandem::daemon {

/// The store of a state directory, and what was out of order with it.
struct OpenedStore {
  std::unique_ptr<store::Store> store;
  std::vector<std::string> notices;  ///< sentences for the status; each is an event of the store, too
};

/// Opens the store for the daemon and looks through it. A damaged one is set aside under another name, with
/// its log, and a new one is made. Throws Error if it is of a newer version, or of something else.
[[nodiscard]] OpenedStore open_store(const std::filesystem::path& state_dir, std::int64_t now);

/// Brings `reports/` and the store together, and returns a sentence for everything that was unusual.
///
/// The store is right about what it knows: such reports are written again where they differ. Only what a
/// person said later, as the report has it, is read back: the store may be an older one that was restored. A
/// report that it does not know is read back into it, for it holds everything; one that cannot be read is
/// kept as it is. A report that a crash left before the store heard of it is removed, and its step will be
/// repeated.
[[nodiscard]] std::vector<std::string> restore_reports(const Publisher& publisher, store::Store& store,
                                                       std::int64_t now);

}  // namespace tandem::daemon
