#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include "config/config_file.hpp"
#include "config/settings.hpp"
#include "daemon/commands/commands.hpp"
#include "daemon/commands/progress.hpp"
#include "daemon/commands/requests.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/report/status_report.hpp"
#include "daemon/service/loop.hpp"
#include "daemon/service/state_directory.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/terminal.hpp"
#include "specs/foundation/waiting.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::commands {
namespace {

namespace fs = std::filesystem;

std::optional<config::ConfigFile> config_file_of(const DaemonOptions& options) {
  if (!options.config_file) return std::nullopt;
  return config::load_config(*options.config_file);
}

Installation this_installation() {
  Installation installation = find_installation();
  installation.version = TANDEM_VERSION;
  return installation;
}

constexpr std::chrono::milliseconds look_every{500};

Request request_of(const BisectOptions& options, const WatchKey& key) {
  Request request;
  request.kind = Request::Kind::bisect;
  request.key = key;
  request.commit = options.bad;
  request.against = options.good;
  request.benchmark = options.benchmark;
  request.by = user_name();
  request.at = now_seconds();
  return request;
}

/// Waits for the running daemon's answer. After a stop, or if the daemon ends first, the request is
/// withdrawn; nothing comes back if the daemon ended.
std::optional<Request> ask_daemon(const BisectOptions& options, const fs::path& state_dir,
                                  const std::stop_token& stop) {
  store::Store store = open_known_store(state_dir);
  Request request = request_of(options, chosen_watch(store.scopes(), options.watch, {}));
  request.id = store.add_request(request);
  ProgressLine progress;
  progress.step(
      fmt::format("the daemon of {} searches; this is its request {}", state_dir.string(), request.id));
  do {
    if (auto now = store.request(request.id)) request = std::move(*now);
    const bool ended = request.state == Request::State::done || request.state == Request::State::failed;
    if (ended) return request;
    if (request.state == Request::State::waiting && !daemon_runs(state_dir)) break;
    progress.update(request.progress.empty() ? name_of(request.state) : request.progress);
  } while (pause_unless_stopped(look_every, stop));
  request.state = Request::State::failed;
  request.code = 4;
  request.answer = fmt::format("request {} was withdrawn", request.id);
  static_cast<void>(store.update_waiting_request(request));
  if (!stop.stop_requested()) return std::nullopt;
  return request;
}

Request search_here(const BisectOptions& options, const std::optional<config::ConfigFile>& file,
                    EventLoop& events) {
  config::Overrides overrides = options.daemon.overrides;
  overrides.once = true;
  const config::Settings settings = config::merge(file, overrides);
  std::vector<WatchKey> watches;
  for (const auto& watch : settings.watches) watches.push_back({watch.name, {}});
  Narrator narrator;
  Request request = run_request(settings, this_installation(), std::ref(narrator),
                                request_of(options, chosen_watch(watches, options.watch, {})), events);
  narrator.finish();
  return request;
}

}  // namespace

int run_daemon_command(const DaemonOptions& options, EventLoop& events) {
  const config::Settings settings = config::merge(config_file_of(options), options.overrides);
  Narrator narrator;
  const int code = run_daemon(settings, this_installation(), std::ref(narrator), events);
  narrator.finish();
  return code;
}

int run_status_command(const StatusOptions& options) {
  const auto state_dir = config::choose_state_dir(options.state_dir);
  const auto file = state_dir / "status.json";
  std::ifstream in(file);
  if (!in) throw InputError(fmt::format("there is no {}; give the daemon's --state_dir", file.string()));
  std::stringstream text;
  text << in.rdbuf();
  const auto life = daemon_life(state_dir, report::process_of(text.str()));
  const std::string json = report::with_daemon(text.str(), life);
  show("{}", options.format == Format::json ? json : report::status_text(json));
  return 0;
}

int run_bisect_command(const BisectOptions& options, EventLoop& events) {
  const auto file = config_file_of(options.daemon);
  const fs::path state_dir =
      config::choose_state_dir(options.daemon.overrides.state_dir, file ? file->top.state_dir : std::nullopt,
                               config::StateDirPlaces::of_this_process());
  std::optional<Request> asked;
  if (daemon_runs(state_dir)) asked = ask_daemon(options, state_dir, events.stop_token());
  const Request answered = asked ? *asked : search_here(options, file, events);
  if (options.format == Format::json) {
    show("{}", report::requests_json({answered}));
  } else if (answered.state == Request::State::failed) {
    show(stderr, "tandem: {}\n", answered.answer);
  } else {
    show("{}\n", answered.answer);
  }
  return answered.code;
}

}  // namespace tandem::daemon::commands
