#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "specs/benchmark/spec.hpp"
#include "specs/foundation/text.hpp"
#include "support/paths.hpp"
#include "tests/specs/messages.hpp"
#include "tests/specs/parse_benchmarks.hpp"

namespace tandem::specs {
namespace {

using tests::message_of;
using Words = std::vector<std::string>;

const std::filesystem::path data = std::filesystem::path(tests::paths::source) / "tests/specs/data";

std::string test_error(const std::string& test, const std::string& model = R"({"name": "m"})") {
  return message_of([&] {
    Problems problems(Problems::Mode::stop_at_first);
    (void)parse_benchmarks("{\"model\": " + model + ",\n\"tests\": [\n" + test + "]}", "f.json", {},
                           problems);
  });
}

/// A test whose other fields are right.
std::string with(const std::string& fields) {
  return R"({"metric": "delay", "identifier": "i", )" + fields + "}";
}

BenchmarkSpec parsed(const std::string& test) {
  Problems problems(Problems::Mode::stop_at_first);
  return parse_benchmarks("{\"model\": {\"name\": \"m\"}, \"tests\": [" + test + "]}", "f.json", {}, problems)
      .benchmarks.at(0);
}

TEST(BenchmarkSpec, ReadsASuiteOfFilesInEveryForm) {
  const LoadedSpecs specs = load_benchmarks(data / "suite.json");
  ASSERT_EQ(specs.benchmarks.size(), 4U);

  const BenchmarkSpec& net = specs.benchmarks[0];
  EXPECT_EQ(net.model, "two_layer_net");
  EXPECT_EQ(net.framework, "tensor");
  EXPECT_EQ(net.group, "nightly");
  EXPECT_EQ(net.metric, "delay");
  EXPECT_EQ(net.identifier, "0_batch_0");
  EXPECT_EQ(net.iter, 50);
  EXPECT_EQ(net.warmup, 1);
  EXPECT_EQ(net.commands,
            (Words{"{program} --net {files.graph} --warmup 1 --iter 50 --batch 16 --run {INDEX} --backend "
                   "reference",
                   "{convert_result} --threads=2 \"{TGTDIR}/images\""}));
  EXPECT_EQ(net.env, (std::map<std::string, std::string>{
                         {"TENSOR_THREADS", "1"}, {"TENSOR_MODE", "fast"}, {"OMP_NUM_THREADS", "4"}}));
  EXPECT_EQ(net.timeout, Seconds{30}) << "of the test";
  EXPECT_EQ(net.margin, std::nullopt);
  EXPECT_EQ(net.protocol, Protocol::automatic);
  EXPECT_EQ(net.converter.name, "json_with_identifier_converter");
  EXPECT_EQ(net.converter.args.at("identifier"), "TensorObserver ");
  EXPECT_EQ(net.statistics, (Words{"mean", "p95", "p99.9"}));
  EXPECT_EQ(net.file, (data / "models/new_form.json").string());
  EXPECT_EQ(net.where, (Position{27, 5}));

  const BenchmarkSpec& accuracy = specs.benchmarks[1];
  EXPECT_EQ(accuracy.timeout, Seconds{120}) << "of the model";
  EXPECT_EQ(accuracy.iter, std::nullopt);
  EXPECT_EQ(accuracy.protocol, Protocol::observer);
  EXPECT_EQ(accuracy.margin, 0.02);
  EXPECT_EQ(
      accuracy.commands,
      (Words{"{program} --net {files.graph} --image {input_files.image} --iter -1 --backend reference"}));

  const BenchmarkSpec& style = specs.benchmarks[2];
  EXPECT_EQ(style.timeout, Seconds{900}) << "of the suite";
  EXPECT_EQ(style.identifier, "style_0");
  EXPECT_EQ(style.commands, (Words{"{program} --net style --warmup -1 --own 1"}))
      << "the model's arguments win";

  const BenchmarkSpec& operators = specs.benchmarks[3];
  EXPECT_EQ(operators.protocol, Protocol::sdk);
  EXPECT_EQ(operators.margin, 0.005);
  EXPECT_EQ(operators.commands, (Words{"{program} --backend reference"}));
}

TEST(BenchmarkSpec, ListsAcceptedFieldsWithoutEffect) {
  const LoadedSpecs specs =
      load_benchmarks(data / "models/new_form.json", {.string_map = {{"threads", "2"}}});
  Words pointers;
  for (const Problem& notice : specs.ignored) pointers.push_back(notice.pointer);
  EXPECT_EQ(pointers, (Words{"/model/app", "/tests/0/platform_args/sleep_before_run", "/tests/0/profiler"}));
  EXPECT_EQ(specs.ignored.at(0).text(), (data / "models/new_form.json").string() +
                                            ":24:12: /model/app: is accepted and has no effect: Android and "
                                            "iOS are out of scope");
  EXPECT_EQ(specs.ignored.at(2).message, "is accepted and has no effect");
}

TEST(BenchmarkSpec, RefusesUnknownKeysOfATest) {
  EXPECT_EQ(test_error(with(R"("command": "x", "itre": 5)")).substr(0, 76),
            "f.json:3:56: /tests/0/itre: unknown key \"itre\"; did you mean \"iter\"? allowed");
}

TEST(BenchmarkSpec, AllowsFreeFieldsInAModel) {
  EXPECT_EQ(test_error(with(R"("command": "x {free}")"), R"({"name": "m", "free": 1})"), "no error");
}

TEST(BenchmarkSpec, NamesWhatIsMissing) {
  EXPECT_EQ(test_error(R"({"identifier": "i", "command": "x"})"),
            "f.json:3:1: /tests/0: required key \"metric\" is missing; add it to this object");
  EXPECT_EQ(test_error(R"({"metric": "delay", "command": "x"})"),
            "f.json:3:1: /tests/0: required key \"identifier\" is missing; add it to this object");
  EXPECT_EQ(test_error(with(R"("command": "x")"), "{}"),
            "f.json:1:11: /model: required key \"name\" is missing; add it to this object");
  EXPECT_EQ(
      test_error(with(R"("iter": 1)")),
      "f.json:3:1: /tests/0: has no command; add \"commands\": [\"{program} …\"], or \"protocol\": \"sdk\"");
  EXPECT_EQ(test_error(""), "f.json:2:10: /tests: is an empty array; write at least one test");
}

TEST(BenchmarkSpec, RefusesWrongValues) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("iter": "5")",
       "/tests/0/iter: found the string \"5\"; expected a whole number from -1 to 1000000000"},
      {R"("iter": 0)", "/tests/0/iter: found 0; expected -1 or a whole number of at least 1"},
      {R"("warmup": -2)", "/tests/0/warmup: found -2; expected a whole number from -1 to 1000000000"},
      {R"("timeout": 0)", "/tests/0/timeout: found 0; expected a number from 0.001 to 31622400"},
      {R"("margin": 2)", "/tests/0/margin: found 2; expected a number from 0.0001 to 1"},
      {R"("protocol": "sdl")",
       "/tests/0/protocol: found the string \"sdl\"; did you mean \"sdk\"? expected one of \"auto\", "
       "\"sdk\", \"observer\", "
       "\"command\", \"google_benchmark\", \"benchdnn\""},
      {R"("env": ["A=1"])", "/tests/0/env: found an array; expected an object"},
      {R"("env": {"A=B": 1})",
       "/tests/0/env/A=B: is not a name of an environment variable; write a name without \"=\""},
      {R"("env": {"A": null})", "/tests/0/env/A: found null; expected a string, a number, or true or false"},
      {R"("statistics": ["p101"])",
       "/tests/0/statistics/0: found the string \"p101\"; expected \"mean\", \"stdev\", \"MAD\", \"cv\" or a "
       "percentile "
       "such as \"p50\" or \"p99.9\""},
      {R"("commands": ["x"])",
       "/tests/0/command: stands beside another command; keep one of \"commands\", \"command\", "
       "\"arguments\""},
  };
  for (const auto& [field, message] : cases) {
    const std::string error = test_error(with(std::string(R"("command": "x", )") + field));
    EXPECT_EQ(error.substr(std::min(error.size(), error.find(": /") + 2)), message);
  }
  EXPECT_EQ(test_error(R"({"metric": "", "identifier": "i", "command": "x"})"),
            "f.json:3:12: /tests/0/metric: is empty; write a name");
  EXPECT_EQ(test_error(R"({"metric": "a\nb", "identifier": "i", "command": "x"})"),
            "f.json:3:12: /tests/0/metric: holds a control character; remove it");
}

TEST(BenchmarkSpec, RefusesCommandsThatCannotBeSplit) {
  EXPECT_EQ(test_error(with(R"("command": "x 'y")")),
            "f.json:3:51: /tests/0/command: a quotation opened with ' is not closed; close it or write \\'");
  EXPECT_EQ(test_error(with(R"("commands": ["x", " "])")),
            "f.json:3:58: /tests/0/commands/1: is an empty command; write a program and its arguments");
  EXPECT_EQ(test_error(with(R"("commands": [])")),
            "f.json:3:52: /tests/0/commands: is an empty array; write at least one");
  EXPECT_EQ(test_error(with(R"("command": "x\u0000y")")),
            "f.json:3:51: /tests/0/command: holds a NUL character; remove it");
}

TEST(BenchmarkSpec, RefusesAModelOfAnotherFramework) {
  EXPECT_EQ(message_of([] {
              (void)load_benchmarks(data / "models/new_form.json",
                                    {.string_map = {{"threads", "1"}}, .framework = "caffe2"});
            }),
            (data / "models/new_form.json").string() +
                ":5:18: /model/framework: found the string \"tensor\"; expected \"caffe2\", the framework of "
                "this run");
}

TEST(BenchmarkSpec, RefusesTwoBenchmarksOfOneName) {
  EXPECT_EQ(test_error(with(R"("command": "x")") + ",\n" + with(R"("command": "y")")),
            "f.json:4:1: model \"m\", metric \"delay\" and identifier \"i\" are those of the benchmark at "
            "f.json:3:1; "
            "give this one an identifier of its own, for example with {ID}");
}

TEST(BenchmarkSpec, AppendsExtraArgumentsOfTheCommandLine) {
  Problems problems(Problems::Mode::stop_at_first);
  const auto specs =
      parse_benchmarks(R"({"model": {"name": "m"}, "tests": [)" + with(R"("arguments": "-x")") + "]}",
                       "f.json", {.string_map = {{"pep_extra_args", "-y 2"}}}, problems);
  EXPECT_EQ(specs.benchmarks.at(0).commands, (Words{"{program} -x -y 2"}));
}

TEST(BenchmarkSpec, TellsProtocolsByName) {
  for (const char* name : {"auto", "sdk", "observer", "command", "google_benchmark", "benchdnn"}) {
    const auto spec = parsed(with(std::string(R"("command": "x", "protocol": ")") + name + "\""));
    EXPECT_STREQ(name_in(protocol_names, spec.protocol), name);
  }
}

class SuiteFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "tandem-specs-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const char* name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  std::filesystem::path folder_;
};

TEST_F(SuiteFiles, AreNamedWhereTheSuiteListsThem) {
  write("suite.json", R"({"benchmarks": ["no.json"]})");
  EXPECT_EQ(message_of([&] { (void)load_benchmarks(folder_ / "suite.json"); }),
            (folder_ / "suite.json").string() + ":1:17: /benchmarks/0: there is no file \"" +
                (folder_ / "no.json").string() + "\"; write a path relative to this suite");
}

TEST_F(SuiteFiles, AreNoSuitesThemselves) {
  write("suite.json", R"({"benchmarks": ["suite.json"]})");
  EXPECT_EQ(message_of([&] { (void)load_benchmarks(folder_ / "suite.json"); }),
            (folder_ / "suite.json").string() + ":1:17: /benchmarks/0: \"" +
                (folder_ / "suite.json").string() + "\" is a suite itself; list its benchmark files here");
}

TEST_F(SuiteFiles, LeaveMetaAndFlagsToTheSuite) {
  write("suite.json", R"({"benchmarks": ["a.json"], "meta": {"group": "of the suite"}})");
  write("a.json", R"({"model": {"name": "a"}, "meta": {"group": "own"}, "default_args": {"timeout": 1},
                      "tests": [{"metric": "m", "identifier": "i", "command": "x"}]})");
  const LoadedSpecs specs = load_benchmarks(folder_ / "suite.json");
  EXPECT_EQ(specs.benchmarks.at(0).group, "of the suite");
  EXPECT_TRUE(specs.default_args.empty());
  ASSERT_EQ(specs.ignored.size(), 2U);
  EXPECT_EQ(specs.ignored[0].message,
            "is accepted and has no effect: only the file that is given to the command line sets its flags");
  EXPECT_EQ(specs.ignored[1].message, "is accepted and has no effect: that of the suite counts");
  EXPECT_EQ(load_benchmarks(folder_ / "a.json").benchmarks.at(0).group, "own");
}

TEST_F(SuiteFiles, ShowAllTheirProblemsAtOnce) {
  write("suite.json", R"({"meta": {}, "bench": 1, "benchmarks": ["a.json", "no.json", "b.json", "c.json"]})");
  write("a.json",
        R"({"model": {"name": 1}, "tests": [{"metric": 2, "itre": 3, "command": "{nope} {nope}"}]})");
  write("b.json", R"({"model": {)");
  write("c.json",
        R"({"model": {"name": "c"}, "tests": [{"metric": "m", "identifier": "i", "command": "x"}]})");
  Problems problems(Problems::Mode::collect);
  const LoadedSpecs specs = load_benchmarks(folder_ / "suite.json", {}, problems);
  Words pointers;
  for (const Problem& problem : problems.found()) {
    pointers.push_back(std::filesystem::path(problem.file).filename().string() + problem.pointer);
  }
  EXPECT_EQ(pointers,
            (Words{"suite.json/bench", "a.json/model/name", "a.json/tests/0/itre", "a.json/tests/0/metric",
                   "a.json/tests/0", "a.json/tests/0/command", "suite.json/benchmarks/1", "b.json/model"}));
  EXPECT_EQ(specs.benchmarks.back().model, "c") << "what is good is still read";
}

}  // namespace
}  // namespace tandem::specs
