#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "daemon/records/request.hpp"
#include "daemon/store/store.hpp"

// How commands ask a daemon for something: through its store, where it finds the request.
namespace tandem::daemon::commands {

/// The store of a daemon that ran here, for writing. Throws InputError if there is none.
[[nodiscard]] store::Store open_known_store(const std::filesystem::path& state_dir);

/// Adds the request, unless the same one waits already, and prints its number and how it is followed.
void queue(store::Store& store, const std::filesystem::path& state_dir, const Request& request);

/// The watch that is meant, out of those that are known; a platform may be asked for. Throws InputError that
/// lists them.
[[nodiscard]] WatchKey chosen_watch(const std::vector<WatchKey>& known, const std::string& wanted,
                                    const std::string& platform);

/// Whether a daemon holds the lock of this state directory. One that starts just now tries more than once.
[[nodiscard]] bool daemon_runs(const std::filesystem::path& state_dir);

/// The name of the user who runs this process.
[[nodiscard]] std::string user_name();

}  // namespace tandem::daemon::commands
