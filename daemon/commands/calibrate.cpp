#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "daemon/commands/commands.hpp"
#include "daemon/commands/program_path.hpp"
#include "daemon/commands/progress.hpp"
#include "daemon/idle/calibrate.hpp"
#include "daemon/idle/idle_time.hpp"
#include "daemon/measure/measure.hpp"
#include "daemon/report/comparison_report.hpp"
#include "daemon/service/installation.hpp"
#include "daemon/service/state_directory.hpp"
#include "daemon/store/store.hpp"
#include "runners/host/machine_facts.hpp"
#include "runners/pairing/measuring_lock.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/terminal.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::commands {
namespace {

namespace fs = std::filesystem;
using analysis::Calibration;
using runners::RunFailure;
using runners::Side;

/// The work of the command, benchmark by benchmark, filling one record.
class CalibratingByHand {
 public:
  CalibratingByHand(const CalibrateOptions& options, const std::stop_token& stop)
      : options_(options), stop_(stop) {
    result_.program = find_program(
        options.program.empty() ? find_installation().host_check.string() : options.program, "program");
    result_.arguments = options.arguments;
    result_.margin = options.margin;
    result_.seed = options.seed ? *options.seed : std::random_device{}();
    result_.host = runners::host_identity(runners::read_machine_facts());
    pair_.control = pair_.treatment = result_.program;
    pair_.commands.front().insert(pair_.commands.front().end(), options.arguments.begin(),
                                  options.arguments.end());
    host_.deadline = std::chrono::nanoseconds(static_cast<std::int64_t>(options_.timeout_seconds * 1e9));
  }

  HostCalibration run() {
    const double begin = steady_seconds();
    runners::HostPairRunner runner(host_);
    progress_.step("looking at the program");
    auto looked = inspect(runner);
    if (const auto* failure = std::get_if<RunFailure>(&looked)) {
      fail(result_.program.filename(), *failure);
    } else {
      measure(runner, std::get<runners::ProgramFacts>(looked));
    }
    result_.seconds = steady_seconds() - begin;
    progress_.clear();
    return std::move(result_);
  }

 private:
  /// Others may measure between two benchmarks.
  [[nodiscard]] runners::MeasuringLock hold() {
    return runners::MeasuringLock(
        [this](const std::string& holder) {
          progress_.step(fmt::format("waiting: {} is measuring on this host", holder));
        },
        stop_);
  }

  std::variant<runners::ProgramFacts, RunFailure> inspect(runners::PairRunner& runner) {
    const auto lock = hold();
    if (!lock.uncoordinated().empty()) progress_.say(lock.uncoordinated());
    return runner.inspect(pair_, Side::control, stop_);
  }

  [[nodiscard]] bool wanted(const std::string& benchmark) const {
    return benchmark.find(options_.filter) != std::string::npos;
  }

  void measure(runners::PairRunner& runner, const runners::ProgramFacts& facts) {
    result_.protocol = facts.protocol;
    std::vector<std::string> names;
    std::copy_if(facts.benchmarks.begin(), facts.benchmarks.end(), std::back_inserter(names),
                 [&](const std::string& name) { return wanted(name); });
    if (names.empty()) throw InputError(fmt::format("no benchmark contains \"{}\"", options_.filter));
    if (facts.protocol != runners::Protocol::slices) {
      progress_.step(fmt::format("calibrating {}", fmt::join(names, ", ")));
      one(runner, names.front(), facts);
      return;
    }
    for (std::size_t i = 0; i < names.size() && !stop_.stop_requested(); ++i) {
      progress_.step(fmt::format("calibrating {} ({} of {})", names[i], i + 1, names.size()));
      one(runner, names[i], facts);
    }
  }

  void one(runners::PairRunner& runner, const std::string& benchmark, const runners::ProgramFacts& program) {
    const auto lock = hold();
    MeasurementRequest request;
    request.pair = pair_;
    request.protocol = program.protocol;
    request.benchmark = benchmark;
    request.threads = program.threads;
    request.cpus = host_.cpus;
    request.margin = options_.margin;
    request.asked_pairing = options_.pairing;
    const auto looked = plan_measurement(runner, request, stop_);
    if (const auto* failure = std::get_if<RunFailure>(&looked)) {
      fail(benchmark, *failure);
      return;
    }
    const auto& plan = std::get<MeasurementPlan>(looked);
    CalibrationSubject subject;
    subject.pair = pair_;
    subject.protocol = program.protocol;
    subject.benchmark = benchmark;
    subject.facts = plan.facts;
    subject.possible = plan.possible;
    CalibrationSettings settings;
    settings.margin = options_.margin;
    settings.seconds = options_.budget_seconds;
    settings.seed = result_.seed;
    settings.host = result_.host;
    settings.at = now_seconds();
    auto calibrated = calibrate(
        runner, subject, settings,
        [&](const ScreeningProgress& now) {
          progress_.update(fmt::format("{}: launch {} of about {}", now.benchmark, now.launch, now.most));
        },
        stop_);
    if (const auto* failure = std::get_if<RunFailure>(&calibrated)) {
      fail(benchmark, *failure);
      return;
    }
    for (Calibration& found : std::get<std::vector<Calibration>>(calibrated)) {
      if (wanted(found.benchmark)) result_.benchmarks.push_back(std::move(found));
    }
  }

  void fail(const std::string& benchmark, const RunFailure& failure) {
    if (failure.reason != RunFailure::Reason::stopped) result_.failed.push_back({benchmark, failure});
  }

  const CalibrateOptions& options_;
  const std::stop_token& stop_;
  ProgressLine progress_;
  HostCalibration result_;
  runners::HostSettings host_;
  runners::ProgramPair pair_;
};

/// It is an error if the state directory that was named cannot be written, but not if the usual one cannot.
void keep(const HostCalibration& result, const CalibrateOptions& options) {
  try {
    const fs::path folder = config::choose_state_dir(options.state_dir);
    static_cast<void>(claim_state_directory(folder));
    store::Store store(folder / "tandem.db", store::Store::Mode::write);
    for (const Calibration& one : result.benchmarks) {
      store.save_calibration({calibrated_by_hand, result.program.filename()}, one);
    }
  } catch (const InputError& error) {
    if (options.state_dir) throw;
    show(stderr, "tandem: not kept: {}\n", error.what());
  } catch (const std::exception& error) {
    if (options.state_dir) throw Error(fmt::format("the calibration cannot be kept: {}", error.what()));
    show(stderr, "tandem: not kept: {}\n", error.what());
  }
}

int show_stored(const CalibrateOptions& options) {
  const store::Store store(config::choose_state_dir(options.state_dir) / "tandem.db",
                           store::Store::Mode::read);
  std::vector<report::KeptCalibration> kept;
  const std::string program = fs::path(options.program).filename();
  for (auto& [key, calibration] : store.calibrations()) {
    if (!program.empty() && key.platform != program) continue;
    if (calibration.benchmark.find(options.filter) == std::string::npos) continue;
    kept.push_back({key, std::move(calibration)});
  }
  show("{}", options.format == Format::json ? report::kept_calibrations_json(kept)
                                            : report::kept_calibrations_text(kept));
  return 0;
}

}  // namespace

int run_calibrate_command(const CalibrateOptions& options, const std::stop_token& stop) {
  if (options.action == CalibrateOptions::Action::show_stored) return show_stored(options);
  const HostCalibration result = CalibratingByHand(options, stop).run();
  show("{}",
       options.format == Format::json ? report::calibration_json(result) : report::calibration_text(result));
  // A calibration of one pairing does not say which pairing is best.
  if (!options.pairing) keep(result, options);
  if (stop.stop_requested()) {
    show(stderr, "stopped before the end\n");
    return 4;
  }
  return exit_code(result);
}

}  // namespace tandem::daemon::commands
