#include "daemon/measure/measure.hpp"

#include <gtest/gtest.h>

#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

using runners::Arrangement;
using runners::Pairing;
using std::chrono::milliseconds;

constexpr Arrangement usual{Pairing::alternate, milliseconds{1}, milliseconds{120}};
constexpr Arrangement duet{Pairing::duet, milliseconds{1}, milliseconds{80}};
const runners::BenchmarkFacts facts{1000, 1, true, 0};

runners::PossibleArrangements both() {
  return {{usual, {Pairing::duet, milliseconds{3}, milliseconds{120}}}, {}};
}

analysis::Calibration calibrated() {
  analysis::Calibration calibration;
  calibration.chosen = duet;
  calibration.host = "host";
  calibration.noise.launches = 20;
  calibration.noise.sigma = 0.003;
  calibration.noise.sigma_total = 0.004;
  calibration.slow_down = 1.2;
  return calibration;
}

MeasurementRequest request_with(std::optional<analysis::Calibration> calibration, std::string host = "host") {
  MeasurementRequest request;
  request.benchmark = "work";
  request.calibration = std::move(calibration);
  request.host = std::move(host);
  return request;
}

TEST(Measure, WithoutACalibrationTakesTheFirstThatIsPossible) {
  const auto plan = plan_measurement(request_with({}), facts, both());
  EXPECT_EQ(plan.screen.shape.pairing, Pairing::alternate);
  EXPECT_EQ(plan.confirmation.shape.pairing, Pairing::alternate);
  EXPECT_FALSE(plan.prior);
  EXPECT_EQ(plan.margin.value, 0.01);
}

TEST(Measure, DoesNotBelieveACalibrationOfAFewLaunches) {
  analysis::Calibration hasty = calibrated();
  hasty.noise.launches = 2;
  const auto plan = plan_measurement(request_with(hasty), facts, both());
  EXPECT_EQ(plan.screen.shape.pairing, Pairing::alternate);
  EXPECT_FALSE(plan.prior);
}

TEST(Measure, TakesWhatTheCalibrationChose) {
  for (const char* host : {"host", ""}) {
    const auto plan = plan_measurement(request_with(calibrated(), host), facts, both());
    EXPECT_EQ(plan.screen.shape.pairing, Pairing::duet);
    EXPECT_EQ(plan.screen.shape.pairs, 40u) << "its slices and its length, too";
    EXPECT_EQ(plan.confirmation.shape.pairing, Pairing::alternate) << "a duet that slows down is not trusted";
    ASSERT_TRUE(plan.prior);
    EXPECT_EQ(plan.prior->median, 0.003);
    EXPECT_EQ(plan.prior->total, 0.004);
  }
}

TEST(Measure, LeavesACalibrationOfAnotherHostAside) {
  const auto plan = plan_measurement(request_with(calibrated(), "another"), facts, both());
  EXPECT_EQ(plan.screen.shape.pairing, Pairing::alternate);
  EXPECT_EQ(plan.margin.value, 0.01);
}

TEST(Measure, LeavesAPairingAsideThatIsNoLongerPossible) {
  const auto plan = plan_measurement(request_with(calibrated()), facts, {{usual}, {{Pairing::duet, "why"}}});
  EXPECT_EQ(plan.screen.shape.pairing, Pairing::alternate);
  EXPECT_FALSE(plan.prior);
}

TEST(Measure, WidensTheMarginByTheLayoutsAndByTheLengthForEverybody) {
  analysis::Calibration scattered = calibrated();
  scattered.layout_spread = 0.02;
  EXPECT_DOUBLE_EQ(plan_measurement(request_with(scattered), facts, both()).margin.value, 0.04);
  runners::BenchmarkFacts longer = facts;
  longer.iteration_ns = 2e9;
  const auto plan = plan_measurement(request_with({}), longer, both());
  EXPECT_DOUBLE_EQ(plan.margin.value, 0.05);
  EXPECT_DOUBLE_EQ(plan.screening(66, 1).margin, 0.05);
}

TEST(Measure, ObeysThePairingThatAPersonAsksForOrSaysWhyItCannot) {
  MeasurementRequest request = request_with({});
  request.asked_pairing = Pairing::duet;
  EXPECT_EQ(plan_measurement(request, facts, both()).screen.shape.pairing, Pairing::duet);
  try {
    static_cast<void>(plan_measurement(request, facts, {{usual}, {{Pairing::duet, "it has 4 threads"}}}));
    FAIL() << "it is not possible";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "--pairing duet is not possible for work: it has 4 threads");
  }
}

TEST(Measure, TakesThePairingOfASpecWhereItIsPossible) {
  MeasurementRequest request = request_with({});
  request.usual_pairing = "duet";
  EXPECT_EQ(plan_measurement(request, facts, both()).screen.shape.pairing, Pairing::duet);
  EXPECT_EQ(plan_measurement(request, facts, {{usual}, {}}).screen.shape.pairing, Pairing::alternate);
}

TEST(Measure, ShapesSlicesAndLeavesProcessesWhole) {
  const auto slices = shape_of(runners::Protocol::slices, facts, duet);
  EXPECT_EQ(slices.pairing, Pairing::duet);
  EXPECT_EQ(slices.iterations, 1000u);
  EXPECT_EQ(slices.pairs, 40u);
  const auto process = shape_of(runners::Protocol::command, {}, {Pairing::process_together, {}, {}});
  EXPECT_EQ(process.pairing, Pairing::process_together);
}

}  // namespace
}  // namespace tandem::daemon
