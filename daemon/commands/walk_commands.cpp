#include "daemon/commands/walk_commands.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "config/config_file.hpp"
#include "config/state_dir.hpp"
#include "daemon/commands/progress_line.hpp"
#include "daemon/loop.hpp"
#include "daemon/report/status_report.hpp"
#include "specs/error.hpp"

namespace tandem::daemon::commands {
namespace {

std::filesystem::path state_dir_of(const std::optional<std::filesystem::path>& flag) {
  return config::choose_state_dir(flag, std::nullopt, config::StateDirPlaces::of_this_process());
}

/// Turns status changes into what a person reads: verdicts and failures as lines, the rest as progress.
class Narrator {
 public:
  void operator()(const Status& status) {
    if (!started_) {
      // What an earlier run found is in the status already; it is no news.
      started_ = true;
      if (!status.failed_builds.empty()) failure_ = key_of(status.failed_builds.front());
      if (!status.last_verdicts.empty()) verdict_ = key_of(status.last_verdicts.front());
    }
    if (status.commit.id != commit_) {
      commit_ = status.commit.id;
      if (!commit_.empty()) say(fmt::format("{} {}", commit_.substr(0, 8), status.commit.subject));
    }
    if (!status.failed_builds.empty() && key_of(status.failed_builds.front()) != failure_) {
      failure_ = key_of(status.failed_builds.front());
      say(fmt::format("  does not build: {}", status.failed_builds.front().sentence));
    }
    if (!status.last_verdicts.empty()) {
      const auto& newest = status.last_verdicts.front();
      if (key_of(newest) != verdict_) {
        verdict_ = key_of(newest);
        const bool screened = newest.sentence.starts_with(newest.outcome) || newest.outcome == "slower" ||
                              newest.outcome == "faster";
        say(fmt::format("  {}: {}{}{}", newest.benchmark, screened ? "" : newest.outcome, screened ? "" : " ",
                        newest.sentence));
      }
    }
    if (status.last_error != error_) {
      error_ = status.last_error;
      say(fmt::format("tandem: {}", error_));
    }
    progress_.update(report::status_line(status));
  }
  void finish() { progress_.clear(); }

 private:
  static std::string key_of(const Status::LastVerdict& verdict) {
    return verdict.platform + "\n" + verdict.commit + "\n" + verdict.benchmark;
  }

  static std::string key_of(const Status::FailedBuild& build) { return build.platform + "\n" + build.commit; }

  void say(const std::string& line) {
    progress_.clear();
    fmt::print(stderr, "{}\n", line);
  }

  ProgressLine progress_;
  bool started_ = false;
  std::string commit_;
  std::string verdict_;
  std::string error_;
  std::string failure_;
};

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
  const auto file = state_dir_of(options.state_dir) / "status.json";
  std::ifstream in(file);
  if (!in) throw InputError(fmt::format("there is no {}; give the daemon's --state_dir", file.string()));
  std::stringstream text;
  text << in.rdbuf();
  fmt::print("{}", options.format == Format::json ? text.str() : report::status_text(text.str()));
  return 0;
}

}  // namespace tandem::daemon::commands
