#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <variant>

#include "builders/fetch.hpp"
#include "daemon/commands/command_line.hpp"
#include "daemon/service/event_loop.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/terminal.hpp"

namespace {

using namespace tandem::daemon;

struct Perform {
  EventLoop& events;
  std::stop_token stop = events.stop_token();

  int operator()(const commands::Message& message) const {
    tandem::show("{}", message.text);
    return 0;
  }
  int operator()(const commands::CompareOptions& options) const { return commands::compare(options, stop); }
  int operator()(const commands::RunOptions& options) const {
    return commands::run_run_command(options, stop);
  }
  int operator()(const commands::CheckOptions& options) const { return commands::run_check_command(options); }
  int operator()(const commands::DaemonOptions& options) const {
    return commands::run_daemon_command(options, events);
  }
  int operator()(const commands::BisectOptions& options) const {
    return commands::run_bisect_command(options, events);
  }
  int operator()(const commands::ReportOptions& options) const {
    return commands::run_report_command(options);
  }
  int operator()(const commands::RecordOptions& options) const {
    return commands::run_record_command(options);
  }
  int operator()(const commands::QueueOptions& options) const { return commands::run_queue_command(options); }
  int operator()(const commands::StatusOptions& options) const {
    return commands::run_status_command(options);
  }
  int operator()(const commands::CacheOptions& options) const { return commands::run_cache_command(options); }
  int operator()(const commands::PlatformOptions& options) const {
    return commands::run_platform_command(options, stop);
  }
  int operator()(const commands::CalibrateOptions& options) const {
    return commands::run_calibrate_command(options, stop);
  }
  int operator()(const commands::FetchChild& child) const {
    return tandem::builders::fetch_in_child(child.arguments);
  }
};

/// Packs, pipes and the store need descriptors; the usual soft limit of 1024 is for programs that use select.
void raise_descriptor_limit() {
  constexpr rlim_t enough = 4096;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= enough) return;
  limit.rlim_cur = std::min(limit.rlim_max, enough);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// What is run without a sandbox may have this user: it shall neither read the environment and the memory of
/// this process nor trace it. Every program that is started from here is as open as ever.
void hide_from_foreign_code() {
  ::prctl(PR_SET_DUMPABLE, 0);
}

}  // namespace

int main(int argc, char** argv) {
  raise_descriptor_limit();
  hide_from_foreign_code();
  try {
    const auto request = commands::read_command_line(argc, argv);
    // While the host is set up for measuring, nothing ends before it is set back.
    const auto* platform = std::get_if<commands::PlatformOptions>(&request);
    const bool fixing = platform != nullptr && platform->action == commands::PlatformOptions::Action::fix;
    using Second = EventLoop::SecondSignal;
    EventLoop events(fixing ? Second::is_ignored : Second::ends_at_once);
    return events.run([&] { return std::visit(Perform{events}, request); });
  } catch (const tandem::InputError& error) {
    tandem::show(stderr, "tandem: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    tandem::show(stderr, "tandem: {}\n", error.what());
    return 4;
  }
}
