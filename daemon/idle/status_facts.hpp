#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/records/status.hpp"
#include "daemon/store/store.hpp"
#include "runners/host/machine_facts.hpp"

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

// What results depend on beside the commits. A change of it is an event with a break line in the history,
// never blamed on a commit.
/// One fact to a line, "name=value": kernel, processor, microcode, governor, turbo, SMT, number of processors
/// and, of a toolchain as builders::describe_toolchain gives it, one line per tool. What cannot be read is
/// "unknown". Pure.
[[nodiscard]] std::string environment_of(const runners::MachineFacts& facts, const std::string& toolchain);

/// What is different, a sentence each: "the kernel changed from 6.1 to 6.2". A fact that only one of the two
/// knows is none: another version of this program may look at more.
[[nodiscard]] std::vector<std::string> environment_changes(const std::string& before, const std::string& now);

/// 12 hex digits that stand for it, empty for an empty one.
[[nodiscard]] std::string environment_mark(const std::string& environment);

/// The environment as it was last seen; empty: never.
[[nodiscard]] std::string known_environment(const store::Store& store);

/// Stores it, and an event of kind "environment" for each change since it was last seen. An empty `watch`
/// stands for all. Returns the sentences.
std::vector<std::string> note_environment(store::Store& store, const std::string& watch,
                                          const std::string& now_facts, std::int64_t at);

}  // namespace tandem::daemon
