#include "daemon/commands/walk_commands.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "config/config_file.hpp"
#include "config/state_dir.hpp"
#include "daemon/commands/narrator.hpp"
#include "daemon/daemon_life.hpp"
#include "daemon/loop.hpp"
#include "daemon/report/status_report.hpp"
#include "daemon/terminal.hpp"
#include "specs/error.hpp"

namespace tandem::daemon::commands {
namespace {

std::filesystem::path state_dir_of(const std::optional<std::filesystem::path>& flag) {
  return config::choose_state_dir(flag, std::nullopt, config::StateDirPlaces::of_this_process());
}

}  // namespace

int run_daemon_command(const DaemonOptions& options, const std::stop_token& stop) {
  std::optional<config::ConfigFile> file;
  if (options.config_file) file = config::load_config(*options.config_file);
  const config::Settings settings = config::merge(file, options.overrides);
  Installation installation = find_installation();
  installation.version = TANDEM_VERSION;
  Narrator narrator;
  const int code = run_daemon(settings, installation, std::ref(narrator), stop);
  narrator.finish();
  return code;
}

int run_status_command(const StatusOptions& options) {
  const auto state_dir = state_dir_of(options.state_dir);
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

}  // namespace tandem::daemon::commands
