#include "runners/adapter_reading.hpp"

namespace tandem::runners {
namespace {

using Values = std::vector<double>;

std::vector<Series> read(std::string_view output, const std::string& asked = "") {
  return tests::read_as("benchdnn", output, {{"template", asked}});
}

std::string error_in(std::string_view output, const std::string& asked = "") {
  return tests::error_as("benchdnn", output, {{"template", asked}});
}

TEST(BenchdnnLines, FollowTheTemplateThatIsPrinted) {
  const auto series = read(
      "Output template: "
      "perf,%engine%,%impl%,%name%,%prb%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,%0Gflops%\n"
      "perf,cpu,jit:avx2,\"ip1\",--dir=FWD_B mb112ic64,0.5,0.25,0.5,1000,0.625,800\n"
      "perf,cpu,brg:avx2,,--attr-post-ops=sum:0.5,relu mb1,0.5,0.25,2,250,4,125\n"
      "tests:2 passed:2 skipped:0\n"
      "total perf: min(ms):2.5 avg(ms):4.6\n");
  const std::string first = "--dir=FWD_B mb112ic64";
  const std::string second = "--attr-post-ops=sum:0.5,relu mb1";
  EXPECT_EQ(series.size(), 10u);
  EXPECT_EQ(tests::find_series(series, first, "time")->values, Values{0.5e6});
  EXPECT_EQ(tests::find_series(series, first, "time")->metric.unit, "ns");
  EXPECT_EQ(tests::find_series(series, first, "average_time")->values, Values{0.625e6});
  EXPECT_EQ(tests::find_series(series, first, "flops")->values, Values{1e12});
  EXPECT_EQ(tests::find_series(series, first, "flops")->metric.direction, specs::Direction::higher_is_better);
  EXPECT_EQ(tests::find_series(series, first, "creation_time")->values, Values{0.25e6});
  EXPECT_EQ(tests::find_series(series, second, "time")->values, Values{2e6})
      << "commas belong to the problem";
}

TEST(BenchdnnLines, UseTheDefaultsOfThePrimitivesWhereNoTemplateIsPrinted) {
  const auto series = read(
      "perf,cpu,jit,name,mb1ic3,0.5,0,0.5,1000,0.625,800\n"
      "perf,cpu,jit,,--alg=RELU 8x8,0.125,0.25\n"
      "perf,cpu,jit,,--alg=RELU 8x8,0.25,0.25\n");
  EXPECT_EQ(tests::find_series(series, "mb1ic3", "time")->values, Values{0.5e6});
  EXPECT_EQ(tests::find_series(series, "--alg=RELU 8x8", "time")->values, (Values{0.125e6, 0.25e6}))
      << "printed twice";
}

TEST(BenchdnnLines, TakeTheTemplateOfTheCommand) {
  const auto arguments_of = find_adapter("benchdnn")->arguments_of;
  EXPECT_EQ(arguments_of({"{program}", "--conv", "--perf-template=%prb%;%time%"}),
            (ResultAdapter::Arguments{{"template", "%prb%;%time%"}}));
  EXPECT_TRUE(arguments_of({"{program}", "--conv"}).empty());
  const auto series = read("mb1;0.5;3\nsomething else\nmb1;x;3\n", "%prb%;%time%;%Gbw%");
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(tests::find_series(series, "mb1", "time")->values, Values{0.5e6});
  EXPECT_EQ(tests::find_series(series, "mb1", "bandwidth")->values, Values{3e9});
  EXPECT_EQ(tests::find_series(series, "mb1", "bandwidth")->metric.unit, "B/s");
}

TEST(BenchdnnLines, NameTheProblemByItsPartsButNeverByItsImplementation) {
  const auto series = read(
      "Output template: perf,%engine%,%impl%,%name%,%dir%,%cfg%,%attr%,%DESC%,%Gops%,%Mtime%\n"
      "perf,cpu,jit:avx2,\"ip1\",FWD_B,f32,,112,1000,2048,0.45,1e-6\n");
  EXPECT_EQ(tests::find_series(series, "\"ip1\" FWD_B f32 112,1000,2048", "time")->values, Values{1e6})
      << "in Mega-ms";
}

TEST(BenchdnnLines, CallTheAverageTimeWhereThereIsNoShortest) {
  EXPECT_EQ(tests::find_series(read("mb1,2\n", "%prb%,%0time%"), "mb1", "time")->values, Values{2e6});
  const auto both = read("mb1,9,2\n", "%prb%,%+time%,%0time%");
  EXPECT_EQ(tests::find_series(both, "mb1", "time")->values, Values{9e6})
      << "the first that the template has";
  EXPECT_EQ(tests::find_series(both, "mb1", "average_time")->values, Values{2e6});
}

TEST(BenchdnnLines, LeaveOutRatesThatBenchdnnDoesNotCount) {
  EXPECT_EQ(read("mb1,2,0\n", "%prb%,%time%,%Gflops%").size(), 1u);
}

TEST(BenchdnnLines, SayWhichLineDoesNotFit) {
  EXPECT_EQ(error_in("Output template: perf,%prb%,%-time%\nperf,mb1,fast\n"),
            "output line 2 does not fit the performance template of benchdnn: perf,mb1,fast");
  EXPECT_EQ(error_in("Output template: perf,%prb%%-time%\n"),
            "the template in output line 1 cannot be followed");
  EXPECT_NE(error_in("perf,mb1,inf\n", "perf,%prb%,%time%"), "");
}

TEST(BenchdnnLines, AreRecognisedByTheTemplateLine) {
  const auto is_benchdnn_output = find_adapter("benchdnn")->recognises;
  EXPECT_TRUE(is_benchdnn_output("x\nOutput template: perf,%prb%,%-time%\n"));
  EXPECT_FALSE(is_benchdnn_output("perf,mb1,0.5\n"));
  EXPECT_FALSE(is_benchdnn_output("Output template: none\n"));
  EXPECT_TRUE(read("Compiling a.cpp\n1,2,3\n").empty());
}

}  // namespace
}  // namespace tandem::runners
