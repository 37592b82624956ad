#include "daemon/harness/run_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "daemon/measure/blame.hpp"
#include "daemon/measure/measure.hpp"
#include "daemon/records/comparison.hpp"
#include "runners/pairing/hooked_runner.hpp"
#include "runners/results/result_reader.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::harness {

namespace {

using runners::ProgramFacts;
using runners::RunFailure;
using runners::Side;
using Clock = std::chrono::steady_clock;

/// The runner knows two sides even where they are one build.
std::string of_one_build(const std::string& what) {
  for (const Side side : {Side::control, Side::treatment}) {
    const std::string name = name_of(side);
    if (what.starts_with(name)) return "the program" + what.substr(name.size());
  }
  return what;
}

class Run {
 public:
  Run(const Test& test, const RunBuilds& builds, const RunSettings& settings, const ShowRun& show,
      const std::stop_token& stop)
      : test_(test),
        settings_(settings),
        show_(show),
        stop_(stop),
        compares_(builds.control != nullptr),
        pair_(pair_of(test, builds.control != nullptr ? *builds.control : builds.treatment, builds.treatment,
                      settings.scratch)) {
    for (const builders::Executable* one : {&builds.treatment, builds.control}) {
      if (one == nullptr) continue;
      if (const auto unknown = unknown_placeholder(test, *one)) throw InputError(*unknown);
    }
    if (test.spec.log_output) pair_.log_file = settings.scratch / "log";
  }

  TestRun go() {
    show_("looking at the program");
    const auto facts = look();
    if (facts) measure(*facts);
    if (!pair_.log_file.empty()) result_.log = take_log();
    if (result_.failure.empty() && stop_.stop_requested()) fail("it was stopped before the end", 4);
    return std::move(result_);
  }

 private:
  std::optional<ProgramFacts> look() {
    auto treatment = settings_.runner.inspect(pair_, Side::treatment, stop_);
    if (const auto* failure = std::get_if<RunFailure>(&treatment)) {
      if (compares_ && !stop_.stop_requested()) {
        // A build that never ran is nobody's regression.
        const auto outcome = blame(settings_.runner, pair_, {{}, {}, {}}, *failure, stop_);
        fail(failure->what, outcome == analysis::Outcome::treatment_fails ? 1 : 4);
      } else {
        fail(failure->what, 4);
      }
      return std::nullopt;
    }
    auto& facts = std::get<ProgramFacts>(treatment);
    if (!compares_) return std::move(facts);
    const auto control = settings_.runner.inspect(pair_, Side::control, stop_);
    if (const auto* failure = std::get_if<RunFailure>(&control)) {
      fail(failure->what, 4);
      return std::nullopt;
    }
    const auto& other = std::get<ProgramFacts>(control);
    if (other.protocol != facts.protocol) {
      throw InputError(
          fmt::format("control is measured by {}, treatment by {}; compare two programs of one kind",
                      name_of(other.protocol), name_of(facts.protocol)));
    }
    const auto missing = [&](const std::string& name) {
      return std::find(other.benchmarks.begin(), other.benchmarks.end(), name) == other.benchmarks.end();
    };
    if (runners::selects_one(pair_, facts.protocol)) std::erase_if(facts.benchmarks, missing);
    return std::move(facts);
  }

  void measure(const ProgramFacts& facts) {
    std::vector<std::string> names;
    for (const std::string& name : facts.benchmarks) {
      if (name.find(settings_.filter) != std::string::npos) names.push_back(name);
    }
    if (names.empty()) {
      fail(settings_.filter.empty() ? "the program has no benchmark to run"
                                    : fmt::format("no benchmark contains \"{}\"", settings_.filter),
           2);
      return;
    }
    if (!runners::selects_one(pair_, facts.protocol)) {
      measure_one(facts, names.front());
      std::erase_if(result_.series, [&](const RunSamples::Kept& one) {
        return one.benchmark.find(settings_.filter) == std::string::npos;
      });
      return;
    }
    for (std::size_t i = 0; i < names.size() && !stop_.stop_requested(); ++i) {
      prefix_ = names.size() > 1 ? fmt::format("{} ({} of {}), ", names[i], i + 1, names.size()) : "";
      measure_one(facts, names[i]);
    }
  }

  /// One benchmark of a program that has to be told which, or all of one that runs them all.
  void measure_one(const ProgramFacts& facts, const std::string& benchmark) {
    MeasurementRequest request;
    request.pair = pair_;
    request.protocol = facts.protocol;
    request.benchmark = benchmark;
    request.threads = facts.threads;
    request.cpus = cpus_of(test_, settings_.cpus);
    request.margin = test_.margin;
    request.usual_pairing = test_.spec.pairing;
    request.asked_pairing = settings_.pairing;
    const auto looked = plan_measurement(settings_.runner, request, stop_);
    if (const auto* failure = std::get_if<RunFailure>(&looked)) {
      fail(failure->what, 4);
      return;
    }
    const auto& plan = std::get<MeasurementPlan>(looked);
    RunSamples samples;
    if (compares_) {
      compare(plan, samples);
    } else {
      launch_alone(plan.screen, samples);
    }
    result_.series.insert(result_.series.end(), samples.kept().begin(), samples.kept().end());
  }

  [[nodiscard]] bool enough(const RunSamples& samples, Clock::time_point begin) const {
    const auto repeat = static_cast<std::size_t>(test_.spec.repeat);
    if (samples.launches() < repeat || samples.launches() % repeat != 0) return false;
    if (test_.spec.iter) return samples.counted() >= static_cast<std::size_t>(*test_.spec.iter);
    return compares_ || repeat > 1 || samples.launches() >= settings_.usual_launches ||
           Clock::now() - begin >= settings_.usual_time;
  }

  void launch_alone(const runners::Subject& subject, RunSamples& samples) {
    const auto begin = Clock::now();
    for (std::uint64_t i = 0; !stop_.stop_requested(); ++i) {
      show_(fmt::format("{}launch {}, {} values so far", prefix_, i + 1, samples.counted()));
      auto plan = alone(runners::plan_launch(settings_.seed, i, subject.shape), Side::treatment);
      if (i == 0) plan.extra_runs = runners::LaunchPlan::ExtraRuns::yes;
      const std::size_t before = samples.counted();
      auto result = settings_.runner.launch(pair_, subject, plan, stop_);
      if (const auto* failure = std::get_if<RunFailure>(&result)) {
        if (failure->reason != RunFailure::Reason::stopped) fail(failure->what, 4);
        return;
      }
      samples.add(std::get<std::vector<runners::Sampled>>(result));
      if (enough(samples, begin)) break;
      if (samples.counted() == before) {
        fail(fmt::format("launch {} gave no further value, and {} of the {} that iter asks for are there",
                         i + 1, before, test_.spec.iter.value_or(0)),
             4);
        return;
      }
    }
    for (const RunSamples::Kept& one : samples.kept()) {
      const auto& limit = one.metric.limit;
      if (one.benchmark.find(settings_.filter) == std::string::npos) continue;
      if (limit && std::any_of(one.series.values.begin(), one.series.values.end(), [&](double value) {
            return one.metric.direction == specs::Direction::higher_is_better ? value < *limit
                                                                              : !(value <= *limit);
          }))
        fail(fmt::format("{} leaves its tolerance of {:g}", one.series.key(), *limit), 1);
    }
  }

  void compare(const MeasurementPlan& plan, RunSamples& samples) {
    bool is_kept = false;
    const auto keep = [&](const runners::LaunchResult& result) {
      if (std::exchange(is_kept, false)) samples.add_measured(result);
    };
    runners::HookedRunner runner(settings_.runner, {{.after_launch = keep}});
    PairSource pairs = always(pair_);
    // The screen asks for each launch once; who asks again looks for the side that fails. Launches of an A/A
    // are not asked for here.
    std::uint64_t next = 0;
    pairs.pair = [&](std::uint64_t launch) {
      if (launch == next) {
        is_kept = true;
        ++next;
      }
      return pair_;
    };
    ScreeningSettings settings = plan.screening(settings_.max_launches, settings_.seed);
    // A whole process may take minutes; its first launches then serve as prior as well as an A/A would.
    if (plan.screen.protocol != runners::Protocol::slices) settings.calibration_launches = 0;
    const auto begin = Clock::now();
    settings.enough = [&] { return enough(samples, begin); };
    auto screened = screen(
        runner, pairs, plan.screen, settings,
        [&](const ScreeningProgress& now) {
          const bool calibrating = now.phase == ScreeningProgress::Phase::calibrating;
          show_(fmt::format("{}{} {} of {}{}", prefix_,
                            calibrating ? "control next to itself, launch" : "launch", now.launch,
                            calibrating ? "" : "at most ", now.most));
        },
        stop_);
    std::erase_if(screened, [&](const Screened& one) {
      return !one.failure && one.benchmark.find(settings_.filter) == std::string::npos;
    });
    if (screened.empty() && !stop_.stop_requested()) fail("the two sides give no series in common", 4);
    if (test_.spec.iter && samples.launches() > 0 && !enough(samples, begin) && result_.failure.empty() &&
        !stop_.stop_requested()) {
      fail(
          fmt::format("{} launches gave {} of the {} values that iter asks for; give a larger --max_launches",
                      samples.launches(), samples.counted(), *test_.spec.iter),
          4);
    }
    for (const Screened& one : screened) {
      if (one.failure && one.failure->reason != RunFailure::Reason::stopped && result_.failure.empty())
        result_.failure = one.failure->what;
    }
    result_.code = worse_code(result_.code, exit_code(screened));
    result_.screened.insert(result_.screened.end(), std::make_move_iterator(screened.begin()),
                            std::make_move_iterator(screened.end()));
  }

  /// What the programs printed, as far as anybody reads; the next test begins with an empty one.
  [[nodiscard]] std::string take_log() const {
    constexpr std::size_t most = std::size_t{1} << 20;
    std::ifstream in(pair_.log_file, std::ios::binary);
    std::string text(most, '\0');
    in.read(text.data(), static_cast<std::streamsize>(most));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
    std::error_code error;
    std::filesystem::remove(pair_.log_file, error);
    return text;
  }

  void fail(const std::string& what, int code) {
    if (result_.failure.empty()) result_.failure = compares_ ? what : of_one_build(what);
    result_.code = worse_code(result_.code, code);
  }

  const Test& test_;
  const RunSettings& settings_;
  const ShowRun& show_;
  const std::stop_token& stop_;
  const bool compares_;
  runners::ProgramPair pair_;
  std::string prefix_;
  TestRun result_;
};

}  // namespace

TestRun run_test(const Test& test, const RunBuilds& builds, const RunSettings& settings, const ShowRun& show,
                 const std::stop_token& stop) {
  return Run(test, builds, settings, show, stop).go();
}

}  // namespace tandem::daemon::harness
