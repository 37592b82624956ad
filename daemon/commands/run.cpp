#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "config/config_file.hpp"
#include "daemon/commands/commands.hpp"
#include "daemon/commands/program_path.hpp"
#include "daemon/commands/progress.hpp"
#include "daemon/harness/run_json.hpp"
#include "daemon/harness/run_labels.hpp"
#include "daemon/harness/run_tables.hpp"
#include "daemon/measure/test.hpp"
#include "daemon/records/comparison.hpp"
#include "daemon/service/commit_builds.hpp"
#include "daemon/service/state_directory.hpp"
#include "runners/host/devices.hpp"
#include "runners/pairing/measuring_lock.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/terminal.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::daemon::commands {
namespace {

namespace fs = std::filesystem;
using namespace harness;

/// A directory of this run alone, gone at its end.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "tandem-run-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw Error(fmt::format("cannot make {}", name));
    path_ = name;
    fs::permissions(path_, fs::perms(0755));
  }
  ~Scratch() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// One side as it was given.
struct Given {
  InfoBuild info;    ///< what `--info` says of it
  std::string text;  ///< a path or a commit, from the command line
};

/// The same, ready to be run.
struct Ready {
  builders::Executable executable;
  ReportedBuild label;
};

/// The work of the command, step by step.
class Running {
 public:
  Running(const RunOptions& options, const std::stop_token& stop)
      : options_(options), stop_(stop), settings_(settings_of(options)), reporters_(reporters_now()) {
    if (!options.info.empty()) info_ = read_run_info(options.info);
    take_builds();
    labels_.run_type = info_.run_type.empty() ? harness().run_type : info_.run_type;
    labels_.regressed_types = harness().regressed_types;
    labels_.regressed_types.insert(labels_.regressed_types.end(), info_.regressed_types.begin(),
                                   info_.regressed_types.end());
    labels_.framework = watch().framework;
    labels_.command = options.command;
    labels_.user_identifier = harness().user_identifier;
    labels_.user_string = harness().user_string.empty() ? info_.user : harness().user_string;
    labels_.host = runners::read_machine_facts();
    devices_ =
        runners::choose_devices(runners::read_topology(), harness().devices, harness().excluded_devices);
    seed_ = options.seed ? *options.seed : std::random_device{}();
  }

  int go() {
    for (const std::string& platform : watch().platforms) {
      if (stop_.stop_requested()) break;
      // One platform that does not build does not take the others' results away.
      try {
        run_platform(platform);
      } catch (const InputError&) {
        throw;
      } catch (const Error& error) {
        if (watch().platforms.size() == 1) throw;
        progress_.clear();
        show(stderr, "tandem: {}: {}\n", platform, error.what());
        code_ = worse_code(code_, 4);
      }
    }
    progress_.clear();
    if (records_.size() > 1 && watch().platforms.size() * devices_.size() > 1 &&
        options_.format == Format::text)
      show("{}", matrix_text(records_));
    deliver();
    if (stop_.stop_requested()) {
      show(stderr, "tandem: stopped before the end\n");
      return worse_code(code_, 4);
    }
    return code_;
  }

 private:
  static config::Settings settings_of(const RunOptions& options) {
    std::optional<config::ConfigFile> file;
    if (options.daemon.config_file) file = config::load_config(*options.daemon.config_file);
    return config::merge_for_run(file, options.daemon.overrides);
  }

  [[nodiscard]] const config::HarnessSettings& harness() const { return settings_.harness; }
  [[nodiscard]] const config::WatchSettings& watch() const { return settings_.watches.front(); }

  /// If no reporter is named, the results are shown on the screen.
  harness::ReporterSettings reporters_now() const {
    auto wanted = reporters_of(harness(), settings_.state_dir);
    if (!names_a_reporter(wanted)) wanted.screen_reporter = true;
    if (options_.format == Format::json) wanted.screen_reporter = false;
    return wanted;
  }

  void take_builds() {
    if (info_.treatment && !options_.builds.empty())
      throw InputError("builds stand both on the command line and in --info; give them once");
    if (info_.treatment) {
      treatment_.info = *info_.treatment;
      treatment_.text = treatment_.info.program.empty() ? treatment_.info.commit : std::string();
      if (!info_.control) return;
      control_.emplace();
      control_->info = *info_.control;
      control_->text = control_->info.program.empty() ? control_->info.commit : std::string();
      return;
    }
    if (options_.builds.size() > 2)
      throw InputError("more than two builds are given; give a program, or CONTROL and TREATMENT");
    if (options_.builds.empty())
      throw InputError("there is nothing to run; give a program, CONTROL and TREATMENT, or --info");
    treatment_.text = options_.builds.back();
    if (options_.builds.size() > 1) control_ = Given{{}, options_.builds.front()};
  }

  void run_platform(const std::string& platform) {
    const Ready treatment = ready(treatment_, platform, "treatment");
    std::optional<Ready> control;
    if (control_) control = ready(*control_, platform, "control");
    auto tests = tests_for(treatment);
    // Files come first, so that nothing is downloaded while something is measured.
    std::vector<std::optional<specs::FileFailure>> missing;
    for (Test& test : tests) missing.push_back(bring(test));
    const runners::MeasuringLock lock(
        [&](const std::string& holder) {
          progress_.step(fmt::format("waiting: {} is measuring on this host", holder));
        },
        stop_);
    if (!lock.uncoordinated().empty()) progress_.say(lock.uncoordinated());
    for (const runners::Device& device : devices_) {
      labels_.device = device.name;
      labels_.backend = harness().backend.empty() ? platform : harness().backend;
      for (Test& test : tests) test.values["DEVICEHASH"] = device_hash(labels_);
      runners::HostSettings host = host_settings(device);
      runners::HostPairRunner runner(host);
      for (std::size_t i = 0; i < tests.size() && !stop_.stop_requested(); ++i) {
        if (i > 0 && tests[i - 1].spec.cooldown) cool_down(*tests[i - 1].spec.cooldown);
        progress_.step(fmt::format("{} ({} of {}){}", program_name(tests[i]), i + 1, tests.size(),
                                   devices_.size() > 1 ? " on " + device.name : ""));
        TestRun run;
        if (missing[i]) {
          run.failure = missing[i]->what;
          run.code = missing[i]->reason == specs::FileFailure::Reason::wrong ? 2 : 4;
        } else {
          run = one_test(tests[i], treatment, control, {runner, host.cpus, scratch_.path()});
        }
        report(tests[i], run, treatment, control);
      }
    }
  }

  TestRun one_test(const Test& test, const Ready& treatment, const std::optional<Ready>& control,
                   RunSettings settings) {
    settings.seed = seed_;
    settings.max_launches = static_cast<std::size_t>(settings_.max_launches);
    settings.filter = options_.filter;
    settings.pairing = options_.pairing;
    // A test that cannot be run as it is written fails alone; the suite goes on.
    try {
      return run_test(
          test, {treatment.executable, control ? &control->executable : nullptr}, settings,
          [&](const std::string& text) { progress_.update(program_name(test) + ": " + text); }, stop_);
    } catch (const InputError& error) {
      TestRun run;
      run.failure = error.what();
      run.code = 2;
      return run;
    }
  }

  void report(const Test& test, const TestRun& run, const Ready& treatment,
              const std::optional<Ready>& control) {
    progress_.clear();
    code_ = worse_code(code_, run.code);
    auto record = record_of(test, run, treatment.label,
                            control ? std::optional(control->label) : std::nullopt, labels_);
    if (options_.format == Format::json) show("{}\n", harness::json_line(record));
    if (!run.log.empty()) show(stderr, "{}\n", run.log);
    if (!run.failure.empty()) show(stderr, "tandem: {}: {}\n", program_name(test), run.failure);
    for (const std::string& sentence : reporters_.report(record)) {
      show(stderr, "tandem: {}\n", sentence);
      code_ = worse_code(code_, 4);
    }
    records_.push_back(std::move(record));
  }

  /// A path is run as it is, a commit is built first.
  Ready ready(const Given& given, const std::string& platform, const char* role) {
    Ready ready;
    ready.label = {given.info.commit, given.info.commit_time, given.info.diff, given.info.version};
    ready.executable.platform = platform;
    for (const auto& [name, path] : given.info.programs) ready.executable.further_programs[name] = path;
    std::string text = given.text;
    if (const auto at = text.find("{platform}"); at != std::string::npos)
      text.replace(at, std::string_view("{platform}").size(), platform);
    if (!given.info.program.empty() || watch().repo_dir.empty() ||
        (text.find('/') != std::string::npos && fs::exists(text))) {
      ready.executable.program = given.info.program.empty() ? find_program(text, role) : given.info.program;
      if (ready.label.commit.empty()) ready.label.commit = ready.executable.program.filename().string();
      ready.executable.commit = ready.label.commit;
      return ready;
    }
    progress_.step(fmt::format("building {} for {}", text, platform));
    const CommitBuilds& builds = commit_builds();
    const builders::Commit commit = builds.find(text);
    ready.executable = builds.build(commit, platform, stop_);
    for (const auto& [name, path] : given.info.programs) ready.executable.further_programs[name] = path;
    ready.label.commit = commit.id;
    ready.label.commit_time = commit.committer_time;
    return ready;
  }

  const CommitBuilds& commit_builds() {
    if (!builds_) {
      static_cast<void>(claim_state_directory(settings_.state_dir));
      installation_ = find_installation();
      isolation_ = choose_isolation(settings_.sandbox, installation_.shim, settings_.state_dir);
      labels_.isolation = isolation_.facts;
      std::optional<specs::BuildSection> section;
      if (!watch().benchmark_file.empty()) section = load({}).build;
      builds_ =
          std::make_unique<CommitBuilds>(settings_, installation_, isolation_, std::move(section), stop_);
    }
    return *builds_;
  }

  specs::LoadedSpecs load(const std::map<std::string, fs::path>& programs) {
    specs::SpecOptions wanted;
    wanted.framework = watch().framework;
    wanted.string_map = harness().string_map;
    for (const auto& [name, value] : treatment_.info.string_map) wanted.string_map.emplace(name, value);
    wanted.command_args = config::added_arguments(harness());
    for (const auto& [name, path] : programs) wanted.programs.push_back(name);
    return specs::load_benchmarks(watch().benchmark_file, wanted);
  }

  std::vector<Test> tests_for(const Ready& treatment) {
    TestAdditions additions{watch().margin, harness().env, harness().shared_libs,
                            config::added_arguments(harness())};
    additions.shared_libs.insert(additions.shared_libs.end(), info_.shared_libs.begin(),
                                 info_.shared_libs.end());
    if (watch().benchmark_file.empty()) {
      auto tests = tests_of({}, additions);
      tests.front().commands.front().insert(tests.front().commands.front().end(), options_.arguments.begin(),
                                            options_.arguments.end());
      if (options_.protocol) tests.front().protocol = options_.protocol;
      return tests;
    }
    if (!options_.arguments.empty())
      throw InputError("arguments after -- are for a run without a spec; with one use --command_args");
    const auto loaded = load(treatment.executable.further_programs);
    if (std::exchange(notices_given_, true)) return tests_of(loaded.benchmarks, additions);
    for (const auto& notice : loaded.ignored) show(stderr, "tandem: {}\n", notice.text());
    return tests_of(loaded.benchmarks, additions);
  }

  std::optional<specs::FileFailure> bring(Test& test) {
    specs::ModelFileSettings files;
    files.cache = harness().model_cache;
    files.root_model_dir = harness().root_model_dir;
    return bring_files(
        test, files,
        [&](const specs::DownloadProgress& now) {
          progress_.update(now.total && *now.total > 0
                               ? fmt::format("{}: {} of {} bytes, {} %", now.file, now.done, *now.total,
                                             now.done * 100 / *now.total)
                               : fmt::format("{}: {} bytes", now.file, now.done));
        },
        stop_);
  }

  /// Programs that were given by path are the caller's own; what was built here is somebody else's.
  [[nodiscard]] runners::HostSettings host_settings(const runners::Device& device) const {
    runners::HostSettings host;
    host.scratch = scratch_.path();
    host.cpus = device.cpus;
    host.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(settings_.benchmark_timeout);
    if (builds_) isolate_benchmarks(isolation_, settings_, host);
    return host;
  }

  void cool_down(specs::Seconds time) {
    progress_.update(fmt::format("cooling down for {:g} s", time.count()));
    static_cast<void>(pause_unless_stopped(std::chrono::ceil<std::chrono::milliseconds>(time), stop_));
  }

  void deliver() {
    if (harness().remote_reporter.empty()) return;
    if (const auto sentence = reporters_.deliver(stop_)) show(stderr, "tandem: {}\n", *sentence);
    if (reporters_.waiting() > 0)
      show(stderr, "tandem: what waits lies in {} and goes out with a later run\n",
           (settings_.state_dir / "spool").string());
  }

  const RunOptions& options_;
  const std::stop_token& stop_;
  const config::Settings settings_;
  harness::Reporters reporters_;
  ProgressLine progress_;
  Scratch scratch_;
  RunInfo info_;
  Given treatment_;
  std::optional<Given> control_;
  std::vector<runners::Device> devices_;
  RunLabels labels_;
  std::uint64_t seed_ = 1;
  bool notices_given_ = false;
  Installation installation_;
  Isolation isolation_;
  std::unique_ptr<CommitBuilds> builds_;
  std::vector<RunRecord> records_;
  int code_ = 0;
};

}  // namespace

int run_run_command(const RunOptions& options, const std::stop_token& stop) {
  return Running(options, stop).go();
}

}  // namespace tandem::daemon::commands
