#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "daemon/commands/commands.hpp"
#include "daemon/report/platform_report.hpp"
#include "daemon/service/installation.hpp"
#include "runners/host/foreground.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/terminal.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::daemon::commands {
namespace {

namespace fs = std::filesystem;
using PlatformAction = PlatformOptions::Action;

void check(const PlatformOptions& options) {
  if (options.action == PlatformAction::show) {
    if (!options.command.empty()) throw InputError("a command after -- needs --fix");
    return;
  }
  if (options.format == Format::json)
    throw InputError("--json shows the host; it does not go with --fix or --restore");
  if (options.action == PlatformAction::restore && !options.command.empty()) {
    throw InputError("--restore takes no command; it only sets back what a killed --fix left");
  }
  if (options.root == "/" && ::geteuid() != 0) {
    throw InputError("only root may set the host up for measuring; run it with sudo");
  }
}

fs::path journal_folder(const PlatformOptions& options) {
  return options.state_dir ? fs::absolute(*options.state_dir) : fs::path("/run/tandem");
}

int show_platform(const PlatformOptions& options, const std::stop_token& stop) {
  const runners::PlatformSources sources{options.root};
  const auto platform = runners::assess_platform(
      sources, runners::try_host(sources, find_installation().shim, options.steal_time, stop));
  const std::string text = options.format == Format::json
                               ? report::platform_json(platform, runners::choose_cpus(platform.topology))
                               : report::platform_text(platform);
  show("{}", text);
  return 0;
}

int say(const runners::Restored& restored) {
  show(stderr, "{}", report::restored_text(restored));
  return restored.failures.empty() ? 0 : 4;
}

int fix(const PlatformOptions& options, const std::stop_token& stop) {
  runners::PlatformFix set({options.root}, journal_folder(options));
  if (const auto left = report::restored_text(set.leftovers()); !left.empty()) {
    show(stderr, "An earlier --fix was killed:\n{}", left);
  }
  show(stderr, "{}", report::fix_text(set.steps()));
  int status = 0;
  if (!options.command.empty()) {
    status = runners::run_in_foreground(options.command, stop);
  } else {
    show(stderr, "The host stays so until Ctrl-C or SIGTERM.\n");
    while (pause_unless_stopped(std::chrono::hours{24}, stop)) {
    }
  }
  const int restoring = say(set.restore());
  return status != 0 ? status : restoring;
}

int restore(const PlatformOptions& options) {
  const auto restored = runners::restore_host({options.root}, journal_folder(options));
  if (report::restored_text(restored).empty()) show(stderr, "There is nothing to set back.\n");
  return say(restored);
}

}  // namespace

int run_platform_command(const PlatformOptions& options, const std::stop_token& stop) {
  check(options);
  switch (options.action) {
    case PlatformAction::fix:
      return fix(options, stop);
    case PlatformAction::restore:
      return restore(options);
    case PlatformAction::show:
      break;
  }
  return show_platform(options, stop);
}

}  // namespace tandem::daemon::commands
