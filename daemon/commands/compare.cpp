#include "daemon/commands/compare.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>

#include "builders/identity/identity.hpp"
#include "daemon/commands/kept_calibrations.hpp"
#include "daemon/commands/program_path.hpp"
#include "daemon/commands/progress.hpp"
#include "daemon/records/comparison.hpp"
#include "daemon/report/comparison_report.hpp"
#include "daemon/walk/arranging.hpp"
#include "daemon/walk/one_sided.hpp"
#include "runners/host/machine_facts.hpp"
#include "runners/pairing/pairing.hpp"
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
  /// A stop while large files are compared is met again by the measurement.
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
      for (std::size_t i = 0; i < names.size() && !stop_.stop_requested(); ++i)
        one_by_one(runner, host.cpus, control->protocol, names, i);
    } else {
      progress_.step(fmt::format("measuring {}", fmt::join(names, ", ")));
      runners::Subject subject{control->protocol, names.front(), {}};
      runners::BenchmarkFacts facts;
      facts.threads = control->threads;
      const Arranged way = arrange(subject, facts, host.cpus);
      subject.shape = shape_of(control->protocol, facts, way.screen);
      for (Screened& one : screened(runner, subject, std::nullopt)) {
        if (one.failure || std::find(names.begin(), names.end(), one.benchmark) != names.end()) {
          result_.benchmarks.push_back(std::move(one));
        }
      }
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

  /// The one that was asked for; else by a calibration that was kept; else the first that is possible.
  Arranged arrange(const runners::Subject& subject, const runners::BenchmarkFacts& facts,
                   const runners::CpuChoice& cpus) const {
    const auto possible =
        runners::possible_arrangements(subject.protocol, facts, cpus, runners::available_memory());
    if (!options_.pairing) {
      const auto kept = kept_.find(subject.benchmark);
      return arranged(kept != kept_.end() ? std::optional(kept->second) : std::nullopt, possible,
                      runners::host_identity(result_.host));
    }
    const auto asked = as_asked(possible, *options_.pairing, subject.benchmark).arrangements.front();
    return {asked, asked, std::nullopt};
  }

  void one_by_one(runners::PairRunner& runner, const runners::CpuChoice& cpus, runners::Protocol protocol,
                  const std::vector<std::string>& names, std::size_t i) {
    progress_.step(fmt::format("measuring {} ({} of {})", names[i], i + 1, names.size()));
    const auto begin = std::chrono::steady_clock::now();
    runners::BenchmarkFacts facts;
    if (protocol == runners::Protocol::slices) {
      auto looked = runner.look_at(pair_, names[i], stop_);
      if (const auto* failure = std::get_if<RunFailure>(&looked)) {
        fail(runner, names[i], *failure);
        return;
      }
      facts = std::get<runners::BenchmarkFacts>(looked);
    }
    runners::Subject subject{protocol, names[i], {}};
    const Arranged way = arrange(subject, facts, cpus);
    subject.shape = shape_of(protocol, facts, way.screen);
    for (Screened& one : screened(runner, subject, way.prior)) {
      one.time = std::chrono::steady_clock::now() - begin;
      result_.benchmarks.push_back(std::move(one));
    }
  }

  std::vector<Screened> screened(runners::PairRunner& runner, const runners::Subject& subject,
                                 const std::optional<PriorSigma>& prior) {
    ScreeningSettings settings;
    if (prior) settings.priors[series_key(subject.benchmark, {})] = *prior;
    settings.margin = options_.margin;
    settings.max_launches = options_.max_launches;
    settings.seed = result_.seed;
    return screen(
        runner, always(pair_), subject, settings,
        [&](const ScreeningProgress& now) {
          const bool calibrating = now.phase == ScreeningProgress::Phase::calibrating;
          progress_.update(fmt::format("{}: {} {} of {}{}", now.benchmark,
                                       calibrating ? "control next to itself, launch" : "launch", now.launch,
                                       calibrating ? "" : "at most ", now.most));
        },
        stop_);
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
