#include "daemon/report/comparison_report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "daemon/report/golden.hpp"

namespace tandem::daemon::report {
namespace {

using analysis::Outcome;

constexpr double infinity = std::numeric_limits<double>::infinity();

Screened screened(const char* name, Outcome outcome, analysis::RatioInterval ratio) {
  Screened one;
  one.benchmark = name;
  one.verdict.outcome = outcome;
  one.verdict.ratio = one.verdict.median_ratio = ratio;
  one.verdict.total_ratio = {1.0, 0.0, infinity, 1.0};
  one.verdict.sigma = 0.004;
  one.verdict.minimum_detectable_effect = 0.0125;
  one.verdict.launches = 14;
  one.time = std::chrono::milliseconds(2345);
  return one;
}

Screened failed(const char* name) {
  Screened one;
  one.benchmark = name;
  one.verdict.outcome = Outcome::failed;
  one.failure = {runners::Side::treatment, 3, runners::RunFailure::Reason::crashed,
                 "treatment was killed by signal 11 (Segmentation fault)"};
  return one;
}

Screened throughput(const char* name, Outcome outcome, analysis::RatioInterval ratio) {
  Screened one = screened(name, outcome, ratio);
  one.metric = {"images_per_second", "1/s", specs::Direction::higher_is_better};
  return one;
}

/// One benchmark of each outcome.
Comparison sample_comparison() {
  Comparison comparison;
  comparison.control = "/builds/control";
  comparison.treatment = "/builds/treatment";
  comparison.arguments = {"--threads", "1"};
  comparison.seed = 42;
  comparison.benchmarks = {screened("slower", Outcome::slower, {1.081, 1.0752, 1.0868, 0.95}),
                           screened("faster", Outcome::faster, {0.941, 0.9388, 0.9437, 0.95}),
                           screened("unchanged", Outcome::unchanged, {1.0004, 0.9971, 1.0032, 0.9}),
                           screened("inconclusive", Outcome::inconclusive, {1.006, 0.0, infinity, 1.0}),
                           screened("identical", Outcome::identical, {1.0, 1.0, 1.0, 1.0}),
                           throughput("fewer", Outcome::slower, {0.88, 0.87, 0.89, 0.95}),
                           throughput("more", Outcome::faster, {1.12, 1.1, 1.14, 0.95}),
                           failed("failed")};
  Screened rare = screened("rare", Outcome::slower, {1.034, 1.01, 1.06, 0.95});
  rare.verdict.decided_by_total = true;
  comparison.benchmarks.push_back(rare);
  comparison.missing = {"gone"};
  comparison.added = {"fresh"};
  comparison.host.kernel = "6.1.0-example";
  comparison.host.cpu_model = "Example CPU @ 2.50GHz";
  comparison.host.processors = 2;
  comparison.time = std::chrono::milliseconds(12'345);
  return comparison;
}

TEST(ComparisonReport, SaysEveryOutcomeInASentence) {
  tests::expect_golden(comparison_text(sample_comparison()), "comparison.txt");
}

TEST(ComparisonReport, WritesEveryOutcomeAsJson) {
  tests::expect_golden(comparison_json(sample_comparison()), "comparison.json");
}

TEST(ComparisonReport, IsJsonWithoutInfinities) {
  const auto document = nlohmann::json::parse(comparison_json(sample_comparison()), nullptr, false);
  ASSERT_TRUE(document.is_object());
  EXPECT_EQ(document["exit_code"], 1);
  EXPECT_EQ(document["benchmarks"].size(), 9u);
}

TEST(ComparisonReport, SaysThatIdenticalProgramsWereNotRun) {
  Comparison comparison = sample_comparison();
  comparison.identical = true;
  comparison.benchmarks.clear();
  const std::string text = comparison_text(comparison);
  EXPECT_TRUE(text.starts_with("identical: ")) << text;
  EXPECT_NE(text.find("--measure_identical"), std::string::npos) << text;
}

TEST(ComparisonReport, ClosesWithTheMostPressing) {
  const auto closing = [](std::vector<Screened> benchmarks) {
    Comparison comparison;
    comparison.benchmarks = std::move(benchmarks);
    comparison.time = std::chrono::seconds(3);
    const std::string text = comparison_text(comparison);
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  };
  const auto calm = screened("calm", Outcome::unchanged, {1.0, 0.99, 1.01, 0.95});
  const auto slow = screened("slow", Outcome::slower, {1.1, 1.09, 1.11, 0.95});
  EXPECT_EQ(closing({calm}), "nothing slower, 3.0 s in all\n");
  EXPECT_EQ(closing({calm, failed("f")}), "1 of 2 without a verdict, 3.0 s in all\n");
  EXPECT_EQ(closing({slow, failed("f"), calm}), "1 of 3 slower, 3.0 s in all\n");
}

TEST(ComparisonReport, SurvivesNamesThatAreNotUtf8) {
  Comparison comparison = sample_comparison();
  comparison.benchmarks.front().benchmark = "bad\xff\"name\n";
  const auto document = nlohmann::json::parse(comparison_json(comparison), nullptr, false);
  EXPECT_TRUE(document.is_object());
}

}  // namespace
}  // namespace tandem::daemon::report
