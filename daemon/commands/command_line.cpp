#include "daemon/commands/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "builders/fetch.hpp"
#include "config/flags.hpp"
#include "daemon/harness/run_labels.hpp"
#include "specs/benchmark/spec.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/terminal.hpp"

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
  static const std::map<std::string_view, Protocol> protocols = {
      {"sdk", Protocol::slices},
      {"observer", Protocol::observer},
      {"google_benchmark", Protocol::google_benchmark},
      {"benchdnn", Protocol::benchdnn},
      {"command", Protocol::command}};
  if (word == "auto") return std::nullopt;
  if (const auto found = protocols.find(word); found != protocols.end()) return found->second;
  throw InputError(fmt::format(
      "--protocol {} is unknown; write auto, sdk, observer, google_benchmark, benchdnn or command", word));
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

/// A flag without a value: `to` becomes `value` if it is given.
template <class T, class Value>
CLI::Option* value_flag(CLI::App& command, const std::string& name, T& to, Value value, const char* help) {
  return command.add_flag_callback(
      spellings(name), [&to, value] { to = value; }, help);
}

void json_flag(CLI::App& command, Format& format, const char* help = "Print JSON") {
  value_flag(command, "json", format, Format::json, help);
}

void protocol_flag(CLI::App& command, std::optional<runners::Protocol>& protocol, const char* help) {
  command.add_option_function<std::string>(
      "--protocol", [&protocol](const std::string& word) { protocol = protocol_of(word); }, help);
}

/// Of every command that measures programs which are given to it.
template <class Options>
void measuring_flags(CLI::App& command, Options& options) {
  command.add_option("--filter", options.filter, "Only benchmarks whose name contains this");
  command.add_option("--seed", options.seed, "Seed of all coins; drawn by chance if not given")
      ->check(CLI::NonNegativeNumber);
  command.add_option_function<std::string>(
      "--pairing", [&options](const std::string& word) { options.pairing = pairing_of(word); },
      "auto (default), alternate, duet, process or process_together");
}

/// The same, of those that have no spec and no settings.
template <class Options>
void limit_flags(CLI::App& command, Options& options) {
  command.add_option("--margin", options.margin, "The change worth knowing, as a share (0.01 is 1 %)")
      ->check(between(0.0001, 1.0))
      ->capture_default_str();
  command.add_option("--timeout", options.timeout_seconds, "Seconds that one launch may take")
      ->check(between(0.1, 86400.0))
      ->capture_default_str();
}

std::shared_ptr<CompareOptions> add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App& command = *app.add_subcommand("compare", "Two executables, no spec: a verdict in seconds");
  command.add_option("CONTROL", options->control, "The executable to compare with")->required();
  command.add_option("TREATMENT", options->treatment, "The executable that may be slower")->required();
  command.add_option("ARGUMENTS", options->arguments, "After --: arguments for both");
  limit_flags(command, *options);
  command.add_option(spellings("max_launches"), options->max_launches, "Launches per benchmark, at most")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  measuring_flags(command, *options);
  protocol_flag(command, options->protocol,
                "auto (default), sdk, observer, google_benchmark, benchdnn or command");
  flag(command, "state_dir", options->state_dir, "Where tandem calibrate kept what it found");
  command.add_flag(spellings("measure_identical"), options->measure_identical,
                   "Run even if the two are the same, byte for byte");
  json_flag(command, options->format);
  return options;
}

/// The settings of the flags that were given are kept in `given`, which outlives the command.
void add_flags(CLI::App& command, const config::Flags& flags, std::vector<std::string>& given) {
  using Takes = config::Flag::Takes;
  for (const config::Flag& one : flags) {
    const auto note = [&given, one](const std::string& value) {
      one.set(value);
      given.push_back(one.setting);
    };
    if (one.takes == Takes::nothing) {
      command.add_flag_callback(
          spellings(one.name), [note] { note("true"); }, one.help);
    } else if (one.takes == Takes::one) {
      command.add_option_function<std::string>(spellings(one.name), note, one.help);
    } else {
      command
          .add_option_function<std::vector<std::string>>(
              spellings(one.name),
              [note](const std::vector<std::string>& values) {
                std::for_each(values.begin(), values.end(), note);
              },
              one.help)
          ->allow_extra_args(false);
    }
  }
}

/// A command with flags that others have too.
template <class Options>
struct Shared {
  Options options;
  config::Flags flags;
  std::vector<std::string> given;  ///< their settings, as they came
};

DaemonOptions& walk_of(DaemonOptions& options) {
  return options;
}
template <class Options>
DaemonOptions& walk_of(Options& options) {
  return options.daemon;
}

template <class Options>
std::shared_ptr<Shared<Options>> add_shared(CLI::App& command) {
  auto shared = std::make_shared<Shared<Options>>();
  DaemonOptions& walk = walk_of(shared->options);
  shared->flags = config::shared_flags(walk.overrides);
  shared->flags.insert(
      shared->flags.begin(),
      {"config", "config", "Config file: JSON with comments, watch: [...]; flags override it",
       config::Flag::Takes::one, [&walk](const std::string& file) { walk.config_file = file; }});
  add_flags(command, shared->flags, shared->given);
  return shared;
}

/// What the benchmark file says of flags counts where they were not given.
template <class Options>
const Options& with_defaults(Shared<Options>& shared) {
  const auto& file = walk_of(shared.options).overrides.benchmark_file;
  if (file) {
    // What is wrong with the file is said when it is used.
    specs::Problems problems(specs::Problems::Mode::collect);
    config::set_defaults(shared.flags, shared.given,
                         specs::load_benchmarks(*file, {}, problems).default_args);
  }
  return shared.options;
}

std::shared_ptr<Shared<DaemonOptions>> add_daemon(CLI::App& app) {
  CLI::App& command =
      *app.add_subcommand("daemon", "The service: polls a branch, reports the commit that made it slower");
  auto shared = add_shared<DaemonOptions>(command);
  add_flags(command, config::daemon_flags(shared->options.overrides), shared->given);
  for (const char* name : {"program", "info"}) {
    command.add_option_function<std::string>(
        spellings(name),
        [=](const std::string&) {
          show(stderr, "tandem: --{} has no effect on the daemon, which builds commits itself\n", name);
        },
        "Accepted as a flag of tandem run");
  }
  return shared;
}

std::shared_ptr<Shared<RunOptions>> add_run(CLI::App& app) {
  CLI::App& command = *app.add_subcommand(
      "run", "A spec, or a program's own benchmarks, once: of one build, or of a control and a treatment");
  auto shared = add_shared<RunOptions>(command);
  RunOptions& o = shared->options;
  command
      .add_option("BUILDS", o.builds,
                  "[CONTROL] TREATMENT: programs, or commits of --repo_dir; after --: arguments")
      ->expected(0, 2);
  command.add_option_function<std::string>(
      "--program", [&o](const std::string& path) { o.builds.insert(o.builds.begin(), path); },
      "The program, as FAI-PEP names it");
  command.add_option("--info", o.info,
                     "FAI-PEP's JSON, or a file of it: treatment and control with their programs");
  measuring_flags(command, o);
  protocol_flag(command, o.protocol,
                "Without a spec: auto (default), sdk, observer, google_benchmark, benchdnn or command");
  json_flag(command, o.format, "Print each run as a line of JSON");
  return shared;
}

std::shared_ptr<CheckOptions> add_check(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App& command = *app.add_subcommand(
      "check", "What is wrong in specs, suites and config files, and what to write instead");
  command.add_option("FILES", options->files, "Spec, suite or config files");
  command.add_option_function<std::string>(
      spellings("string_map"),
      [options](const std::string& json) { options->options.string_map = config::string_map_of(json); },
      "Further placeholders, as for tandem run");
  command.add_option("--framework", options->options.framework, "Of all models");
  value_flag(command, "schema", options->schema, "benchmark",
             "Print the JSON Schema of specs for editors instead");
  json_flag(command, options->format);
  return options;
}

std::shared_ptr<BisectOptions> add_bisect(CLI::App& app) {
  CLI::App& command = *app.add_subcommand(
      "bisect", "Which commit changed a benchmark; asks the daemon of --state_dir if one runs");
  auto shared = add_shared<BisectOptions>(command);
  std::shared_ptr<BisectOptions> options(shared, &shared->options);
  command.add_option("GOOD", options->good, "A commit before the change")->required();
  command.add_option("BAD", options->bad, "A commit after it, along first parents")->required();
  command.add_option("--benchmark", options->benchmark, "Only this one");
  command.add_option("--watch", options->watch, "Which watch, if there are several");
  json_flag(command, options->format);
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
  value_flag(
      command, "all", options->report.which, ReportOptions::Which::all,
      "Also improvements, what only a layout has, what was not reproduced, could not be confirmed or is "
      "postponed, and what was superseded");
  json_flag(command, options->report.format);
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
  auto* list =
      value_flag(command, "list", options->action, Action::list, "Shows the newest 20 and what came of them");
  command
      .add_option_function<std::int64_t>(
          "--cancel",
          [options](const std::int64_t& request) {
            options->action = Action::cancel;
            options->request = request;
          },
          "Ends the one with this number if it still waits")
      ->excludes(list);
  json_flag(command, options->format, "With --list: print JSON");
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
  json_flag(command, options->format);
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
    if (what != Action::add) json_flag(one, options->format);
    return one;
  };
  action("list", Action::list, "What there is, how large, when it was last used");
  action("verify", Action::verify, "Reads every file; exits with 4 if one is damaged");
  CLI::App& prune = action("prune", Action::prune, "Drops the least recently used until the budget is kept");
  prune.add_option_function<std::string>(
      "--budget", [options](const std::string& word) { options->budget = config::bytes(word); },
      "Bytes that may stay, such as 512M or 20G");
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
  auto* fix = value_flag(
      command, "fix", options->action, Action::fix,
      "As root: set the host up for measuring until Ctrl-C, or while COMMAND runs, then set it back");
  value_flag(command, "restore", options->action, Action::restore, "Set back what a killed --fix left")
      ->excludes(fix);
  command.add_option("COMMAND", options->command,
                     "After --: run with the host set up; its status is returned");
  flag(command, "state_dir", options->state_dir, "Where --fix notes what was set before (/run/tandem)");
  json_flag(command, options->format);
  return options;
}

std::shared_ptr<CalibrateOptions> add_calibrate(CLI::App& app) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App& command = *app.add_subcommand(
      "calibrate", "This host: noise floor, minimum detectable effect, the best pairing of each benchmark");
  command.add_option("PROGRAM", options->program, "An executable to run next to itself; without it our own");
  command.add_option("ARGUMENTS", options->arguments, "After --: its arguments");
  measuring_flags(command, *options);
  limit_flags(command, *options);
  command.add_option("--budget", options->budget_seconds, "Seconds that one benchmark may take")
      ->check(between(0.1, 3600.0))
      ->capture_default_str();
  flag(command, "state_dir", options->state_dir, "Where it is kept");
  value_flag(command, "stored", options->action, CalibrateOptions::Action::show_stored,
             "Measure nothing, show what is kept");
  json_flag(command, options->format);
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
  const auto run = add_run(app);
  const auto compare = add_compare(app);
  const auto daemon = add_daemon(app);
  const auto check = add_check(app);
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
  // What follows -- is for the program that is run, whatever it looks like.
  const bool runs = argc > 1 && std::string_view(argv[1]) == "run";
  const auto end = runs ? std::find(argv, argv + argc, std::string_view("--")) : argv + argc;
  if (runs) {
    run->options.command = harness::without_secrets({argv, argv + argc});
    if (end != argv + argc) run->options.arguments.assign(end + 1, argv + argc);
  }
  try {
    app.parse(static_cast<int>(end - argv), argv);
  } catch (const CLI::CallForHelp&) {
    return Message{app.help()};
  } catch (const CLI::CallForVersion&) {
    return Message{app.version() + "\n"};
  } catch (const CLI::ParseError& error) {
    throw InputError(std::string(error.what()) +
                     "; tandem --help and tandem COMMAND --help list what is allowed");
  }
  if (app.got_subcommand("run")) return with_defaults(*run);
  if (app.got_subcommand("check")) return *check;
  if (app.got_subcommand("daemon")) return with_defaults(*daemon);
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
