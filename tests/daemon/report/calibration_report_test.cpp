#include "daemon/records/verdict_json.hpp"
#include "daemon/report/comparison_report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "daemon/report/golden.hpp"
#include "daemon/report/sample_calibration.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::report {
namespace {

using tests::sample_calibration;
using tests::sample_host_calibration;

TEST(CalibrationReport, SaysWhatWasChosenTriedAndRefused) {
  tests::expect_golden(calibration_text(sample_host_calibration()), "calibration.txt");
}

TEST(CalibrationReport, WritesEveryFieldAsJson) {
  tests::expect_golden(calibration_json(sample_host_calibration()), "calibration.json");
}

TEST(CalibrationReport, ShowsWhatWasKept) {
  const std::vector<KeptCalibration> kept = {{{"by hand", "program"}, sample_calibration("compute")}};
  tests::expect_golden(kept_calibrations_text(kept), "kept_calibrations.txt");
  const auto document = nlohmann::json::parse(kept_calibrations_json(kept));
  EXPECT_EQ(document["calibrations"][0]["watch"], "by hand");
  EXPECT_EQ(document["calibrations"][0]["calibration"]["chosen"]["pairing"], "alternate");
  EXPECT_EQ(kept_calibrations_text({}), "no calibration is stored\n");
}

TEST(CalibrationReport, CallsAHostUnfitWhoseBenchmarksAre) {
  HostCalibration host = sample_host_calibration();
  EXPECT_EQ(calibration_text(host).find("host: UNFIT"), std::string::npos);
  for (auto& one : host.benchmarks) one.unfit = "why";
  EXPECT_NE(calibration_text(host).find("UNFIT: 3 of 3 benchmarks"), std::string::npos);
  host.benchmarks.clear();
  EXPECT_NE(calibration_text(host).find("host: nothing could be measured\n"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(calibration_json(host))["host"]["noise_floor"].is_null());
}

TEST(CalibrationReport, SaysThatLaunchesAgreedInsteadOfANoiseOfZero) {
  HostCalibration host = sample_host_calibration();
  host.benchmarks.resize(1);
  analysis::Calibration& one = host.benchmarks.front();
  one.noise.sigma = 0;
  one.noise.sigma_total = 0;
  one.noise.tail = 0;
  one.layout_spread = 0;
  for (auto& tried : one.tried) tried.noise = one.noise;
  const std::string text = calibration_text(host);
  EXPECT_NE(text.find("noise of a launch too small to be seen"), std::string::npos) << text;
  EXPECT_NE(text.find("noise floor too small to be seen"), std::string::npos) << text;
  EXPECT_NE(text.find("  layouts do not move it\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
  EXPECT_EQ(text.find("inf"), std::string::npos) << text;
}

TEST(CalibrationLine, IsReadBackExactly) {
  for (const auto& one : sample_host_calibration().benchmarks) {
    const std::string line = calibration_line(one);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto again = calibration_from_line(line);
    EXPECT_EQ(calibration_line(again), line);
    EXPECT_EQ(again.noise.sigma, one.noise.sigma);
    EXPECT_EQ(again.chosen, one.chosen);
    EXPECT_EQ(again.recovered, one.recovered);
    EXPECT_EQ(again.at, one.at);
    EXPECT_EQ(again.tried.size(), one.tried.size());
  }
}

TEST(CalibrationLine, KeepsAnEffectThatNoLaunchWouldFind) {
  auto calibration = sample_calibration("x");
  calibration.minimum_detectable_effect = std::numeric_limits<double>::infinity();
  EXPECT_EQ(calibration_from_line(calibration_line(calibration)).minimum_detectable_effect,
            std::numeric_limits<double>::infinity());
}

class ForeignCalibration : public testing::TestWithParam<const char*> {};

TEST_P(ForeignCalibration, IsRefused) {
  EXPECT_THROW(static_cast<void>(calibration_from_line(GetParam())), Error);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ForeignCalibration,
    testing::Values("", "{", "[]", "null", "{}", R"({"benchmark": 1})",
                    R"({"benchmark": "x", "margin": 0.01, "chosen": {"pairing": "solo"}})"));

TEST(CalibrationExitCode, NamesTheWorst) {
  HostCalibration host = sample_host_calibration();
  EXPECT_EQ(exit_code(host), 4);
  host.failed.clear();
  EXPECT_EQ(exit_code(host), 3);
  host.benchmarks.resize(2);
  EXPECT_EQ(exit_code(host), 3) << "unfit";
  host.benchmarks.resize(1);
  EXPECT_EQ(exit_code(host), 0);
}

}  // namespace
}  // namespace tandem::daemon::report
