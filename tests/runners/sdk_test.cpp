// The Python example of the SDK as a real client: nothing of it but the lines of PROTOCOL.md is known here.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "runners/pairing/pair_runner.hpp"
#include "runners/process/process.hpp"
#include "support/paths.hpp"
#include "support/programs.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::runners {
namespace {

const std::filesystem::path example =
    std::filesystem::path(tests::paths::source) / "runners/sdk" / "example.py";

class PythonClientTest : public testing::Test {
 protected:
  PythonClientTest() : runner_(settings()) {}

  void SetUp() override {
    const Finished python =
        run_command({{"/usr/bin/env", "python3", "--version"}, current_environment(), {}, {}, {}}, {});
    if (!python.succeeded()) GTEST_SKIP() << "there is no python3";
  }

  HostSettings settings() const {
    HostSettings settings;
    settings.scratch = scratch_.path();
    settings.deadline = std::chrono::seconds{30};
    return settings;
  }

  static ProgramPair with_itself() { return {example, example, {{"{program}"}}, {}, {}, {}}; }

  BenchmarkFacts look_at(const std::string& benchmark) {
    auto result = runner_.look_at(with_itself(), benchmark, {});
    if (const auto* facts = std::get_if<BenchmarkFacts>(&result)) return *facts;
    ADD_FAILURE() << std::get<RunFailure>(result).what;
    return {1000};
  }

  tests::TemporaryDirectory scratch_;
  HostPairRunner runner_;
};

TEST_F(PythonClientTest, IsShortAndExecutable) {
  std::ifstream file(example);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "#!/usr/bin/env python3");
  std::size_t lines = 1;
  while (std::getline(file, line)) ++lines;
  EXPECT_GT(lines, 1u);
  EXPECT_LE(lines, 40u);
  EXPECT_EQ(::access(example.c_str(), X_OK), 0);
}

TEST_F(PythonClientTest, IsRecognisedByItsGreetingAndListsItsBenchmarks) {
  const auto result = runner_.inspect(with_itself(), Side::treatment, {});
  ASSERT_TRUE(std::holds_alternative<ProgramFacts>(result)) << std::get<RunFailure>(result).what;
  EXPECT_EQ(std::get<ProgramFacts>(result).protocol, Protocol::slices);
  EXPECT_EQ(std::get<ProgramFacts>(result).benchmarks, (std::vector<std::string>{"sort/500", "join/500"}));
}

TEST_F(PythonClientTest, IsMeasuredByLinesNextToItself) {
  const BenchmarkFacts facts = look_at("sort/500");
  EXPECT_FALSE(facts.maps_page);
  EXPECT_EQ(facts.threads, 1u);
  const SliceShape cut =
      shape_for(facts, {Pairing::alternate, std::chrono::milliseconds{1}, std::chrono::milliseconds{40}});
  for (std::uint64_t index = 0; index < 3; ++index) {
    const LaunchPlan plan = plan_launch(11, index, cut);
    const auto result = runner_.launch(with_itself(), {Protocol::slices, "sort/500", cut}, plan, {});
    ASSERT_TRUE(std::holds_alternative<std::vector<Sampled>>(result)) << std::get<RunFailure>(result).what;
    const auto& series = std::get<std::vector<Sampled>>(result);
    ASSERT_EQ(series.size(), 1u);
    const Launch& launch = series.front().launch;
    EXPECT_EQ(launch.index, index);
    EXPECT_EQ(launch.first_slot, plan.first_slot);
    EXPECT_EQ(launch.control.size(), cut.pairs);
    EXPECT_EQ(launch.treatment.size(), cut.pairs);
    EXPECT_EQ(launch.first.size(), cut.pairs);
    EXPECT_TRUE(launch.gaps_ns.empty()) << "only the shared page knows the gaps";
    EXPECT_EQ(tests::entries(scratch_.path()), 0u) << "copies left behind";
  }
}

TEST_F(PythonClientTest, RunsAllSlicesOfOneSideAndThenOfTheOther) {
  const SliceShape cut = shape_for(
      look_at("join/500"), {Pairing::process, std::chrono::milliseconds{1}, std::chrono::milliseconds{20}});
  const auto result =
      runner_.launch(with_itself(), {Protocol::slices, "join/500", cut}, plan_launch(11, 0, cut), {});
  ASSERT_TRUE(std::holds_alternative<std::vector<Sampled>>(result)) << std::get<RunFailure>(result).what;
  const Launch& launch = std::get<std::vector<Sampled>>(result).front().launch;
  EXPECT_EQ(launch.control.size(), cut.pairs);
  EXPECT_EQ(launch.treatment.size(), cut.pairs);
  EXPECT_TRUE(launch.first.empty());
}

TEST_F(PythonClientTest, CannotPlayADuetWithoutThePageAndTheFailureSaysSo) {
  SliceShape cut;
  cut.pairing = Pairing::duet;
  if (settings().cpus.duet[0].empty()) GTEST_SKIP() << "the host has no two processor cores";
  const auto result =
      runner_.launch(with_itself(), {Protocol::slices, "sort/500", cut}, plan_launch(11, 0, cut), {});
  ASSERT_TRUE(std::holds_alternative<RunFailure>(result));
  EXPECT_NE(std::get<RunFailure>(result).what.find("does not map the shared page"), std::string::npos)
      << std::get<RunFailure>(result).what;
}

TEST_F(PythonClientTest, RefusesABenchmarkThatItDoesNotHave) {
  const auto result = runner_.look_at(with_itself(), "sort/9", {});
  ASSERT_TRUE(std::holds_alternative<RunFailure>(result));
  const RunFailure& failure = std::get<RunFailure>(result);
  EXPECT_EQ(failure.reason, RunFailure::Reason::protocol);
  EXPECT_NE(failure.what.find("cannot do: select sort/9"), std::string::npos) << failure.what;
}

TEST_F(PythonClientTest, PrintsATableAlone) {
  const Finished finished = run_command({{example}, current_environment(), {}, {}, {}}, {});
  ASSERT_TRUE(finished.succeeded()) << finished.errors;
  for (const char* word : {"sort/500", "join/500", "median"}) {
    EXPECT_NE(finished.output.find(word), std::string::npos) << word;
  }
}

// The header alone, without a runner.

Finished alone(std::vector<std::string> arguments) {
  std::vector<std::string> argv = {tests::program("several")};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run_command({argv, {}, {}, {}, {}}, {});
}

TEST(Sdk, ListsItsBenchmarksAlone) {
  EXPECT_EQ(alone({"--list"}).output, "short\nchanged\noriginal\n");
  EXPECT_EQ(alone({"--list", "--filter", "or"}).output, "short\noriginal\n");
}

TEST(Sdk, PrintsATableAlone) {
  const Finished finished = alone({"--seconds", "0.01"});
  ASSERT_TRUE(finished.succeeded());
  for (const char* word : {"benchmark", "median ns", "short", "changed", "original"}) {
    EXPECT_NE(finished.output.find(word), std::string::npos) << word;
  }
}

TEST(Sdk, PrintsJsonAlone) {
  const Finished finished = alone({"--json", "--filter", "short", "--seconds", "0.01"});
  EXPECT_EQ(finished.output.find(
                "[\n  {\"benchmark\": \"short\", \"metric\": \"time\", \"unit\": \"ns\", \"median\": "),
            0u)
      << finished.output;
}

TEST(Sdk, RefusesAnUnknownFlagWithUsage) {
  const Finished finished = alone({"--fast"});
  EXPECT_EQ(finished.code, 2);
  EXPECT_NE(finished.errors.find("usage:"), std::string::npos);
}

}  // namespace
}  // namespace tandem::runners
