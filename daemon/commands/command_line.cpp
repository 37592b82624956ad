#include "daemon/commands/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "builders/fetch.hpp"
#include "specs/error.hpp"

namespace tandem::daemon::commands {
namespace {

/// As CLI::Range, which lets "nan" through.
std::function<std::string(const std::string&)> between(double low, double high) {
  return [=](const std::string& text) {
    double value = 0;
    const bool inside = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
    return inside ? std::string() : fmt::format("{} is not between {} and {}", text, low, high);
  };
}

/// Nothing: auto.
std::optional<runners::Pairing> pairing_of(const std::string& word) {
  if (word == "auto") return std::nullopt;
  if (const auto pairing = runners::pairing_named(word)) return pairing;
  throw InputError(fmt::format(
      "--pairing: found \"{}\"; expected auto, alternate, duet, process or process_together", word));
}

/// Nothing: auto. The words are those of specs.
std::optional<runners::Protocol> protocol_of(const std::string& word) {
  using runners::Protocol;
  if (word == "auto") return std::nullopt;
  if (word == "sdk") return Protocol::slices;
  if (word == "observer") return Protocol::observer;
  if (word == "google_benchmark") return Protocol::google_benchmark;
  if (word == "benchdnn") return Protocol::benchdnn;
  if (word == "command") return Protocol::command;
  throw InputError(fmt::format(
      "--protocol {} is unknown; write auto, sdk, observer, google_benchmark, benchdnn or command", word));
}

std::shared_ptr<CompareOptions> add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Two executables, no spec: a verdict in seconds");
  command->add_option("CONTROL", options->control, "The executable to compare with")->required();
  command->add_option("TREATMENT", options->treatment, "The executable that may be slower")->required();
  command->add_option("ARGUMENTS", options->arguments, "After --: arguments for both");
  command->add_option("--margin", options->margin, "The change worth knowing, as a share (0.01 is 1 %)")
      ->check(between(0.0001, 1.0))
      ->capture_default_str();
  command
      ->add_option("--max_launches,--max-launches", options->max_launches, "Launches per benchmark, at most")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of all coins; drawn by chance if not given")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--timeout", options->timeout_seconds, "Seconds that one launch may take")
      ->check(between(0.1, 86400.0))
      ->capture_default_str();
  command->add_option("--filter", options->filter, "Only benchmarks whose name contains this");
  command->add_option_function<std::string>(
      "--pairing", [options](const std::string& word) { options->pairing = pairing_of(word); },
      "auto (default), alternate, duet, process or process_together");
  command->add_option_function<std::string>(
      "--protocol", [options](const std::string& word) { options->protocol = protocol_of(word); },
      "auto (default), sdk, observer, google_benchmark, benchdnn or command");
  command->add_option("--state_dir,--state-dir", options->state_dir,
                      "Where tandem calibrate kept what it found");
  command->add_flag("--measure_identical,--measure-identical", options->measure_identical,
                    "Run even if the two are the same, byte for byte");
  command->add_flag_callback(
      "--json", [options] { options->format = Format::json; }, "Print JSON");
  return options;
}

/// FAI-PEP's name of a flag and, where it has underscores, the same with dashes.
std::string spellings(const std::string& name) {
  std::string dashed = name;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return dashed == name ? "--" + name : fmt::format("--{},--{}", name, dashed);
}

template <class T>
void flag(CLI::App& command, const std::string& name, std::optional<T>& value, const std::string& help) {
  command.add_option(spellings(name), value, help);
}

void yes_flag(CLI::App& command, const std::string& name, std::optional<bool>& value,
              const std::string& help) {
  command.add_flag_callback(
      spellings(name), [&value] { value = true; }, help);
}

void seconds_flag(CLI::App& command, const std::string& name, std::optional<config::Seconds>& value,
                  const std::string& help) {
  command.add_option_function<double>(
      spellings(name), [&value](double seconds) { value = config::Seconds(seconds); }, help);
}

template <class T>
void choice_flag(CLI::App& command, const std::string& name, std::optional<T>& value,
                 T (*read)(std::string_view), const std::string& help) {
  command.add_option_function<std::string>(
      spellings(name), [&value, read](const std::string& word) { value = read(word); }, help);
}

void size_flag(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& value,
               const std::string& help) {
  choice_flag(command, name, value, config::bytes, help);
}

/// What is watched and how it is built and measured.
void add_walk_flags(CLI::App& command, DaemonOptions& options) {
  auto& o = options.overrides;
  flag(command, "config", options.config_file,
       "Config file: JSON with comments, watch: [...]; flags override it");
  flag(command, "repo_dir", o.repo_dir, "A clone, a path or a URL; a clone is never touched");
  flag(command, "repo", o.repo, "Version control: git or hg");
  flag(command, "key_file", o.key_file, "ssh key for the fetch; without it the agent's");
  flag(command, "token_file", o.token_file, "Holds user:password or a token for a fetch over http");
  flag(command, "remote_repository", o.remote_repository, "The clone's remote that is followed (origin)");
  flag(command, "branch", o.branch, "The branch (main)");
  flag(command, "framework", o.framework, "The folder of frameworks_dir that builds it");
  flag(command, "frameworks_dir", o.frameworks_dir,
       "Holds FRAMEWORK/PLATFORM/build.sh or FRAMEWORK/build.sh");
  command.add_option_function<std::string>(
      "--platforms", [&o](const std::string& list) { o.platforms = config::split_platforms(list); },
      "Build variants, a,b (linux)");
  flag(command, "benchmark_file", o.benchmark_file, "Spec or suite; without it the program's own list");
  flag(command, "base_commit", o.base_commit, "A control to use if it is later than the week's first commit");
  flag(command, "commit", o.commit, "The first commit of the walk (50 commits back)");
  flag(command, "commit_file", o.commit_file, "Resume file: the last examined commit is kept here");
  flag(command, "step", o.step, "Every N-th commit; the newest always");
  choice_flag(command, "control", o.control, config::control_rule, "Which control: week, parent, fixed, tag");
  flag(command, "control_tag", o.control_tag, "With --control tag: which tags count, such as v* (*)");
  choice_flag(command, "walk", o.walk, config::walk, "first_parent or all commits of the branch");
  choice_flag(command, "catch_up", o.catch_up, config::catch_up,
              "When behind: every commit, or newest and the others only if it is slower");
  flag(command, "margin", o.margin, "The change worth knowing, as a share (0.01)");
  yes_flag(command, "regression", o.regression, "Confirm suspects and write reports");
  yes_flag(command, "ab_testing", o.ab_testing, "Accepted: every run is control against treatment");
  yes_flag(command, "same_host", o.same_host, "Never build while measuring");
  yes_flag(command, "needs_git", o.needs_git, "Give builds a .git");
  flag(command, "exec_dir", o.exec_dir, "Executables by commit (STATE_DIR/cache)");
  flag(command, "state_dir", o.state_dir, "Status, reports, database, cache, logs");
  flag(command, "status_file", o.status_file, "Stop file: the daemon ends when it contains 0");
  seconds_flag(command, "interval", o.interval, "Seconds at least between two polls (60)");
  seconds_flag(command, "build_timeout", o.build_timeout, "Seconds that a build may take (3600)");
  seconds_flag(command, "benchmark_timeout", o.benchmark_timeout, "Seconds that a launch may take (300)");
  seconds_flag(command, "confirmation_time", o.confirmation_time,
               "Seconds that the confirmations of one commit may take; the rest waits for idle time (3600)");
  flag(command, "max_launches", o.max_launches, "Launches per screen, at most (66)");
  flag(command, "jobs", o.jobs, "TANDEM_JOBS of a build; 0: as many as cores");
  choice_flag(command, "sandbox", o.sandbox, config::isolation, "auto, required or none");
  flag(command, "sandbox_read", o.sandbox_read, "Paths that builds and benchmarks may read");
  size_flag(command, "build_memory", o.build_memory, "Bytes of memory of one build, such as 8G; 0: no limit");
  size_flag(command, "build_disk", o.build_disk, "Bytes that one build may write (64G)");
  flag(command, "build_processes", o.build_processes, "Processes of one build at a time (4096)");
  size_flag(command, "cache_budget", o.cache_budget, "Bytes that built executables may take (20G)");
  flag(command, "layouts", o.layouts, "Linkings per side that a screen draws from (4)");
}

std::shared_ptr<DaemonOptions> add_daemon(CLI::App& app) {
  auto options = std::make_shared<DaemonOptions>();
  CLI::App& command =
      *app.add_subcommand("daemon", "The service: polls a branch, reports the commit that made it slower");
  add_walk_flags(command, *options);
  auto& o = options->overrides;
  yes_flag(command, "calibrate", o.calibrate, "Calibrate in idle time (yes; with --once only if given)");
  command.add_flag_callback(
      spellings("no_calibrate"), [options] { options->overrides.calibrate = false; },
      "Never calibrate by itself");
  yes_flag(command, "once", o.once, "Up to the tip of the branch, then exit");
  return options;
}

std::shared_ptr<BisectOptions> add_bisect(CLI::App& app) {
  auto options = std::make_shared<BisectOptions>();
  CLI::App& command = *app.add_subcommand(
      "bisect", "Which commit changed a benchmark; asks the daemon of --state_dir if one runs");
  command.add_option("GOOD", options->good, "A commit before the change")->required();
  command.add_option("BAD", options->bad, "A commit after it, along first parents")->required();
  command.add_option("--benchmark", options->benchmark, "Only this one");
  command.add_option("--watch", options->watch, "Which watch, if there are several");
  command.add_flag_callback(
      "--json", [options] { options->format = Format::json; }, "Print JSON");
  add_walk_flags(command, options->daemon);
  return options;
}

/// `tandem report`, and in its second part the commands that change a record.
struct ReportCommands {
  ReportOptions report;
  RecordOptions record;
  bool changes = false;
};

RecordOptions::Action dismissal_of(const std::string& word) {
  if (word == "accepted") return RecordOptions::Action::accept;
  if (word == "false_alarm" || word == "false-alarm") return RecordOptions::Action::call_false_alarm;
  throw InputError(fmt::format("--as: found \"{}\"; expected accepted or false_alarm", word));
}

std::shared_ptr<ReportCommands> add_report(CLI::App& app) {
  auto options = std::make_shared<ReportCommands>();
  CLI::App& command = *app.add_subcommand("report", "Lists the regressions, or shows one");
  command.add_option("ID", options->report.id, "The beginning of a report's id");
  flag(command, "state_dir", options->report.state_dir, "Of the daemon");
  command.add_flag_callback(
      "--all", [options] { options->report.which = ReportOptions::Which::all; },
      "Also improvements, what only a layout has, what was not reproduced or is postponed, and what was "
      "superseded");
  command.add_flag_callback(
      "--json", [options] { options->report.format = Format::json; }, "Print JSON");
  command.require_subcommand(0, 1);
  using Action = RecordOptions::Action;
  const auto action = [&](const char* name, Action what, const char* help) -> CLI::App& {
    CLI::App& one = *command.add_subcommand(name, help);
    one.add_option("ID", options->record.id, "The beginning of a report's id")->required();
    flag(one, "state_dir", options->record.state_dir, "Of the daemon");
    one.add_option("--by", options->record.by, "Who says so (the user's name)");
    one.add_option("--reason", options->record.reason, "Why");
    one.callback([options, what] {
      options->changes = true;
      if (what != Action::accept) options->record.action = what;
      if (!options->record.state_dir) options->record.state_dir = options->report.state_dir;
    });
    return one;
  };
  action("ack", Action::acknowledge, "Someone looks after it");
  action("dismiss", Action::accept, "Ends it: it is wanted so, or it never was; needs --as and --reason")
      .add_option_function<std::string>(
          "--as", [options](const std::string& word) { options->record.action = dismissal_of(word); },
          "accepted: the new speed is right; false_alarm: nothing had changed")
      ->required();
  action("reopen", Action::reopen, "Takes back an end or an acknowledgement");
  action("rerun", Action::rerun, "Asks the daemon to confirm it once more");
  return options;
}

std::shared_ptr<QueueOptions> add_queue(CLI::App& app) {
  auto options = std::make_shared<QueueOptions>();
  CLI::App& command = *app.add_subcommand("queue", "Asks the daemon to measure a commit next");
  using Action = QueueOptions::Action;
  command.add_option("COMMIT", options->commit, "A hash or the beginning of one, a branch or a tag");
  command.add_option("--against", options->against, "The control (that of the watch's rule)");
  command.add_option("--benchmark", options->benchmark, "Only this one");
  command.add_option("--watch", options->watch, "Which watch, if there are several");
  command.add_option("--platform", options->platform, "Only this one");
  command.add_option("--by", options->by, "Who asks (the user's name)");
  flag(command, "state_dir", options->state_dir, "Of the daemon");
  auto* list = command.add_flag_callback(
      "--list", [options] { options->action = Action::list; }, "Shows the newest 20 and what came of them");
  command
      .add_option_function<std::int64_t>(
          "--cancel",
          [options](const std::int64_t& request) {
            options->action = Action::cancel;
            options->request = request;
          },
          "Ends the one with this number if it still waits")
      ->excludes(list);
  command.add_flag_callback(
      "--json", [options] { options->format = Format::json; }, "With --list: print JSON");
  command.callback([options] {
    const bool adds = options->action == Action::add;
    if (adds && options->commit.empty()) {
      throw InputError("tandem queue needs a COMMIT, or --list, or --cancel with a number");
    }
    if (!adds && !options->commit.empty()) {
      throw InputError("tandem queue takes either a COMMIT or --list or --cancel");
    }
  });
  return options;
}

std::shared_ptr<StatusOptions> add_status(CLI::App& app) {
  auto options = std::make_shared<StatusOptions>();
  CLI::App& command = *app.add_subcommand("status", "What the daemon is doing");
  flag(command, "state_dir", options->state_dir, "Of the daemon");
  command.add_flag_callback(
      "--json", [options] { options->format = Format::json; }, "Print JSON");
  return options;
}

std::shared_ptr<CacheOptions> add_cache(CLI::App& app) {
  auto options = std::make_shared<CacheOptions>();
  CLI::App& command = *app.add_subcommand("cache", "The executables that were built and are kept");
  command.require_subcommand(1);
  using Action = CacheOptions::Action;
  const auto action = [&](const char* name, Action what, const char* help) -> CLI::App& {
    CLI::App& one = *command.add_subcommand(name, help);
    one.callback([options, what] { options->action = what; });
    flag(one, "state_dir", options->state_dir, "Of the daemon");
    flag(one, "exec_dir", options->exec_dir, "Executables by commit (STATE_DIR/cache)");
    if (what != Action::add) {
      one.add_flag_callback(
          "--json", [options] { options->format = Format::json; }, "Print JSON");
    }
    return one;
  };
  action("list", Action::list, "What there is, how large, when it was last used");
  action("verify", Action::verify, "Reads every file; exits with 4 if one is damaged");
  CLI::App& prune = action("prune", Action::prune, "Drops the least recently used until the budget is kept");
  size_flag(prune, "budget", options->budget, "Bytes that may stay, such as 512M or 20G");
  prune.add_option("--commit", options->commit, "Drops all of this commit instead; 7 digits or more");
  prune.add_flag(spellings("dry_run"), options->dry_run, "Only say what would be dropped");
  CLI::App& add = action("add", Action::add, "Keeps a program that was built elsewhere for a commit");
  add.add_option("--framework", options->framework, "As the daemon's --framework")->required();
  add.add_option("--platform", options->platform, "As one of its --platforms")->capture_default_str();
  add.add_option("--commit", options->commit, "The commit it was built from, all digits")->required();
  add.add_option("PROGRAM", options->program, "The program")->required();
  add.add_option("FILES", options->files, "What belongs beside it");
  return options;
}

std::shared_ptr<PlatformOptions> add_platform(CLI::App& app) {
  auto options = std::make_shared<PlatformOptions>();
  CLI::App& command = *app.add_subcommand("platform", "Instruction sets, topology, readiness for measuring");
  using Action = PlatformOptions::Action;
  auto* fix = command.add_flag_callback(
      "--fix", [options] { options->action = Action::fix; },
      "As root: set the host up for measuring until Ctrl-C, or while COMMAND runs, then set it back");
  command
      .add_flag_callback(
          "--restore", [options] { options->action = Action::restore; }, "Set back what a killed --fix left")
      ->excludes(fix);
  command.add_option("COMMAND", options->command,
                     "After --: run with the host set up; its status is returned");
  flag(command, "state_dir", options->state_dir, "Where --fix notes what was set before (/run/tandem)");
  command.add_flag_callback(
      "--json", [options] { options->format = Format::json; }, "Print JSON");
  return options;
}

std::shared_ptr<CalibrateOptions> add_calibrate(CLI::App& app) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App& command = *app.add_subcommand(
      "calibrate", "This host: noise floor, minimum detectable effect, the best pairing of each benchmark");
  command.add_option("PROGRAM", options->program, "An executable to run next to itself; without it our own");
  command.add_option("ARGUMENTS", options->arguments, "After --: its arguments");
  command.add_option("--filter", options->filter, "Only benchmarks whose name contains this");
  command.add_option("--margin", options->margin, "The change worth knowing, as a share (0.01 is 1 %)")
      ->check(between(0.0001, 1.0))
      ->capture_default_str();
  command.add_option("--budget", options->budget_seconds, "Seconds that one benchmark may take")
      ->check(between(0.1, 3600.0))
      ->capture_default_str();
  command.add_option_function<std::string>(
      "--pairing", [options](const std::string& word) { options->pairing = pairing_of(word); },
      "auto (default), alternate, duet, process or process_together");
  command.add_option("--seed", options->seed, "Seed of all coins; drawn by chance if not given")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--timeout", options->timeout_seconds, "Seconds that one launch may take")
      ->check(between(0.1, 86400.0))
      ->capture_default_str();
  flag(command, "state_dir", options->state_dir, "Where it is kept");
  command.add_flag_callback(
      "--stored", [options] { options->action = CalibrateOptions::Action::show_stored; },
      "Measure nothing, show what is kept");
  command.add_flag_callback(
      "--json", [options] { options->format = Format::json; }, "Print JSON");
  return options;
}

}  // namespace

Command read_command_line(int argc, const char* const* argv) {
  CLI::App app("Tandem says which commit made a framework slower, and otherwise says nothing.", "tandem");
  app.require_subcommand(1);
  app.set_version_flag("--version", "tandem " TANDEM_VERSION);
  if (argc > 1 && std::string_view(argv[1]) == builders::fetch_protocol::command) {
    return FetchChild{{argv + 2, argv + argc}};
  }
  const auto compare = add_compare(app);
  const auto daemon = add_daemon(app);
  const auto report = add_report(app);
  const auto queue = add_queue(app);
  const auto bisect = add_bisect(app);
  const auto status = add_status(app);
  const auto cache = add_cache(app);
  const auto platform = add_platform(app);
  const auto calibrate = add_calibrate(app);
  const auto named = [&](const CLI::App* one) { return one->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && std::as_const(app).get_subcommands(named).empty()) {
    throw InputError(fmt::format("there is no command {}; tandem --help lists them", argv[1]));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Message{app.help()};
  } catch (const CLI::CallForVersion&) {
    return Message{app.version() + "\n"};
  } catch (const CLI::ParseError& error) {
    throw InputError(std::string(error.what()) +
                     "; tandem --help and tandem COMMAND --help list what is allowed");
  }
  if (app.got_subcommand("daemon")) return *daemon;
  if (app.got_subcommand("report")) {
    if (report->changes) return report->record;
    return report->report;
  }
  if (app.got_subcommand("queue")) return *queue;
  if (app.got_subcommand("bisect")) return *bisect;
  if (app.got_subcommand("status")) return *status;
  if (app.got_subcommand("cache")) return *cache;
  if (app.got_subcommand("platform")) return *platform;
  if (app.got_subcommand("calibrate")) return *calibrate;
  return *compare;
}

}  // namespace tandem::daemon::commands
