#include "daemon/measure/test.hpp"

#include <gtest/gtest.h>

#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

using Words = std::vector<std::string>;

specs::BenchmarkSpec sample_spec() {
  specs::BenchmarkSpec spec;
  spec.identifier = "squeezenet";
  spec.commands = {"prepare.sh 'two words'", "{program} --iter 10 --in {TGTDIR}/a"};
  spec.env = {{"OMP_NUM_THREADS", "1"}};
  return spec;
}

builders::Executable sample_executable(const std::string& commit) {
  builders::Executable executable;
  executable.directory = "/cache/" + commit;
  executable.program = "/cache/" + commit + "/program";
  executable.further_programs = {{"convert", "/cache/" + commit + "/convert"}};
  return executable;
}

TEST(TestsOf, NoSpecIsTheProgramsOwnList) {
  const auto tests = tests_of({}, {0.02});
  ASSERT_EQ(tests.size(), 1u);
  EXPECT_EQ(tests[0].commands, (std::vector<Words>{{"{program}"}}));
  EXPECT_EQ(tests[0].margin, 0.02);
  EXPECT_EQ(full_name(tests[0], "softmax"), "softmax");
}

TEST(TestsOf, ASpecSplitsItsCommandsIntoWords) {
  const auto tests = tests_of({sample_spec()}, {0.02});
  ASSERT_EQ(tests.size(), 1u);
  EXPECT_EQ(tests[0].commands, (std::vector<Words>{{"prepare.sh", "two words"},
                                                   {"{program}", "--iter", "10", "--in", "{TGTDIR}/a"}}));
  EXPECT_EQ(tests[0].environment, (Words{"OMP_NUM_THREADS=1"}));
  EXPECT_EQ(tests[0].margin, 0.02);
  EXPECT_FALSE(tests[0].deadline);
  EXPECT_EQ(full_name(tests[0], "NET latency"), "squeezenet/NET latency");
}

TEST(TestsOf, ASpecsOwnMarginAndTimeoutWin) {
  auto spec = sample_spec();
  spec.margin = 0.05;
  spec.timeout = specs::Seconds(1.5);
  spec.converter.args["identifier"] = "MyObserver";
  const auto tests = tests_of({spec}, {0.02});
  EXPECT_EQ(tests[0].margin, 0.05);
  EXPECT_EQ(tests[0].deadline, std::chrono::milliseconds(1500));
  EXPECT_EQ(tests[0].spec.converter.args.at("identifier"), "MyObserver");
}

TEST(TestsOf, NamesTheModelWhereAnIdentifierIsNotEnough) {
  auto one = sample_spec();
  auto other = sample_spec();
  one.model = "alexnet";
  other.model = "resnet50";
  const auto tests = tests_of({one, other}, {0.02});
  EXPECT_EQ(tests[0].prefix, "alexnet/" + one.identifier);
  EXPECT_EQ(tests[1].prefix, "resnet50/" + one.identifier);
  other.model = "alexnet";
  other.metric = "accuracy";
  EXPECT_EQ(tests_of({one, other}, {0.02})[1].prefix, "alexnet/" + one.identifier + "/accuracy");
}

TEST(TestsOf, GivesEveryTestTheVariablesOfTheCommandLineButItsOwnWin) {
  auto spec = sample_spec();
  spec.env = {{"A", "test"}};
  const auto tests = tests_of({spec}, {0.02, {{"A", "flag"}, {"B", "flag"}}});
  EXPECT_EQ(tests[0].environment, (Words{"A=test", "B=flag"}));
}

TEST(TestsOf, RefusesAConverterThatNobodyKnows) {
  auto spec = sample_spec();
  spec.converter.name = "tflight";
  EXPECT_THROW(static_cast<void>(tests_of({spec}, {0.02})), InputError);
}

TEST(PairOf, PutsThePlaceOfAWrittenFileWhereItIsNamed) {
  auto spec = sample_spec();
  specs::FileSpec file;
  file.role = specs::FileSpec::Role::written;
  file.key = "output_files.scores";
  file.location = "{TGTDIR}/scores.txt";
  spec.files = {file};
  spec.commands = {"{program} --out {output_files.scores}"};
  EXPECT_EQ(tests_of({spec}, {0.02})[0].commands.front().back(), "{TGTDIR}/scores.txt");
}

TEST(UnknownPlaceholder, IsNamedWithWhatIsKnown) {
  auto spec = sample_spec();
  EXPECT_EQ(unknown_placeholder(tests_of({spec}, {0.01})[0], sample_executable("a")), std::nullopt);
  spec.commands = {"{convert} {\"a\": 1} {BUILDDIR}", "{program} {files.graph}"};
  const auto sentence = unknown_placeholder(tests_of({spec}, {0.01})[0], sample_executable("a"));
  EXPECT_EQ(sentence,
            "the placeholder {files.graph} has no value in this build; known are BUILDDIR, HOSTDIR, INDEX, "
            "TEMPDIR, TGTDIR, convert, program");
}

TEST(PairOf, GivesEachSideItsOwnFiles) {
  const auto tests = tests_of({sample_spec()}, {0.01});
  const auto pair = pair_of(tests[0], sample_executable("c1"), sample_executable("c2"), "/scratch");
  EXPECT_EQ(pair.control, "/cache/c1/program");
  EXPECT_EQ(pair.treatment, "/cache/c2/program");
  EXPECT_EQ(pair.control_values.at("convert"), "/cache/c1/convert");
  EXPECT_EQ(pair.treatment_values.at("convert"), "/cache/c2/convert");
  EXPECT_EQ(pair.control_values.at("BUILDDIR"), "/cache/c1");
  EXPECT_EQ(pair.treatment_values.at("TGTDIR"), "/scratch");
  EXPECT_TRUE(pair.converter.name.empty()) << "the protocol's own";
  EXPECT_EQ(pair.protocol, std::nullopt);
  EXPECT_TRUE(pair.further_metrics.empty());
}

TEST(PairOf, PassesOnWhatTheSpecWishesToMeasureAndHow) {
  const auto protocol_for = [](specs::Protocol protocol) {
    auto spec = sample_spec();
    spec.protocol = protocol;
    return pair_of(tests_of({spec}, {0.01})[0], sample_executable("c1"), sample_executable("c2"), "/s")
        .protocol;
  };
  EXPECT_EQ(protocol_for(specs::Protocol::sdk), runners::Protocol::slices);
  EXPECT_EQ(protocol_for(specs::Protocol::observer), runners::Protocol::observer);
  EXPECT_EQ(protocol_for(specs::Protocol::command), runners::Protocol::command);
  EXPECT_EQ(protocol_for(specs::Protocol::google_benchmark), runners::Protocol::google_benchmark);
  EXPECT_EQ(protocol_for(specs::Protocol::benchdnn), runners::Protocol::benchdnn);

  auto spec = sample_spec();
  spec.metrics = {"time", "error", "instructions"};
  spec.golden = specs::Golden{"/specs/golden.txt", "{TGTDIR}/out", 0.5, {}, specs::Golden::Type::float32};
  spec.instructions = specs::InstructionCounter::callgrind;
  const auto pair =
      pair_of(tests_of({spec}, {0.01})[0], sample_executable("c1"), sample_executable("c2"), "/scratch");
  EXPECT_EQ(pair.further_metrics, (Words{"time", "error", "instructions"}));
  ASSERT_TRUE(pair.golden);
  EXPECT_EQ(pair.golden->file, "/specs/golden.txt");
  EXPECT_EQ(pair.golden->absolute, 0.5);
  EXPECT_EQ(pair.instructions, specs::InstructionCounter::callgrind);
}

}  // namespace
}  // namespace tandem::daemon
