#include "daemon/spec_tests.hpp"

#include <gtest/gtest.h>

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
  const auto tests = tests_of({}, 0.02);
  ASSERT_EQ(tests.size(), 1u);
  EXPECT_EQ(tests[0].commands, (std::vector<Words>{{"{program}"}}));
  EXPECT_EQ(tests[0].margin, 0.02);
  EXPECT_EQ(full_name(tests[0], "softmax"), "softmax");
}

TEST(TestsOf, ASpecSplitsItsCommandsIntoWords) {
  const auto tests = tests_of({sample_spec()}, 0.02);
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
  spec.observer_identifier = "MyObserver";
  const auto tests = tests_of({spec}, 0.02);
  EXPECT_EQ(tests[0].margin, 0.05);
  EXPECT_EQ(tests[0].deadline, std::chrono::milliseconds(1500));
  EXPECT_EQ(tests[0].observer_identifiers, (Words{"MyObserver"}));
}

TEST(UnknownPlaceholder, IsNamedWithWhatIsKnown) {
  auto spec = sample_spec();
  EXPECT_EQ(unknown_placeholder(tests_of({spec}, 0.01)[0], sample_executable("a")), std::nullopt);
  spec.commands = {"{convert} {\"a\": 1} {BUILDDIR}", "{program} {files.graph}"};
  const auto sentence = unknown_placeholder(tests_of({spec}, 0.01)[0], sample_executable("a"));
  EXPECT_EQ(sentence,
            "the placeholder {files.graph} has no value in this build; known are BUILDDIR, HOSTDIR, TEMPDIR, "
            "TGTDIR, "
            "convert, program");
}

TEST(PairOf, GivesEachSideItsOwnFiles) {
  const auto tests = tests_of({sample_spec()}, 0.01);
  const auto pair = pair_of(tests[0], sample_executable("c1"), sample_executable("c2"), "/scratch");
  EXPECT_EQ(pair.control, "/cache/c1/program");
  EXPECT_EQ(pair.treatment, "/cache/c2/program");
  EXPECT_EQ(pair.control_values.at("convert"), "/cache/c1/convert");
  EXPECT_EQ(pair.treatment_values.at("convert"), "/cache/c2/convert");
  EXPECT_EQ(pair.control_values.at("BUILDDIR"), "/cache/c1");
  EXPECT_EQ(pair.treatment_values.at("TGTDIR"), "/scratch");
  EXPECT_EQ(pair.observer_identifiers, runners::ProgramPair{}.observer_identifiers) << "the known ones";
}

}  // namespace
}  // namespace tandem::daemon
