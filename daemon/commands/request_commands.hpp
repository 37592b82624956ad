#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/commands/compare.hpp"
#include "daemon/records/request.hpp"
#include "daemon/store/store.hpp"

namespace tandem::daemon::commands {

/// `tandem queue COMMIT`, `--list` and `--cancel N`: what the running daemon is asked for.
struct QueueOptions {
  enum class Action { add, list, cancel };
  Action action = Action::add;
  std::optional<std::filesystem::path> state_dir;
  std::string commit;
  std::string against;
  std::string benchmark;
  std::string watch;         ///< may be empty if the daemon has one only
  std::string platform;      ///< empty: all
  std::string by;            ///< empty: the user's name
  std::int64_t request = 0;  ///< to cancel
  Format format = Format::text;
};

int run_queue_command(const QueueOptions& options);

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
