#include "daemon/idle/calibrate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "daemon/fake_runner.hpp"
#include "daemon/measure/measure.hpp"

namespace tandem::daemon {
namespace {

using analysis::Calibration;
using runners::Pairing;
using runners::RunFailure;
using runners::Side;
using tests::Call;
using tests::FakeRunner;

/// How one arrangement behaves on the host of a test.
struct Way {
  double sigma = 0.002;
  double bias = 0;  ///< of the second slot over the first
  double slow_down = 1;
  double recovers = 1;   ///< of a planted effect
  bool rare = false;     ///< the planted effect also makes one slice in twenty much slower
  double seconds = 0.1;  ///< of a launch
  double within = 0;     ///< of one pair of slices
};

class CalibratingTest : public testing::Test {
 protected:
  CalibratingTest() {
    cpus_.measured = cpus_.all = {0};
    cpus_.duet = {std::vector<int>{0}, std::vector<int>{1}};
    settings_.host = "a host";
    settings_.clock = [this] { return now_; };
    settings_.seed = 7;
    subject_.pair.control = "/builds/control";
    subject_.pair.treatment = "/builds/treatment";
    subject_.benchmark = "work";
    subject_.facts = {1000.0, 1, true, 0};
    runner_.samples = [this](const Call& call) { return sampled(call); };
    runner_.before_call = [this] {
      now_ += way_(runner_.calls.back().plan.shape).seconds;
      if (runner_.calls.size() == stop_at_) stop_.request_stop();
    };
  }

  static double slice_ms(const runners::SliceShape& shape) {
    return static_cast<double>(shape.iterations) * 1e-3;
  }

  runners::Launch sampled(const Call& call) const {
    const Way way = way_(call.plan.shape);
    std::mt19937_64 random(call.plan.program_seed);
    std::normal_distribution<double> normal;
    const double coin = call.plan.first_slot == Side::control ? 1 : -1;
    double log_ratio = coin * way.bias + way.sigma * normal(random);
    const auto& shape = call.plan.shape;
    log_ratio += way.recovers * std::log(static_cast<double>(shape.iterations_of(Side::treatment)) /
                                         static_cast<double>(shape.iterations));
    const double mood = 1 + 0.5 * std::sin(static_cast<double>(runner_.calls.size()) / 100);
    const double time = 1000 * mood * (call.plan.only ? 1 : way.slow_down);
    runners::Launch launch;
    launch.first_slot = call.plan.first_slot;
    const std::size_t pairs = runner_.protocol == runners::Protocol::slices ? 40 : 1;
    for (std::size_t i = 0; i < pairs; ++i) {
      launch.control.push_back(time);
      launch.treatment.push_back(time * std::exp(log_ratio + way.within * normal(random)));
      if (way.rare && shape.treatment_extra > 0 && i % 20 == 0) launch.treatment.back() *= 1.9;
      if (pairs > 1) launch.first.push_back(i % 2 == 0 ? Side::control : Side::treatment);
    }
    return launch;
  }

  std::variant<std::vector<Calibration>, RunFailure> run() {
    subject_.protocol = runner_.protocol;
    if (subject_.possible.arrangements.empty()) {
      subject_.possible =
          runners::possible_arrangements(subject_.protocol, subject_.facts, cpus_, std::nullopt);
    }
    return calibrate(
        runner_, subject_, settings_, [this](const ScreeningProgress& one) { shown_.push_back(one); },
        stop_.get_token());
  }
  Calibration run_one() {
    auto result = run();
    if (const auto* failure = std::get_if<RunFailure>(&result)) {
      ADD_FAILURE() << failure->what;
      return {};
    }
    auto& all = std::get<0>(result);
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? Calibration{} : all.front();
  }
  RunFailure failure() {
    auto result = run();
    if (const auto* failed = std::get_if<RunFailure>(&result)) return *failed;
    ADD_FAILURE() << "it did not fail";
    return {};
  }
  /// Why the first tried arrangement with this pairing was refused.
  static std::string refusal(const Calibration& calibration, Pairing pairing) {
    for (const auto& one : calibration.tried) {
      if (one.arrangement.pairing == pairing && !one.refused.empty()) return one.refused;
    }
    return {};
  }

  FakeRunner runner_;
  runners::CpuChoice cpus_;
  CalibrationSubject subject_;
  CalibrationSettings settings_;
  std::function<Way(const runners::SliceShape&)> way_ = [](const auto&) { return Way{}; };
  double now_ = 1000;
  int lucky_ = 0;
  std::size_t stop_at_ = 0;
  std::stop_source stop_;
  std::vector<ScreeningProgress> shown_;
};

TEST_F(CalibratingTest, ChoosesTheLeastNoisyWay) {
  way_ = [](const runners::SliceShape& shape) {
    Way way;
    way.sigma = shape.pairing == Pairing::alternate && slice_ms(shape) < 0.15 ? 0.002 : 0.01;
    return way;
  };
  const Calibration found = run_one();
  EXPECT_EQ(found.chosen.pairing, Pairing::alternate);
  EXPECT_EQ(found.chosen.slice, std::chrono::microseconds{100});
  EXPECT_NEAR(found.noise.sigma, 0.002, 0.0012);
  EXPECT_GE(found.noise.launches, 20u);
  EXPECT_NEAR(found.recovered.value(), 1, 0.1);
  EXPECT_NEAR(found.slow_down.value(), 1, 0.1);
  EXPECT_EQ(found.unfit, "");
  EXPECT_EQ(found.host, "a host");
  EXPECT_EQ(found.benchmark, "work");
  EXPECT_EQ(found.tried.front().arrangement, found.chosen);
  EXPECT_EQ(found.tried.size(), 6u);
  EXPECT_GT(found.minimum_detectable_effect, 0.005);
  EXPECT_FALSE(found.layout_spread);
}

TEST_F(CalibratingTest, PrefersTheCheaperOfEquallyNoisyWays) {
  way_ = [](const runners::SliceShape& shape) {
    Way way;
    way.seconds = shape.pairing == Pairing::duet ? 0.05 : 0.5;
    return way;
  };
  EXPECT_EQ(run_one().chosen.pairing, Pairing::duet);
}

TEST_F(CalibratingTest, RunsTheControlNextToItselfAndNothingElse) {
  static_cast<void>(run_one());
  for (const Call& call : runner_.launches()) {
    EXPECT_EQ(call.control, "control");
    EXPECT_EQ(call.treatment, "control");
  }
}

TEST_F(CalibratingTest, LetsAllWaysTakeTurns) {
  static_cast<void>(run_one());
  const auto calls = runner_.launches();
  ASSERT_GE(calls.size(), 12u);
  for (std::size_t i = 0; i < 6; ++i) {
    const auto& first = calls[i].plan.shape;
    const auto& again = calls[i + 6].plan.shape;
    EXPECT_EQ(first.pairing, again.pairing) << i;
    EXPECT_EQ(first.iterations, again.iterations) << i;
    EXPECT_NE(calls[i].plan.program_seed, calls[i + 6].plan.program_seed) << i;
  }
}

TEST_F(CalibratingTest, DoesNotTrustAWayThatWasCheapByLuck) {
  way_ = [this](const runners::SliceShape& shape) {
    Way way;
    // The first launches of the process lie together; the later ones do not.
    if (shape.pairing == Pairing::process) way = {.sigma = lucky_++ < 6 ? 0.0001 : 0.1, .seconds = 0.02};
    return way;
  };
  EXPECT_EQ(run_one().chosen.pairing, Pairing::alternate);
}

TEST_F(CalibratingTest, RefusesADuetWithABiasAndSaysSo) {
  way_ = [](const runners::SliceShape& shape) {
    Way way;
    if (shape.pairing == Pairing::duet) way = {.sigma = 0.0005, .bias = 0.03};
    return way;
  };
  const Calibration found = run_one();
  EXPECT_EQ(found.chosen.pairing, Pairing::alternate);
  EXPECT_TRUE(refusal(found, Pairing::duet).starts_with("one slot takes 3.0"))
      << refusal(found, Pairing::duet);
}

TEST_F(CalibratingTest, RefusesADuetThatFightsForMemoryEvenIfItLosesAnyway) {
  way_ = [](const runners::SliceShape& shape) {
    Way way;
    if (shape.pairing == Pairing::duet) way = {.sigma = 0.05, .slow_down = 1.6};
    return way;
  };
  const Calibration found = run_one();
  EXPECT_EQ(found.chosen.pairing, Pairing::alternate);
  EXPECT_NE(refusal(found, Pairing::duet).find("times as long as one alone"), std::string::npos)
      << refusal(found, Pairing::duet);
}

TEST_F(CalibratingTest, RefusesADuetThatRecoversSevenTenths) {
  way_ = [](const runners::SliceShape& shape) {
    Way way;
    if (shape.pairing == Pairing::duet) way = {.sigma = 0.0005, .recovers = 0.7};
    return way;
  };
  const Calibration found = run_one();
  EXPECT_EQ(found.chosen.pairing, Pairing::alternate);
  EXPECT_NE(refusal(found, Pairing::duet).find("it shows 70 %"), std::string::npos)
      << refusal(found, Pairing::duet);
}

TEST_F(CalibratingTest, RefusesShortSlicesThatAreBlindToRareEvents) {
  way_ = [](const runners::SliceShape& shape) {
    Way way;
    if (slice_ms(shape) < 0.15) way = {.sigma = 0.0005, .rare = true};
    return way;
  };
  const Calibration found = run_one();
  EXPECT_NE(found.chosen.slice, std::chrono::microseconds{100});
  EXPECT_NE(refusal(found, Pairing::alternate).find("blind to rare slices"), std::string::npos)
      << refusal(found, Pairing::alternate);
}

TEST_F(CalibratingTest, RefusesTurnsThatSlowThreadsDown) {
  subject_.facts.threads = 4;
  way_ = [](const runners::SliceShape& shape) {
    Way way;
    if (shape.pairing == Pairing::alternate) way = {.sigma = 0.0005, .slow_down = 1.4};
    return way;
  };
  const Calibration found = run_one();
  EXPECT_EQ(found.chosen.pairing, Pairing::process);
  EXPECT_TRUE(refusal(found, Pairing::alternate).starts_with("its threads take 1."))
      << refusal(found, Pairing::alternate);
  EXPECT_NE(refusal(found, Pairing::duet).find("4 threads"), std::string::npos)
      << "impossible from the start";
}

TEST_F(CalibratingTest, SaysThatNothingMeasuresItSoundly) {
  way_ = [](const auto&) { return Way{.bias = 0.05}; };
  const Calibration found = run_one();
  EXPECT_EQ(found.chosen, subject_.possible.arrangements.front());
  EXPECT_TRUE(found.unfit.starts_with("nothing measures it soundly on this host: alternate: one slot takes "))
      << found.unfit;
  for (const auto& one : found.tried) EXPECT_FALSE(one.refused.empty());
}

TEST_F(CalibratingTest, CutsLaunchesThatAreLongerThanTheyHaveToBe) {
  way_ = [](const runners::SliceShape& shape) {
    Way way;
    way.sigma = 0.01;
    way.within = 0.002;
    way.seconds = 0.05 + static_cast<double>(shape.pairs) * slice_ms(shape) * 2e-3;
    return way;
  };
  const Calibration found = run_one();
  EXPECT_LT(found.chosen.launch_time, std::chrono::milliseconds{120});
  EXPECT_GE(found.chosen.launch_time, std::chrono::milliseconds{20});
  EXPECT_TRUE(found.recovered) << "what was found of the longer launches holds";
  EXPECT_GE(found.noise.launches, 10u);
}

TEST_F(CalibratingTest, KeepsItsTime) {
  for (const double seconds : {0.01, 0.2, 1.0, 2.0, 9.0}) {
    runner_.calls.clear();
    const double begin = now_;
    way_ = [&](const auto&) { return Way{.seconds = seconds}; };
    const Calibration found = run_one();
    EXPECT_LE(now_ - begin, 30.0 + seconds) << seconds;
    EXPECT_GE(found.noise.launches, 1u) << seconds;
    EXPECT_DOUBLE_EQ(found.seconds, now_ - begin);
  }
}

TEST_F(CalibratingTest, SaysWhatALongLaunchLeftNoTimeFor) {
  way_ = [](const auto&) { return Way{.seconds = 4}; };
  const Calibration found = run_one();
  EXPECT_NE(found.note.find(" launches of 4 s fitted into 30 s"), std::string::npos) << found.note;
}

TEST_F(CalibratingTest, TriesOnePairingWhenAsked) {
  MeasurementRequest request;
  request.asked_pairing = Pairing::duet;
  const auto all =
      runners::possible_arrangements(runners::Protocol::slices, subject_.facts, cpus_, std::nullopt);
  subject_.possible = plan_measurement(request, subject_.facts, all).possible;
  const Calibration found = run_one();
  EXPECT_EQ(found.chosen.pairing, Pairing::duet);
  for (const Call& call : runner_.launches()) EXPECT_EQ(call.plan.shape.pairing, Pairing::duet);
}

TEST_F(CalibratingTest, CalibratesAllBenchmarksOfAProcessAtOnce) {
  runner_.protocol = runners::Protocol::observer;
  runner_.benchmarks = [](const auto&) { return std::vector<std::string>{"one", "two"}; };
  way_ = [](const runners::SliceShape& shape) {
    return shape.pairing == Pairing::process_together ? Way{.sigma = 0.001, .slow_down = 1.5}
                                                      : Way{.sigma = 0.02};
  };
  auto result = run();
  ASSERT_EQ(result.index(), 0u);
  const auto& all = std::get<0>(result);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].benchmark, "one");
  EXPECT_EQ(all[1].benchmark, "two");
  for (const Calibration& found : all) {
    EXPECT_EQ(found.chosen.pairing, Pairing::process);
    EXPECT_FALSE(found.recovered);
    EXPECT_EQ(found.pairs, 0u);
    EXPECT_NE(found.note.find("no positive control"), std::string::npos) << found.note;
    EXPECT_NE(refusal(found, Pairing::process_together).find("both at once take 1.5"), std::string::npos)
        << refusal(found, Pairing::process_together);
  }
}

TEST_F(CalibratingTest, FindsTheLayoutSpread) {
  std::size_t asked = 0;
  subject_.relink = [&](std::uint64_t seed) -> std::variant<runners::ProgramPair, std::string> {
    ++asked;
    runners::ProgramPair pair = subject_.pair.both(Side::control);
    pair.treatment = "/builds/layout" + std::to_string(seed);
    return pair;
  };
  runner_.samples = [this](const Call& call) {
    runners::Launch launch = sampled(call);
    if (call.treatment.starts_with("layout")) {
      std::mt19937_64 random(std::stoul(call.treatment.substr(6)));
      const double layout = std::exp(0.02 * std::normal_distribution<double>()(random));
      for (double& value : launch.treatment) value *= layout;
    }
    return launch;
  };
  const Calibration found = run_one();
  EXPECT_EQ(asked, 16u);
  ASSERT_TRUE(found.layout_spread);
  EXPECT_GT(*found.layout_spread, 0.01);
  EXPECT_LT(*found.layout_spread, 0.04);
  const auto calls = runner_.launches();
  EXPECT_NE(calls.back().plan.first_slot, calls[calls.size() - 2].plan.first_slot) << "opposite slots";
}

TEST_F(CalibratingTest, DoesWithoutLayoutsWhereNoneCanBeMade) {
  subject_.relink = [](std::uint64_t) -> std::variant<runners::ProgramPair, std::string> {
    return "no linker";
  };
  const Calibration found = run_one();
  EXPECT_FALSE(found.layout_spread);
  EXPECT_EQ(found.note, "the layout spread is not known: no linker");
}

TEST_F(CalibratingTest, IsAFailureOfTheControlIfItCrashes) {
  runner_.fails = [](const Call&) { return tests::crash_of(Side::treatment); };
  const RunFailure failed = failure();
  EXPECT_EQ(failed.side, Side::control);
  EXPECT_EQ(failed.what, "control was killed by signal 11 (Segmentation fault)");
  EXPECT_EQ(runner_.calls.size(), 1u);
}

TEST_F(CalibratingTest, EndsAtATimeOutWhereverItComes) {
  runner_.fails = [this](const Call&) -> std::optional<RunFailure> {
    if (runner_.calls.size() < 9) return std::nullopt;
    return RunFailure{Side::control, 0, RunFailure::Reason::timed_out, "control took longer than 60 s"};
  };
  EXPECT_EQ(failure().reason, RunFailure::Reason::timed_out);
  EXPECT_EQ(runner_.calls.size(), 9u);
}

TEST_F(CalibratingTest, LosesOnlyTheWayInWhichItFails) {
  runner_.fails = [](const Call& call) -> std::optional<RunFailure> {
    if (call.plan.shape.pairing == Pairing::duet) return tests::crash_of(Side::treatment);
    return std::nullopt;
  };
  const Calibration found = run_one();
  EXPECT_EQ(found.chosen.pairing, Pairing::alternate);
  EXPECT_EQ(refusal(found, Pairing::duet),
            "a launch failed: control was killed by signal 11 (Segmentation fault)");
}

TEST_F(CalibratingTest, BearsOneLostLaunch) {
  runner_.fails = [this](const Call&) -> std::optional<RunFailure> {
    if (runner_.calls.size() != 20) return std::nullopt;
    return tests::crash_of(Side::control);
  };
  const Calibration found = run_one();
  EXPECT_EQ(found.unfit, "");
  for (const auto& one : found.tried) EXPECT_EQ(one.refused, "");
}

TEST_F(CalibratingTest, StopsBetweenLaunches) {
  stop_at_ = 11;
  EXPECT_EQ(failure().reason, RunFailure::Reason::stopped);
  EXPECT_EQ(runner_.calls.size(), 11u);
}

TEST_F(CalibratingTest, ShowsEveryLaunchBeforeItIsMade) {
  static_cast<void>(run_one());
  ASSERT_EQ(shown_.size(), runner_.launches().size());
  EXPECT_EQ(shown_.front().phase, ScreeningProgress::Phase::calibrating);
  EXPECT_EQ(shown_.back().launch, shown_.size());
  EXPECT_GE(shown_.back().most, shown_.back().launch);
}

}  // namespace
}  // namespace tandem::daemon
