#include "daemon/commands/walk_commands.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "config/config_file.hpp"
#include "config/settings.hpp"
#include "daemon/commands/progress.hpp"
#include "daemon/report/status_report.hpp"
#include "daemon/service/loop.hpp"
#include "daemon/service/state_directory.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/terminal.hpp"

namespace tandem::daemon::commands {

int run_daemon_command(const DaemonOptions& options, EventLoop& events) {
  std::optional<config::ConfigFile> file;
  if (options.config_file) file = config::load_config(*options.config_file);
  const config::Settings settings = config::merge(file, options.overrides);
  Installation installation = find_installation();
  installation.version = TANDEM_VERSION;
  Narrator narrator;
  const int code = run_daemon(settings, installation, std::ref(narrator), events);
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

}  // namespace tandem::daemon::commands
