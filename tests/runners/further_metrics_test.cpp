#include "runners/pairing/further_metrics.hpp"

#include <fstream>

#include "runners/whole_process_fixture.hpp"

namespace tandem::runners {
namespace {

class FurtherMetricsTest : public WholeProcessTest {
 protected:
  /// The numbers 1 to 8 as the golden file, written into the launch's own directory by the program.
  ProgramPair numbers(const std::string& control_off, const std::string& treatment_off) {
    const auto file = notes_.path() / "golden.txt";
    std::ofstream(file) << "1 2 3 4\n5 6 7 8\n";
    ProgramPair programs = pair("writes_numbers", "writes_numbers");
    programs.control_values["off"] = control_off;
    programs.treatment_values["off"] = treatment_off;
    for (auto* values : {&programs.control_values, &programs.treatment_values})
      (*values)["TGTDIR"] = notes_.path().string();
    programs.commands = {{"{program}", "{off}"}};
    programs.further_metrics = {"error"};
    programs.golden = specs::Golden{file, "", 0.01, {}, specs::Golden::Type::text};
    return programs;
  }
};

TEST_F(FurtherMetricsTest, NameWhatTheSpecWishesAndNoOther) {
  ProgramPair programs = pair("plain", "steady", {});
  programs.commands = {{"/bin/true"}};
  programs.further_metrics = {"time", "size"};
  const auto all = sampled(programs, subject(Protocol::command));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NE(find(all, "command", "time"), nullptr);
  const Sampled* size = find(all, "command", "size");
  ASSERT_NE(size, nullptr);
  EXPECT_EQ(size->launch.control.at(0), static_cast<double>(std::filesystem::file_size(programs.control)));
  EXPECT_EQ(size->launch.treatment.at(0),
            static_cast<double>(std::filesystem::file_size(programs.treatment)));
  EXPECT_EQ(size->metric.tolerance, 0.01);
  EXPECT_EQ(size->metric.unit, "B");
}

TEST_F(FurtherMetricsTest, MeasureWhatDoesNotScatterInTheFirstLaunchOnly) {
  ProgramPair programs = pair("plain", "plain", {});
  programs.commands = {{"/bin/true"}};
  programs.further_metrics = {"size", "peak_memory"};
  const auto all = sampled(programs, subject(Protocol::command), plan_launch(3, 1, {}));
  EXPECT_EQ(find(all, "command", "size"), nullptr);
  EXPECT_NE(find(all, "command", "peak_memory"), nullptr);
}

TEST_F(FurtherMetricsTest, CountInstructionsOfWholeProcesses) {
  ProgramPair programs = pair("writes_numbers", "writes_numbers");
  programs.further_metrics = {"instructions"};
  programs.instructions = specs::InstructionCounter::callgrind;
  const auto all = sampled(programs, subject(Protocol::command));
  const Sampled* count = find(all, "command", "instructions");
  ASSERT_NE(count, nullptr);
  EXPECT_EQ(count->metric.tolerance, 0.005);
  EXPECT_GT(count->launch.control.at(0), 10'000);
  EXPECT_NEAR(count->launch.treatment.at(0) / count->launch.control.at(0), 1, 0.005);
}

TEST_F(FurtherMetricsTest, CountInstructionsPerIterationOfSlices) {
  ProgramPair programs = pair("steady", "slower");  // 2000 and 3000 rounds of eight instructions or so
  programs.further_metrics = {"instructions"};
  programs.instructions = specs::InstructionCounter::callgrind;
  Subject work{Protocol::slices, "work", {}};
  work.shape.iterations = 100;
  const LaunchPlan plan = first_plan();
  const Launch launch;
  const HostSettings host = settings();
  const auto result = further_metrics({host, programs, work, plan, launch}, {});
  expect_nothing_left();
  const Sampled* count = find(result, "work", "instructions");
  ASSERT_NE(count, nullptr);
  EXPECT_NEAR(count->launch.treatment.at(0) / count->launch.control.at(0), 1.5, 0.02);
}

TEST_F(FurtherMetricsTest, SayWhichSideFailsUnderTheCounter) {
  ProgramPair programs = scripts("{rest}", {{"rest", "true"}}, {{"rest", "test -z \"$LD_PRELOAD\""}});
  programs.further_metrics = {"instructions"};
  programs.instructions = specs::InstructionCounter::callgrind;
  const RunFailure wrong = failure(programs, subject(Protocol::command));
  EXPECT_EQ(wrong.side, Side::treatment);
  EXPECT_NE(wrong.what.find("exited with status 1 under callgrind"), std::string::npos) << wrong.what;
}

TEST_F(FurtherMetricsTest, CompareWhatIsPrintedWithTheGoldenNumbers) {
  const auto all = sampled(numbers("0.001", "0.25"), subject(Protocol::command));
  const Sampled* error = find(all, "command", "error");
  ASSERT_NE(error, nullptr);
  EXPECT_NEAR(error->launch.control.at(0), 0.001, 1e-6);
  EXPECT_NEAR(error->launch.treatment.at(0), 0.25, 1e-6);
  EXPECT_EQ(error->metric.limit, 0.01);
}

TEST_F(FurtherMetricsTest, CompareWhatIsWrittenToAFreshDirectory) {
  ProgramPair programs = numbers("0", "0.5");
  // The program refuses to overwrite a file: each side must find a directory of its own. While it is measured
  // it writes elsewhere.
  programs.commands = {{"/bin/rm", "-f", "{TGTDIR}/out.txt"}, {"{program}", "{off}", "{TGTDIR}/out.txt"}};
  programs.golden->output = "{TGTDIR}/out.txt";
  programs.golden->absolute.reset();
  programs.golden->relative = 0.1;
  const auto all = sampled(programs, subject(Protocol::command));
  const Sampled* error = find(all, "command", "relative_error");
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->launch.control, std::vector<double>{0});
  EXPECT_NEAR(error->launch.treatment.at(0), 0.5, 1e-6) << "of the number 1";
  EXPECT_EQ(error->metric.limit, 0.1);
}

TEST_F(FurtherMetricsTest, NameTheSideWhoseOutputIsNotComparable) {
  ProgramPair programs = numbers("0", "0");
  programs.treatment_values["off"] = "0 | head -n 7";
  programs.commands = {{"/bin/sh", "-c", "{program} {off}"}};
  const RunFailure wrong = failure(programs, subject(Protocol::command));
  EXPECT_EQ(wrong.side, Side::treatment);
  EXPECT_EQ(wrong.what, "the output of treatment for the golden file has 7 numbers where that has 8");
  programs = numbers("0", "0");
  programs.golden->output = "{TGTDIR}/never.txt";
  EXPECT_EQ(failure(programs, subject(Protocol::command), first_plan()).what.find("the output of "), 0u);
}

}  // namespace
}  // namespace tandem::runners
