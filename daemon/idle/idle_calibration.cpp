#include "daemon/idle/idle_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/margin.hpp"
#include "analysis/screen.hpp"
#include "daemon/idle/null_screens.hpp"
#include "daemon/measure/measure.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::daemon {
namespace {

using analysis::Calibration;
using builders::Executable;
using runners::RunFailure;

constexpr std::size_t screens_looked_at = 15;
constexpr std::int64_t unfit_again_seconds = 3600;

}  // namespace

bool IdleCalibration::look_at(const builders::Commit& commit, const std::stop_token& stop) {
  if (commit.id == commit_) return true;
  commit_.clear();  // until all of it was looked at
  programs_.clear();
  failed_.clear();
  executable_.reset();
  auto built = context_.builder.build(commit, stop);
  auto* executable = std::get_if<Executable>(&built);
  if (executable == nullptr || stop.stop_requested()) return false;
  executable_ = std::move(*executable);
  for (const Test& test : settings_.tests) {
    if (unknown_placeholder(test, *executable_)) continue;
    auto looked = context_.runner.inspect(pair_of(test, *executable_, *executable_, settings_.scratch),
                                          runners::Side::control, stop);
    if (stop.stop_requested()) return false;
    // A program that does not run has its verdict already.
    if (auto* facts = std::get_if<runners::ProgramFacts>(&looked))
      programs_.push_back({&test, std::move(*facts)});
  }
  commit_ = commit.id;
  return true;
}

bool IdleCalibration::is_hopeless(const Calibration& calibration) const {
  // As the walk does, which asks for more where the layouts scatter.
  const double margin = analysis::margin_of({calibration.margin, calibration.layout_spread}).value;
  return !calibration.unfit.empty() || analysis::is_unmeasurable(analysis::expected_sigma(calibration).median,
                                                                 margin, settings_.max_launches);
}

bool IdleCalibration::is_due(const Test& test, const std::string& benchmark, const std::string& metric,
                             const std::string& host) const {
  const std::string name = full_name(test, benchmark);
  if (failed_.contains(name)) return false;
  const auto known = context_.store.calibration(settings_.key, name);
  if (!known || known->margin != test.margin) return true;
  // A bad half minute must not silence a benchmark for ever.
  if (is_hopeless(*known) && context_.now() - known->at > unfit_again_seconds) return true;
  const auto sigmas = context_.store.newest_sigmas(settings_.key, name, metric, known->at, screens_looked_at);
  const auto why = analysis::outdated(*known, host, sigmas);
  if (why) {
    context_.store.add_event({settings_.key.watch, "calibration",
                              fmt::format("{} is calibrated again: {}", name, *why), context_.now()});
  }
  return why.has_value();
}

IdleStep IdleCalibration::next(const builders::Commit& commit, const std::stop_token& stop) {
  if (!look_at(commit, stop)) return stop.stop_requested() ? IdleStep::stopped : IdleStep::nothing;
  const std::string host = context_.host ? context_.host() : std::string();
  for (const Program& program : programs_) {
    const auto& names = program.facts.benchmarks;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (is_due(*program.test, names[i], program.facts.metrics.at(i).name, host)) {
        return calibrate_one(program, names[i], host, stop);
      }
    }
  }
  return IdleStep::nothing;
}

IdleStep IdleCalibration::calibrate_one(const Program& program, const std::string& benchmark,
                                        const std::string& host, const std::stop_token& stop) {
  const std::string name = full_name(*program.test, benchmark);
  context_.status.phase = "calibrating";
  context_.status.platform = settings_.key.platform;
  context_.status.benchmark = name;
  context_.show();
  CalibrationSubject subject;
  subject.pair = pair_of(*program.test, *executable_, *executable_, settings_.scratch);
  subject.protocol = program.facts.protocol;
  subject.benchmark = benchmark;
  MeasurementRequest request;
  request.pair = subject.pair;
  request.protocol = subject.protocol;
  request.benchmark = benchmark;
  request.threads = program.facts.threads;
  request.cpus = cpus_of(*program.test, settings_.cpus);
  request.margin = program.test->margin;
  request.usual_pairing = program.test->spec.pairing;
  const auto plan = plan_measurement(context_.runner, request, stop);
  if (const auto* failure = std::get_if<RunFailure>(&plan)) {
    if (stop.stop_requested()) return IdleStep::stopped;
    fail(name, *failure);
    return IdleStep::made;
  }
  subject.facts = std::get<MeasurementPlan>(plan).facts;
  subject.possible = std::get<MeasurementPlan>(plan).possible;
  std::optional<Executable> linked;  // held as long as it runs
  if (settings_.layouts > 1 && executable_->layout_unresolved.empty()) {
    subject.relink = [&](std::uint64_t seed) -> std::variant<runners::ProgramPair, std::string> {
      auto result = context_.builder.relink(*executable_, seed, stop);
      if (auto* why = std::get_if<builders::RelinkFailure>(&result)) return std::move(why->sentence);
      linked = std::get<Executable>(std::move(result));
      return pair_of(*program.test, *executable_, *linked, settings_.scratch);
    };
  }
  CalibrationSettings settings;
  settings.margin = program.test->margin;
  settings.seconds = seconds_;
  settings.max_launches = settings_.max_launches;
  settings.host = host;
  settings.at = context_.now();
  settings.seed = seed_of(fmt::format("{}\n{}\n{}", commit_, name, settings.at));
  auto calibrated = calibrate(
      context_.runner, subject, settings,
      [&](const ScreeningProgress& progress) {
        // A wait for another measurement has its own words; they end with it.
        context_.status.phase = "calibrating";
        context_.status.launch = progress.launch;
        context_.status.most_launches = progress.most;
        context_.show();
      },
      stop);
  if (stop.stop_requested()) return IdleStep::stopped;
  if (const auto* failure = std::get_if<RunFailure>(&calibrated)) {
    // Whole processes fail with all of their benchmarks.
    const bool alone = subject.protocol == runners::Protocol::slices;
    for (const std::string& one : program.facts.benchmarks) {
      if (!alone || one == benchmark) failed_.insert(full_name(*program.test, one));
    }
    fail(name, *failure);
  } else {
    keep(*program.test, std::get<std::vector<Calibration>>(std::move(calibrated)), host);
    // A process may print a benchmark once and never again.
    const auto kept = context_.store.calibration(settings_.key, name);
    if (!kept || kept->at != settings.at) failed_.insert(name);
  }
  return IdleStep::made;
}

void IdleCalibration::fail(const std::string& name, const RunFailure& failure) {
  failed_.insert(name);
  context_.store.add_event({settings_.key.watch, "calibration",
                            fmt::format("{} could not be calibrated: {}", name, failure.what),
                            context_.now()});
}

void IdleCalibration::keep(const Test& test, std::vector<Calibration> found, const std::string& host) {
  for (Calibration& one : found) {
    one.benchmark = full_name(test, one.benchmark);
    context_.store.save_calibration(settings_.key, one);
  }
  show_calibrations(context_.status, context_.store, settings_.key, host, context_.now());
  context_.show();
}

void show_calibrations(Status& status, const store::Store& store, const WatchKey& key,
                       const std::string& host, std::int64_t now) {
  for (const auto& [scope, one] : store.calibrations(key)) {
    status.noise_floor[one.benchmark] = {analysis::expected_sigma(one).median, one.minimum_detectable_effect,
                                         name_of(one.chosen.pairing), one.unfit};
  }
  status.unfit = host_unfit(store, host, now);
}

}  // namespace tandem::daemon
