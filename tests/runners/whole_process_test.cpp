#include "runners/results/result_reader.hpp"
#include "runners/whole_process_fixture.hpp"

namespace tandem::runners {
namespace {

using Words = std::vector<std::string>;

class AdapterTest : public WholeProcessTest {
 protected:
  std::variant<ProgramFacts, RunFailure> looked_at(ProgramPair programs, std::optional<Protocol> wish) {
    programs.protocol = wish;
    auto result = runner_.inspect(programs, Side::treatment, {});
    expect_nothing_left();
    return result;
  }

  ProgramFacts facts(const ProgramPair& programs, std::optional<Protocol> wish) {
    auto result = looked_at(programs, wish);
    if (const auto* failure = std::get_if<RunFailure>(&result)) ADD_FAILURE() << failure->what;
    return std::get<ProgramFacts>(result);
  }

  static ProgramPair google(const std::string& treatment, const Words& more = {}) {
    Words arguments = more;
    arguments.emplace_back("--benchmark_min_time=0.01");
    ProgramPair programs = pair("google_steady", treatment, arguments);
    programs.protocol = Protocol::google_benchmark;
    return programs;
  }
};

TEST_F(AdapterTest, RecognisesProgramsByWhatTheyPrint) {
  EXPECT_EQ(facts(pair("observed", "observed"), {}).protocol, Protocol::observer);
  EXPECT_EQ(facts(pair("observed", "observed"), {}).benchmarks, (Words{"NET latency", "MatMul latency"}));
  EXPECT_EQ(facts(pair("plain", "plain"), {}).protocol, Protocol::command);
  EXPECT_EQ(facts(pair("prints_benchdnn", "prints_benchdnn"), {}).protocol, Protocol::benchdnn);
  const ProgramFacts google = facts(
      pair("google_steady", "google_steady", {"--benchmark_format=json", "--benchmark_min_time=0.01"}), {});
  EXPECT_EQ(google.protocol, Protocol::google_benchmark);
  EXPECT_EQ(google.benchmarks, (Words{"steady/1", "steady/10"}));
  EXPECT_EQ(google.metrics.at(0).name, "time");
}

TEST_F(AdapterTest, AsksAProgramForItsGoogleBenchmarksOnlyIfTheSpecSaysSo) {
  EXPECT_EQ(facts(pair("google_steady", "google_steady"), Protocol::google_benchmark).benchmarks,
            (Words{"steady/1", "steady/10"}));
  const ProgramPair plain = pair("google_steady", "google_steady");
  EXPECT_EQ(commands_for(plain, {Protocol::google_benchmark, "steady/1", {}}), plain.commands);
  EXPECT_FALSE(selects_one(plain, Protocol::google_benchmark));
}

TEST_F(AdapterTest, MeasuresOneGoogleBenchmarkPerLaunch) {
  const auto all =
      sampled(google("google_slower"), subject(Protocol::google_benchmark, Pairing::process, "steady/10"));
  ASSERT_FALSE(all.empty());
  for (const Sampled& one : all) EXPECT_EQ(one.benchmark, "steady/10");
  const Sampled* time = find(all, "steady/10", "time");
  ASSERT_NE(time, nullptr);
  EXPECT_EQ(time->metric.unit, "ns");
  EXPECT_GT(time->launch.control.at(0), 1000) << "20000 rounds take more than a microsecond";
  ASSERT_NE(find(all, "steady/10", "cpu_time"), nullptr);
  EXPECT_EQ(find(all, "steady/10", "items_per_second")->metric.direction, specs::Direction::higher_is_better);
  const Launch& rounds = find(all, "steady/10", "rounds")->launch;
  EXPECT_EQ(rounds.control, std::vector<double>{20'000});
  EXPECT_EQ(rounds.treatment, std::vector<double>{30'000});
}

TEST_F(AdapterTest, GivesEveryRepetitionOfAGoogleBenchmark) {
  const auto all = sampled(google("google_slower", {"--benchmark_repetitions=3"}),
                           subject(Protocol::google_benchmark, Pairing::process_together, "steady/1"));
  const Sampled* time = find(all, "steady/1", "time");
  ASSERT_NE(time, nullptr);
  EXPECT_EQ(time->launch.control.size(), 3u);
  EXPECT_EQ(time->launch.treatment.size(), 3u);
}

TEST_F(AdapterTest, NamesTheGoogleBenchmarkThatReportsAnError) {
  const ProgramPair programs = google("google_steady", {"--with_error"});
  EXPECT_EQ(facts(programs, Protocol::google_benchmark).benchmarks,
            (Words{"steady/1", "steady/10", "unready<int>[0]{a+b}"}));
  const RunFailure wrong =
      failure(programs, subject(Protocol::google_benchmark, Pairing::process, "unready<int>[0]{a+b}"));
  EXPECT_EQ(wrong.reason, RunFailure::Reason::protocol);
  EXPECT_EQ(wrong.what,
            "control: Google Benchmark's JSON in the output says of unready<int>[0]{a+b} that an error "
            "occurred: the "
            "table is empty");
}

TEST_F(AdapterTest, ReadsBenchdnnInItsOwnFormAndInThatOfTheCommand) {
  const std::string problem = "--dt=s8:s8:f32 --attr-post-ops=sum:0.5,relu mb2ic64oc64";
  const auto own = sampled(pair("prints_benchdnn", "prints_benchdnn"), subject(Protocol::benchdnn));
  ASSERT_NE(find(own, problem, "time"), nullptr);
  EXPECT_GT(find(own, problem, "time")->launch.treatment.at(0), 10'000);
  EXPECT_NE(find(own, problem, "flops"), nullptr);
  const auto asked = sampled(pair("prints_benchdnn", "prints_benchdnn", {"--perf-template=%prb%|%0time%"}),
                             subject(Protocol::benchdnn));
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_NE(find(asked, problem, "time"), nullptr);
}

TEST_F(AdapterTest, RefusesAProgramThatIsNotWhatItsSpecSays) {
  const auto sentence = [&](std::optional<Protocol> wish) {
    const auto result = looked_at(pair("plain", "plain"), wish);
    const auto* wrong = std::get_if<RunFailure>(&result);
    EXPECT_TRUE(wrong != nullptr && wrong->side == Side::treatment);
    return wrong != nullptr ? wrong->what : std::string();
  };
  EXPECT_EQ(sentence(Protocol::observer),
            "treatment: it printed nothing that reads as observer lines, which its spec expects");
  EXPECT_EQ(sentence(Protocol::benchdnn),
            "treatment: it printed nothing that reads as benchdnn's lines, which its spec expects");
  EXPECT_EQ(sentence(Protocol::google_benchmark), "treatment: it lists no benchmark of its own");
  EXPECT_EQ(sentence(Protocol::slices),
            "treatment: it ended without speaking the slice protocol, which its spec expects (\"sdk\")");
}

TEST_F(AdapterTest, LeavesAPlainCommandAloneThatCouldSpeakSlices) {
  const ProgramFacts plain = facts(pair("steady", "steady", {"--seconds", "0.01"}), Protocol::command);
  EXPECT_EQ(plain.protocol, Protocol::command);
  EXPECT_EQ(plain.benchmarks, Words{"command"});
}

TEST_F(AdapterTest, TakesAnyObserverUnlessTheSpecNamesOne) {
  const std::string line = R"(echo 'NetObserver {"type":"NET","metric":"qps","unit":"1/s","value":5}')";
  ProgramPair programs = scripts(line, {}, {});
  const auto all = sampled(programs, subject(Protocol::observer));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].benchmark, "NET qps");
  EXPECT_EQ(all[0].metric.direction, specs::Direction::higher_is_better);
  programs.converter.args = {{"identifier", "OtherObserver"}};
  EXPECT_EQ(failure(programs, subject(Protocol::observer)).what,
            "control printed nothing that reads as observer lines this time");
}

TEST_F(AdapterTest, GivesThreeMetricsOfAPlainCommand) {
  const auto all = sampled(pair("plain", "plain_long"), subject(Protocol::command), plan_launch(3, 4, {}));
  ASSERT_EQ(all.size(), 3u);
  for (const char* metric : {"time", "cpu_time", "peak_memory"}) {
    const Sampled* one = find(all, "command", metric);
    ASSERT_NE(one, nullptr) << metric;
    EXPECT_EQ(one->launch.index, 4u);
    EXPECT_EQ(one->launch.control.size(), 1u);
    EXPECT_GT(one->launch.control.at(0), 0);
  }
  const Launch& cpu = find(all, "command", "cpu_time")->launch;
  EXPECT_GT(cpu.treatment.at(0), cpu.control.at(0)) << "ten times as much work";
  EXPECT_EQ(find(all, "command", "peak_memory")->metric.tolerance, 0.05);
}

}  // namespace
}  // namespace tandem::runners
