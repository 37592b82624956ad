#include "daemon/walk/arranging.hpp"

#include <gtest/gtest.h>

namespace tandem::daemon {
namespace {

using runners::Arrangement;
using runners::Pairing;
using std::chrono::milliseconds;

constexpr Arrangement usual{Pairing::alternate, milliseconds{1}, milliseconds{120}};
constexpr Arrangement duet{Pairing::duet, milliseconds{1}, milliseconds{80}};

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

TEST(Arranging, WithoutACalibrationTakesTheFirstThatIsPossible) {
  const Arranged result = arranged(std::nullopt, both(), "host");
  EXPECT_EQ(result.screen, usual);
  EXPECT_EQ(result.confirmation, usual);
  EXPECT_FALSE(result.prior);
}

TEST(Arranging, DoesNotBelieveACalibrationOfAFewLaunches) {
  analysis::Calibration hasty = calibrated();
  hasty.noise.launches = 2;
  EXPECT_EQ(arranged(hasty, both(), "host").screen, usual);
  EXPECT_FALSE(arranged(hasty, both(), "host").prior);
}

TEST(Arranging, TakesWhatTheCalibrationChose) {
  for (const char* host : {"host", ""}) {
    const Arranged result = arranged(calibrated(), both(), host);
    EXPECT_EQ(result.screen, duet);
    EXPECT_EQ(result.confirmation.pairing, Pairing::alternate) << "a duet that slows down is not trusted";
    ASSERT_TRUE(result.prior);
    EXPECT_EQ(result.prior->median, 0.003);
    EXPECT_EQ(result.prior->total, 0.004);
  }
}

TEST(Arranging, LeavesACalibrationOfAnotherHostAside) {
  EXPECT_EQ(arranged(calibrated(), both(), "another").screen, usual);
}

TEST(Arranging, LeavesAPairingAsideThatIsNoLongerPossible) {
  const Arranged result = arranged(calibrated(), {{usual}, {{Pairing::duet, "why"}}}, "host");
  EXPECT_EQ(result.screen, usual);
  EXPECT_FALSE(result.prior);
}

TEST(Arranging, ShapesSlicesAndLeavesProcessesWhole) {
  const auto slices = shape_of(runners::Protocol::slices, {1000, 1, true, 0}, duet);
  EXPECT_EQ(slices.pairing, Pairing::duet);
  EXPECT_EQ(slices.iterations, 1000u);
  EXPECT_EQ(slices.pairs, 40u);
  const auto process = shape_of(runners::Protocol::command, {}, {Pairing::process_together, {}, {}});
  EXPECT_EQ(process.pairing, Pairing::process_together);
}

}  // namespace
}  // namespace tandem::daemon
