#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "builders/identity/identity.hpp"
#include "config/settings.hpp"
#include "daemon/commands/commands.hpp"
#include "daemon/commands/program_path.hpp"
#include "daemon/commands/progress.hpp"
#include "daemon/idle/idle_time.hpp"
#include "daemon/measure/blame.hpp"
#include "daemon/measure/measure.hpp"
#include "daemon/records/comparison.hpp"
#include "daemon/report/comparison_report.hpp"
#include "daemon/store/store.hpp"
#include "runners/host/machine_facts.hpp"
#include "runners/pairing/measuring_lock.hpp"
#include "runners/results/result_reader.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/terminal.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::daemon::commands {
namespace {

namespace fs = std::filesystem;
using runners::ProgramFacts;
using runners::RunFailure;
using runners::Side;

/// What `tandem calibrate` found for a program of this name, by benchmark: kept under the watch
/// `calibrated_by_hand`, with the program's name as platform. Where there is no store, or none that can be
/// read, there is nothing: a comparison needs none.
std::map<std::string, analysis::Calibration> kept_calibrations(const std::optional<fs::path>& state_dir,
                                                               const std::string& program) {
  std::map<std::string, analysis::Calibration> known;
  try {
    const auto folder = config::choose_state_dir(state_dir);
    const store::Store store(folder / "tandem.db", store::Store::Mode::read);
    for (auto& stored : store.calibrations(WatchKey{calibrated_by_hand, program})) {
      const std::string benchmark = stored.calibration.benchmark;
      known.emplace(benchmark, std::move(stored.calibration));
    }
  } catch (const Error&) {
    known.clear();
  }
  return known;
}

/// The work of the command, step by step, filling one record.
class Comparing {
 public:
  Comparing(const CompareOptions& options, const std::stop_token& stop) : options_(options), stop_(stop) {
    result_.control = find_program(options.control, "control");
    result_.treatment = find_program(options.treatment, "treatment");
    result_.arguments = options.arguments;
    result_.margin = options.margin;
    result_.seed = options.seed ? *options.seed : std::random_device{}();
    result_.host = runners::read_machine_facts();
    pair_.control = result_.control;
    pair_.treatment = result_.treatment;
    pair_.protocol = options.protocol;
    kept_ = kept_calibrations(options.state_dir, result_.control.filename());
    pair_.commands.front().insert(pair_.commands.front().end(), options.arguments.begin(),
                                  options.arguments.end());
  }

  Comparison run() {
    const auto begin = std::chrono::steady_clock::now();
    if (!options_.measure_identical && identical()) {
      result_.identical = true;
    } else {
      const runners::MeasuringLock lock(
          [&](const std::string& holder) {
            progress_.step(fmt::format("waiting: {} is measuring on this host", holder));
          },
          stop_);
      if (!lock.uncoordinated().empty()) progress_.say(lock.uncoordinated());
      measure();
    }
    result_.time = std::chrono::steady_clock::now() - begin;
    progress_.clear();
    return std::move(result_);
  }

 private:
  /// After a stop the measurement, which comes next, ends at once.
  [[nodiscard]] bool identical() const {
    try {
      const StopScope scope(stop_);
      return builders::identical_files(result_.control, result_.treatment);
    } catch (const Stopped&) {
      return false;
    }
  }

  void measure() {
    runners::HostSettings host;
    host.deadline = std::chrono::nanoseconds(static_cast<std::int64_t>(options_.timeout_seconds * 1e9));
    runners::HostPairRunner runner(host);
    progress_.step("looking at the two programs");
    const auto control = inspect(runner, Side::control);
    if (!control) return;
    const auto treatment = inspect(runner, Side::treatment);
    if (!treatment) return;
    if (control->protocol != treatment->protocol) {
      throw InputError(
          fmt::format("control is measured by {}, treatment by {}; compare two programs of one kind",
                      runners::name_of(control->protocol), runners::name_of(treatment->protocol)));
    }
    result_.protocol = control->protocol;
    const auto names = common(*control, *treatment);
    if (names.empty()) {
      throw InputError(options_.filter.empty()
                           ? "the two programs have no benchmark in common"
                           : fmt::format("no common benchmark contains \"{}\"", options_.filter));
    }
    if (runners::selects_one(pair_, control->protocol)) {
      for (std::size_t i = 0; i < names.size() && !stop_.stop_requested(); ++i) {
        progress_.step(fmt::format("measuring {} ({} of {})", names[i], i + 1, names.size()));
        measure_one(runner, host.cpus, *control, names[i], {names[i]});
      }
    } else {
      progress_.step(fmt::format("measuring {}", fmt::join(names, ", ")));
      measure_one(runner, host.cpus, *control, names.front(), names);
    }
  }

  std::optional<ProgramFacts> inspect(runners::PairRunner& runner, Side side) {
    auto looked = runner.inspect(pair_, side, stop_);
    if (auto* facts = std::get_if<ProgramFacts>(&looked)) return std::move(*facts);
    fail(runner, runners::name_of(side), std::get<RunFailure>(looked));
    return std::nullopt;
  }

  std::vector<std::string> common(const ProgramFacts& control, const ProgramFacts& treatment) {
    const auto has = [](const ProgramFacts& facts, const std::string& name) {
      return std::find(facts.benchmarks.begin(), facts.benchmarks.end(), name) != facts.benchmarks.end();
    };
    std::vector<std::string> names;
    for (const std::string& name : control.benchmarks) {
      if (name.find(options_.filter) == std::string::npos) continue;
      (has(treatment, name) ? names : result_.missing).push_back(name);
    }
    for (const std::string& name : treatment.benchmarks) {
      if (name.find(options_.filter) != std::string::npos && !has(control, name))
        result_.added.push_back(name);
    }
    return names;
  }

  /// One benchmark of a program that has to be told which, or all that are wanted of one that runs them all.
  void measure_one(runners::PairRunner& runner, const runners::CpuChoice& cpus, const ProgramFacts& program,
                   const std::string& benchmark, const std::vector<std::string>& wanted) {
    const auto begin = std::chrono::steady_clock::now();
    MeasurementRequest request;
    request.pair = pair_;
    request.protocol = program.protocol;
    request.benchmark = benchmark;
    request.threads = program.threads;
    request.cpus = cpus;
    request.margin = options_.margin;
    request.asked_pairing = options_.pairing;
    request.host = runners::host_identity(result_.host);
    if (const auto kept = kept_.find(benchmark); kept != kept_.end()) request.calibration = kept->second;
    const auto looked = plan_measurement(runner, request, stop_);
    if (const auto* failure = std::get_if<RunFailure>(&looked)) {
      fail(runner, benchmark, *failure);
      return;
    }
    const auto& plan = std::get<MeasurementPlan>(looked);
    ScreeningSettings settings = plan.screening(options_.max_launches, result_.seed);
    const bool alone = runners::selects_one(pair_, program.protocol);
    // The benchmarks of one process share their launches, and each has a noise of its own.
    if (!alone) settings.priors.clear();
    for (Screened& one : screen(
             runner, always(pair_), plan.screen, settings,
             [&](const ScreeningProgress& now) { show_progress(now); }, stop_)) {
      const bool known = std::find(wanted.begin(), wanted.end(), one.benchmark) != wanted.end();
      if (!alone && !one.failure && !known) continue;
      if (alone) one.time = std::chrono::steady_clock::now() - begin;
      result_.benchmarks.push_back(std::move(one));
    }
  }

  void show_progress(const ScreeningProgress& now) {
    const bool calibrating = now.phase == ScreeningProgress::Phase::calibrating;
    progress_.update(fmt::format("{}: {} {} of {}{}", now.benchmark,
                                 calibrating ? "control next to itself, launch" : "launch", now.launch,
                                 calibrating ? "" : "at most ", now.most));
  }

  void fail(runners::PairRunner& runner, const std::string& benchmark, const RunFailure& failure) {
    Screened one;
    one.benchmark = benchmark;
    one.verdict.outcome = failure.reason == RunFailure::Reason::stopped
                              ? analysis::Outcome::inconclusive
                              : blame(runner, pair_, {{}, benchmark, {}}, failure, stop_);
    one.verdict.margin = options_.margin;
    one.failure = failure;
    result_.benchmarks.push_back(std::move(one));
  }

  const CompareOptions& options_;
  const std::stop_token& stop_;
  ProgressLine progress_;
  Comparison result_;
  runners::ProgramPair pair_;
  std::map<std::string, analysis::Calibration> kept_;  ///< by benchmark
};

}  // namespace

int compare(const CompareOptions& options, const std::stop_token& stop) {
  const Comparison result = Comparing(options, stop).run();
  show("{}",
       options.format == Format::json ? report::comparison_json(result) : report::comparison_text(result));
  if (stop.stop_requested()) {
    show(stderr, "stopped before the end\n");
    return 4;
  }
  return exit_code(result);
}

}  // namespace tandem::daemon::commands
