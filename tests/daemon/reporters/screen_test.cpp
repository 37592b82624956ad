#include "daemon/harness/run_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/daemon/reporters/sample_run.hpp"

namespace tandem::daemon::harness {
namespace {

TEST(ScreenReporter, ShowsOneBuildAsATable) {
  RunRecord run = sample_run();
  std::swap(run.series[0], run.series[1]);  // whole nets come first however they came
  EXPECT_EQ(screen_text(run), R"(squeezenet · delay · squeezenet-1.1
  on cpu0-3, pytorch, cpu, abc123
  NAME               UNIT  N  LAUNCHES   MEDIAN      MAD      P10      P90
  NET latency        ms    3         1   1.0000  0.20000  0.84000   1.1600
  ID_0_Conv latency  ms    2         1  0.50000  0.25000  0.30000  0.70000

)");
}

TEST(ScreenReporter, ShowsAComparisonWithItsVerdict) {
  RunRecord run = sample_comparison();
  run.statistics = {"p99", "p50", "p99"};
  EXPECT_EQ(screen_text(run), R"(squeezenet · delay · squeezenet-1.1
  on cpu0-3, pytorch, cpu, abc123 against 0ld
  NAME               UNIT  N  LAUNCHES   MEDIAN      MAD      P10      P90      p99  CONTROL  DIFFERENCE  VERDICT
  NET latency        ms    3         1   1.0000  0.20000  0.84000   1.1600   1.1960  0.75000    +33.33 %  slower (+25.00 % to +37.50 %), regressed
  ID_0_Conv latency  ms    2         1  0.50000  0.25000  0.30000  0.70000  0.74500        -           -

)");
}

TEST(ScreenReporter, SaysHowARunFailed) {
  RunRecord run = sample_run();
  run.series.clear();
  run.failure = "the program ended with code 3";
  EXPECT_EQ(screen_text(run), R"(squeezenet · delay · squeezenet-1.1
  on cpu0-3, pytorch, cpu, abc123
  failed: the program ended with code 3

)");
  run.failure.clear();
  EXPECT_NE(screen_text(run).find("  no results\n"), std::string::npos);
}

TEST(ScreenReporter, LetsNothingMoveTheCursor) {
  RunRecord run = sample_run();
  const std::string evil =
      "\x1b[2J\r\n\t\x07\x7f\xc2\x9b"
      "31mred\xff";
  for (std::string* text : {&run.model, &run.metric, &run.identifier, &run.platform, &run.framework,
                            &run.backend, &run.treatment.commit, &run.failure, &run.series[0].type,
                            &run.series[0].unit, &run.series[0].info_string}) {
    *text = evil;
  }
  run.series[0].verdict = ReportedVerdict{.outcome = evil};
  run.series[0].control_values = std::vector<double>{1};
  const std::string text = screen_text(run);
  for (const char c : text) {
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << static_cast<int>(c);
    EXPECT_NE(c, 0x7F);
  }
  EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
  EXPECT_NE(text.find("red"), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8);
}

TEST(ScreenReporter, RepeatsTheHeadingOfALongTableAndCutsLongNames) {
  RunRecord run = sample_run();
  run.series.assign(90, series_of(std::string(200, 'x') + "é", "latency", {1}));
  const std::string text = screen_text(run);
  std::size_t headings = 0;
  for (auto at = text.find("  NAME "); at != std::string::npos; at = text.find("  NAME ", at + 1)) ++headings;
  EXPECT_EQ(headings, 3u);
  EXPECT_NE(text.find(std::string(59, 'x') + "…"), std::string::npos);
}

TEST(ScreenReporter, ShowsDigitsThatMeanSomethingFromTinyToHuge) {
  RunRecord run = sample_run();
  run.series = {series_of("NET", "a", {1e-9}), series_of("NET", "b", {0.00123456}),
                series_of("NET", "c", {0}),    series_of("NET", "d", {123456.78}),
                series_of("NET", "e", {1e12}), series_of("NET", "f", {-0.8})};
  const std::string text = screen_text(run);
  for (const char* number : {" 1.0000e-09 ", " 0.0012346 ", " 0 ", " 123457 ", " 1.0000e+12 ", " -0.80000 "})
    EXPECT_NE(text.find(number), std::string::npos) << number << "\n" << text;
}

}  // namespace
}  // namespace tandem::daemon::harness
