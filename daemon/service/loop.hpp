#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "config/settings.hpp"
#include "daemon/records/request.hpp"
#include "daemon/records/status.hpp"
#include "daemon/service/event_loop.hpp"

namespace tandem::daemon {

/// What the loop needs to know of its surroundings.
struct Installation {
  std::string version = "unknown";
  std::filesystem::path program;         ///< this executable, started again for fetches
  std::filesystem::path sdk_dir;         ///< given to build scripts
  std::filesystem::path frameworks_dir;  ///< used where a watch names none
  std::filesystem::path shim;            ///< the program inside a sandbox
  std::filesystem::path linker;          ///< the folder of the wrapper that captures links
  std::filesystem::path host_check;      ///< what is calibrated without a program
};

/// Told whenever the status has changed, between launches only.
using Watcher = std::function<void(const Status&)>;

/// Runs all watches until the stop request, or once to the tips of their branches. Returns the exit code of
/// the design: for one pass 1 if a regression is open, else 4 if a tip could not be built or measured, else 3
/// if one is inconclusive, else 0; the service returns 0.
///
/// Bad settings throw InputError before anything is done. Later failures of the outside are stored and shown,
/// and the loop goes on.
int run_daemon(const config::Settings& settings, const Installation& installation, const Watcher& watcher,
               EventLoop& events);

/// Answers one request in this process, without a walk, and returns it with its answer. Throws as above.
Request run_request(const config::Settings& settings, const Installation& installation,
                    const Watcher& watcher, Request request, EventLoop& events);

/// Where this program's SDK and example frameworks lie: beside an installed program, or in its source tree.
[[nodiscard]] Installation find_installation();

}  // namespace tandem::daemon
