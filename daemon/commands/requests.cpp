#include "daemon/commands/requests.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "config/settings.hpp"
#include "daemon/commands/commands.hpp"
#include "daemon/report/record_report.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/file_lock.hpp"
#include "specs/foundation/terminal.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::commands {
namespace {

namespace fs = std::filesystem;
using QueueAction = QueueOptions::Action;
using store::Store;

constexpr std::size_t listed = 20;

bool same_wish(const Request& one, const Request& other) {
  return one.kind == other.kind && one.origin == other.origin && one.key == other.key &&
         one.commit == other.commit && one.against == other.against && one.benchmark == other.benchmark &&
         one.record == other.record;
}

int add_request(const fs::path& state_dir, const QueueOptions& options) {
  Store store = open_known_store(state_dir);
  Request request;
  request.key = chosen_watch(store.scopes(), options.watch, options.platform);
  request.commit = options.commit;
  request.against = options.against;
  request.benchmark = options.benchmark;
  request.by = options.by.empty() ? user_name() : options.by;
  request.at = now_seconds();
  queue(store, state_dir, request);
  return 0;
}

int list_requests(const fs::path& state_dir, Format format) {
  const Store store(state_dir / "tandem.db", Store::Mode::read);
  const auto requests = store.newest_requests(listed);
  show("{}", format == Format::json ? report::requests_json(requests) : report::requests_text(requests));
  return 0;
}

int cancel(const fs::path& state_dir, const QueueOptions& options) {
  Store store = open_known_store(state_dir);
  auto request = store.request(options.request);
  if (!request) {
    throw InputError(fmt::format("there is no request {}; tandem queue --list shows them", options.request));
  }
  request->state = Request::State::failed;
  request->progress.clear();
  request->answer = fmt::format("cancelled by {}", options.by.empty() ? user_name() : options.by);
  if (!store.update_waiting_request(*request)) {
    const auto now = store.request(options.request);
    throw InputError(fmt::format("request {} does not wait any more, it is {}", options.request,
                                 now ? name_of(now->state) : "gone"));
  }
  show("request {} is cancelled\n", options.request);
  return 0;
}

}  // namespace

int run_queue_command(const QueueOptions& options) {
  const fs::path state_dir = config::choose_state_dir(options.state_dir);
  switch (options.action) {
    case QueueAction::list:
      return list_requests(state_dir, options.format);
    case QueueAction::cancel:
      return cancel(state_dir, options);
    case QueueAction::add:
      break;
  }
  return add_request(state_dir, options);
}

Store open_known_store(const fs::path& state_dir) {
  const fs::path file = state_dir / "tandem.db";
  // Opening it for reading first neither makes a new file nor touches one of another version.
  static_cast<void>(Store(file, Store::Mode::read));
  return {file, Store::Mode::write};
}

void queue(Store& store, const fs::path& state_dir, const Request& request) {
  const auto waiting = store.waiting_requests(request.key.watch);
  const auto same = std::find_if(waiting.begin(), waiting.end(),
                                 [&](const Request& one) { return same_wish(one, request); });
  if (same != waiting.end()) {
    show("waits already as {}; tandem queue --list shows what came of it\n", same->id);
  } else {
    show("queued as {}; tandem queue --list shows what came of it\n", store.add_request(request));
  }
  if (!daemon_runs(state_dir)) {
    show("no daemon runs with {}; it is done when one does\n", state_dir.string());
  }
}

WatchKey chosen_watch(const std::vector<WatchKey>& known, const std::string& wanted,
                      const std::string& platform) {
  if (known.empty()) {
    throw InputError("no watch is known here yet; start the daemon first, or give its --state_dir");
  }
  std::set<std::string> watches;
  for (const WatchKey& key : known) watches.insert(key.watch);
  std::string watch = wanted;
  if (watch.empty() && watches.size() > 1) {
    throw InputError(
        fmt::format("there are several watches; write --watch and one of {}", fmt::join(watches, ", ")));
  }
  if (watch.empty()) watch = *watches.begin();
  if (!watches.contains(watch)) {
    throw InputError(fmt::format("--watch {} is unknown; there is {}", watch, fmt::join(watches, ", ")));
  }
  std::set<std::string> platforms;
  for (const WatchKey& key : known) {
    if (key.watch == watch) platforms.insert(key.platform);
  }
  if (!platform.empty() && !platforms.contains(platform)) {
    throw InputError(
        fmt::format("--platform {} is unknown; {} has {}", platform, watch, fmt::join(platforms, ", ")));
  }
  return {watch, platform};
}

bool daemon_runs(const fs::path& state_dir) {
  return is_locked(state_dir / "daemon.lock");
}

std::string user_name() {
  const auto* user = ::getpwuid(::getuid());
  return user != nullptr ? user->pw_name : fmt::format("user {}", ::getuid());
}

}  // namespace tandem::daemon::commands
