#pragma once

#include <cstdint>

#include "daemon/records/status.hpp"
#include "daemon/store/store.hpp"

// What the status shows of the store. Asked between commits and idle steps, never during a launch.
namespace tandem::daemon {

/// How many false records a month are to be expected, from the screens of the last 30 days: what equal builds
/// and changes that did not hold say about the screen, times what the confirmation lets through.
void show_false_records(Status& status, const store::Store& store, std::int64_t now);

/// The newest changes of the surroundings, and apart from them of levels that drifted and of margins.
void show_environment(Status& status, const store::Store& store);

/// Where the benchmarks of the newest examined commits stand against their anchors.
void show_drift(Status& status, const store::Store& store);

/// What waits to be served.
void show_requests(Status& status, const store::Store& store);

/// All of these.
void show_store(Status& status, const store::Store& store, std::int64_t now);

}  // namespace tandem::daemon
