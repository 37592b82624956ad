#pragma once

#include "config/settings.hpp"
#include "daemon/records/request.hpp"
#include "daemon/records/status.hpp"
#include "daemon/service/event_loop.hpp"
#include "daemon/service/installation.hpp"

namespace tandem::daemon {

/// Runs all watches until the stop request, or once to the tips of their branches. Returns the exit code of
/// the design: for one pass 1 if a regression is open, else 4 if a tip could not be built or measured, else 3
/// if one is inconclusive, else 0; the service returns 0.
///
/// Bad settings throw InputError before anything is done. Later failures of the outside are stored and shown,
/// and the loop goes on.
int run_daemon(const config::Settings& settings, const Installation& installation, const ShowStatus& show,
               EventLoop& events);

/// Answers one request in this process, without a walk, and returns it with its answer. Throws as above.
Request run_request(const config::Settings& settings, const Installation& installation,
                    const ShowStatus& show, Request request, EventLoop& events);

}  // namespace tandem::daemon
