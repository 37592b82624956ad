#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "daemon/service/event_loop.hpp"
#include "runners/pairing/pair_runner.hpp"
#include "runners/pairing/pairing.hpp"
#include "specs/benchmark/spec.hpp"

// What each command of tandem is told, and the function that does it. Each prints its results on standard
// output and what it says beside them on standard error, returns the exit code of the design, and throws
// InputError for what a person has to write differently.
namespace tandem::daemon::commands {

enum class Format { text, json };

/// `tandem compare CONTROL TREATMENT [-- ARGUMENTS]`.
struct CompareOptions {
  std::string control;
  std::string treatment;
  std::vector<std::string> arguments;
  std::string filter;    ///< only benchmarks whose name contains it
  double margin = 0.01;  ///< as a share
  std::size_t max_launches = 66;
  std::optional<std::uint64_t> seed;
  double timeout_seconds = 60;  ///< of one launch
  bool measure_identical = false;
  std::optional<std::filesystem::path> state_dir;  ///< where `tandem calibrate` keeps what it found
  std::optional<runners::Pairing> pairing;         ///< nothing: auto
  std::optional<runners::Protocol> protocol;       ///< nothing: found out
  Format format = Format::text;
};
int compare(const CompareOptions& options, const std::stop_token& stop);

/// `tandem calibrate [PROGRAM [-- ARGUMENTS]]`.
struct CalibrateOptions {
  std::string program;  ///< empty: the one that is installed for this
  std::vector<std::string> arguments;
  std::string filter;                       ///< only benchmarks whose name contains it
  double margin = 0.01;                     ///< as a share
  double budget_seconds = 30;               ///< of one benchmark
  std::optional<runners::Pairing> pairing;  ///< nothing: all that are possible
  std::optional<std::uint64_t> seed;
  double timeout_seconds = 60;  ///< of one launch
  std::optional<std::filesystem::path> state_dir;
  enum class Action { measure, show_stored } action = Action::measure;
  Format format = Format::text;
};
/// Measures the program next to itself, and keeps what that says about this host in the state directory,
/// under the watch "by hand". Returns 0; 3 if a benchmark is unfit or unmeasurable; 4 if a program failed.
int run_calibrate_command(const CalibrateOptions& options, const std::stop_token& stop);

/// `tandem daemon`: the service, or one pass with --once.
struct DaemonOptions {
  std::optional<std::filesystem::path> config_file;
  config::Overrides overrides;
};
int run_daemon_command(const DaemonOptions& options, EventLoop& events);

/// `tandem status`.
struct StatusOptions {
  std::optional<std::filesystem::path> state_dir;
  Format format = Format::text;
};
int run_status_command(const StatusOptions& options);

/// `tandem bisect GOOD BAD`: which commit after GOOD, up to BAD, changed a benchmark.
struct BisectOptions {
  DaemonOptions daemon;  ///< what is watched, as the daemon takes it; a running one knows it already
  std::string good;
  std::string bad;
  std::string benchmark;  ///< empty: all
  std::string watch;      ///< may be empty if there is one only
  Format format = Format::text;
};
/// Asks the daemon of the state directory if one runs, else searches in this process.
int run_bisect_command(const BisectOptions& options, EventLoop& events);

/// `tandem run [[CONTROL] TREATMENT] [-- ARGUMENTS]`: specs, or a program's own benchmarks, once.
struct RunOptions {
  DaemonOptions daemon;                ///< everything that it shares with the daemon
  std::vector<std::string> builds;     ///< at most two: programs, or commits of --repo_dir
  std::vector<std::string> arguments;  ///< of a program without a spec
  std::string info;                    ///< FAI-PEP's: JSON text or a file
  std::string filter;
  std::optional<std::uint64_t> seed;
  std::optional<runners::Pairing> pairing;
  std::optional<runners::Protocol> protocol;
  std::vector<std::string> command;  ///< as typed, without secrets
  Format format = Format::text;      ///< json: the records as lines on standard output
};
/// Results go to the reporters; without any, to the screen.
int run_run_command(const RunOptions& options, const std::stop_token& stop);

/// `tandem check FILE…`: benchmark files, suites and configurations, told apart by their keys.
struct CheckOptions {
  std::vector<std::filesystem::path> files;
  specs::SpecOptions options;
  Format format = Format::text;
  std::optional<std::string> schema;  ///< prints the JSON Schema of "benchmark" (or "") files instead
};
/// Prints every problem of every file with its place and what is allowed there, then how many there are.
/// Notices are what is accepted and has no effect; they are no problems. Returns 0, or 2 if there is a
/// problem.
int run_check_command(const CheckOptions& options);

/// `tandem report [ID]`.
struct ReportOptions {
  std::optional<std::filesystem::path> state_dir;
  std::string id;
  enum class Which { regressions, all } which = Which::regressions;
  Format format = Format::text;
};
int run_report_command(const ReportOptions& options);

/// `tandem report ack|dismiss|reopen|rerun ID`: what a person has to say to a record.
struct RecordOptions {
  enum class Action { acknowledge, accept, call_false_alarm, reopen, rerun };
  Action action = Action::acknowledge;
  std::optional<std::filesystem::path> state_dir;
  std::string id;  ///< or the beginning of one
  std::string by;  ///< empty: the user's name
  std::string reason;
};
/// Changes the record in the store and its files in `reports/`, also while a daemon runs.
int run_record_command(const RecordOptions& options);

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

/// `tandem cache list|verify|prune|add`.
struct CacheOptions {
  enum class Action { list, verify, prune, add } action = Action::list;
  std::optional<std::filesystem::path> state_dir;
  std::optional<std::filesystem::path> exec_dir;  ///< nothing: <state_dir>/cache
  Format format = Format::text;
  std::optional<std::uint64_t> budget;  ///< prune: bytes that may stay
  std::string commit;                   ///< prune: the beginning of one whose entries go; add: the whole id
  bool dry_run = false;
  std::string framework;
  std::string platform = "linux";
  std::filesystem::path program;
  std::vector<std::filesystem::path> files;  ///< what belongs beside the program
};
/// Returns 4 if something is damaged, or is in use where it should have been dropped.
int run_cache_command(const CacheOptions& options);

/// `tandem platform [--json | --fix [-- COMMAND] | --restore]`.
struct PlatformOptions {
  enum class Action { show, fix, restore } action = Action::show;
  Format format = Format::text;
  std::optional<std::filesystem::path> state_dir;  ///< of the journal; nothing: /run/tandem
  std::vector<std::string> command;                ///< of `fix`; empty: until a stop request
  std::filesystem::path root = "/";                ///< above /proc and /sys
  std::chrono::milliseconds steal_time{1000};
};
/// Shows the host's readiness and returns 0. `fix` sets the host up, holds it so and sets it back, and
/// returns the command's status; it and `restore` return 4 if something could not be set back. Both print on
/// standard error alone, so that the command has standard output to itself, and are for root only.
int run_platform_command(const PlatformOptions& options, const std::stop_token& stop);

}  // namespace tandem::daemon::commands
