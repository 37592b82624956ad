#include <gtest/gtest.h>

#include "specs/benchmark/spec.hpp"
#include "support/paths.hpp"

namespace tandem::specs {
namespace {

using Words = std::vector<std::string>;
using Texts = std::map<std::string, std::string>;

/// The suite whose one file uses every field there is.
class EveryField : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(specs_.benchmarks.size(), 8U); }

  std::filesystem::path folder_ =
      std::filesystem::path(tests::paths::source) / "tests/specs/data" / "harness";
  LoadedSpecs specs_ = load_benchmarks(
      folder_ / "suite.json",
      {.command_args = "--more", .string_map = {{"FAIPEPROOT", "/opt/faipep"}}, .framework = "tensor"});
};

Words texts_of(const std::vector<HostCommand>& commands) {
  Words texts;
  for (const HostCommand& command : commands) texts.push_back(command.text);
  return texts;
}

const FileSpec& file_of(const std::vector<FileSpec>& files, const std::string& key) {
  static const FileSpec none;
  for (const FileSpec& file : files) {
    if (file.key == key) return file;
  }
  return none;
}

TEST_F(EveryField, OfAModelIsRead) {
  const BenchmarkSpec& spec = specs_.benchmarks[0];
  EXPECT_EQ(spec.model, "every_field");
  EXPECT_EQ(spec.format, "onnx");
  EXPECT_EQ(spec.framework, "tensor");
  EXPECT_EQ(spec.group, "nightly");
  EXPECT_EQ(spec.cooldown, Seconds{1.5});
  EXPECT_EQ(spec.repeat, 3);
  EXPECT_EQ(spec.converter.name, "json_with_identifier_converter");
  EXPECT_EQ(spec.converter.args, (Texts{{"identifier", "TensorObserver "}, {"skip", "2"}}));
  EXPECT_EQ(spec.tags, (Words{"cpu", "vision", "nightly"})) << "arrays follow each other";
}

TEST_F(EveryField, OfATestIsRead) {
  const BenchmarkSpec& spec = specs_.benchmarks[0];
  EXPECT_EQ(spec.metric, "delay");
  EXPECT_EQ(spec.iter, 50);
  EXPECT_EQ(spec.warmup, 1);
  EXPECT_EQ(spec.timeout, Seconds{30}) << "of the test";
  EXPECT_EQ(spec.statistics, (Words{"mean", "p95", "p99.9", "MAD"}));
  EXPECT_EQ(spec.cpus, (std::vector<int>{0, 1, 2, 5})) << "cpu-list before taskset";
  EXPECT_FALSE(spec.log_output) << "the test before its model";
  EXPECT_FALSE(spec.ignore_status) << "platform_args of the test hide those of the model";
  EXPECT_EQ(
      spec.env,
      (Texts{
          {"MODE", "fast"}, {"DEPTH", "3"}, {"CHECKED", "false"}, {"EXTRA", "1"}, {"OMP_NUM_THREADS", "4"}}));
}

TEST_F(EveryField, OfTandemIsRead) {
  const BenchmarkSpec& spec = specs_.benchmarks[4];
  EXPECT_EQ(spec.protocol, Protocol::observer);
  EXPECT_EQ(spec.margin, 0.02);
  EXPECT_EQ(spec.pairing, "process");
  EXPECT_EQ(spec.direction, Direction::higher_is_better);
  EXPECT_EQ(spec.metrics, (Words{"time", "error", "instructions"}));
  ASSERT_TRUE(spec.golden);
  EXPECT_EQ(spec.golden->file, folder_ / "right.txt");
  EXPECT_EQ(spec.golden->absolute, 0.5);
  EXPECT_EQ(spec.instructions, InstructionCounter::callgrind);
  EXPECT_EQ(spec.tags, (Words{"sweep", "cpu", "vision", "nightly"}));
  EXPECT_EQ(spec.group, "weekly");
  EXPECT_EQ(specs_.benchmarks[0].pairing, "auto");
  EXPECT_EQ(specs_.benchmarks[0].direction, std::nullopt);
}

TEST_F(EveryField, ExpandsShapesIntoBenchmarks) {
  EXPECT_EQ(specs_.benchmarks[0].identifier, "0");
  EXPECT_EQ(specs_.benchmarks[1].identifier, "1");
  const std::string first =
      "{program} --net {files.graph} --weights {files.weights} --labels {files.labels} --iter 50 --warmup 1 "
      "--backend reference --more";
  EXPECT_EQ(specs_.benchmarks[0].commands,
            (Words{first,
                   "{program} --input \"data,mask\" --input_dims \"1,3,224,224;1,1\" --type float --each "
                   "500/3 --backend reference --more"}));
  EXPECT_EQ(specs_.benchmarks[1].commands,
            (Words{first,
                   "{program} --input \"data,mask\" --input_dims \"8,3,224,224;8,1\" --type float --each "
                   "500/3 --backend reference --more"}));
  EXPECT_EQ(specs_.benchmarks[2].identifier, "power_1") << "the identifier tells them apart";
  EXPECT_EQ(specs_.benchmarks[3].identifier, "power_2");
  EXPECT_EQ(specs_.benchmarks[3].cpus, (std::vector<int>{3}));
}

TEST_F(EveryField, ExpandsParametersIntoBenchmarks) {
  Words identifiers;
  for (std::size_t i = 4; i < 8; ++i) identifiers.push_back(specs_.benchmarks[i].identifier);
  EXPECT_EQ(identifiers, (Words{"sweep/batch:1/threads:1", "sweep/batch:1/threads:2",
                                "sweep/batch:8/threads:1", "sweep/batch:8/threads:2"}));
  const BenchmarkSpec& last = specs_.benchmarks[7];
  EXPECT_EQ(last.commands, (Words{"{program} --batch 8 --threads 2 --backend reference --more"}));
  EXPECT_EQ(last.env, (Texts{{"THREADS", "2"}, {"FROM_SUITE", "1"}, {"BOTH", "model"}}));
  EXPECT_TRUE(last.ignore_status) << "of the model";
  EXPECT_TRUE(last.log_output) << "of the model";
  EXPECT_EQ(last.timeout, Seconds{120}) << "of the model";
}

TEST_F(EveryField, ReadsFilesAndWhereTheyComeFrom) {
  const BenchmarkSpec& spec = specs_.benchmarks[0];
  ASSERT_EQ(spec.files.size(), 7U);
  const FileSpec& graph = file_of(spec.files, "files.graph");
  EXPECT_EQ(graph.filename, "net.onnx") << "the model's own values win";
  EXPECT_EQ(graph.location, "https://models.example.org/r7/net.onnx");
  EXPECT_EQ(graph.md5, "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(graph.sha256.size(), 64U);
  EXPECT_EQ(graph.role, FileSpec::Role::read);
  EXPECT_EQ(graph.file, (folder_ / "every_field.json").string());
  EXPECT_EQ(graph.where, (Position{11, 16}));
  EXPECT_EQ(file_of(spec.files, "files.labels").location, "//data/labels.txt") << "of the suite";
  const FileSpec& weights = file_of(spec.files, "files.weights");
  EXPECT_EQ(weights.filename, "weights_8.bin") << "of the test, which hides the model's";
  EXPECT_EQ(file_of(specs_.benchmarks[4].files, "files.weights").md5, "") << "an empty one is none";
  EXPECT_EQ(file_of(spec.files, "input_files.image").location, "{HOSTDIR}/inputs/image_{INDEX}.txt");
  const FileSpec& softmax = file_of(spec.files, "output_files.softmax");
  EXPECT_EQ(softmax.role, FileSpec::Role::written);
  EXPECT_EQ(softmax.location, "{TGTDIR}/softmax.txt");
  EXPECT_EQ(softmax.converter.name, "json_converter");
  EXPECT_EQ(file_of(spec.files, "output_files.trace").location, "{TGTDIR}/trace.txt");
  EXPECT_EQ(file_of(spec.files, "preprocess.files.script").location, "scripts/split.py");
  ASSERT_EQ(spec.libraries.size(), 1U);
  EXPECT_EQ(spec.libraries[0].key, "libraries.0");
  EXPECT_EQ(spec.libraries[0].location, "/opt/tensor/libtensor.so");
}

TEST_F(EveryField, ReadsCommandsBeforeAndAfter) {
  const BenchmarkSpec& spec = specs_.benchmarks[0];
  EXPECT_EQ(texts_of(spec.model_before),
            (Words{"mkdir -p {HOSTDIR}/inputs", "/opt/faipep/prepare.py --total 500",
                   "touch {HOSTDIR}/of_the_suite"}));
  EXPECT_EQ(spec.model_before[1].tries, 3);
  EXPECT_EQ(spec.model_before[1].timeout, Seconds{20});
  EXPECT_TRUE(spec.model_before[1].ignore_status);
  EXPECT_EQ(spec.model_before[1].env, (Texts{{"STAGE", "every_field"}}));
  EXPECT_EQ(texts_of(spec.before), (Words{"split {files.labels} {HOSTDIR}/inputs/labels_{INDEX}"}));
  EXPECT_EQ(spec.before[0].tries, 1);
  EXPECT_EQ(texts_of(spec.after),
            (Words{"compare {output_files.softmax}", "{preprocess.files.script} {TGTDIR}"}));
  EXPECT_EQ(texts_of(spec.model_after), (Words{"{collect_results} {HOSTDIR}/outputs"}));
}

TEST_F(EveryField, WithoutEffectIsNoticed) {
  Words notices;
  for (const Problem& notice : specs_.ignored) notices.push_back(notice.pointer + " " + notice.message);
  const std::string none = " is accepted and has no effect";
  const std::string phone = none + ": Android and iOS are out of scope";
  EXPECT_EQ(
      notices,
      (Words{"/model/libraries/0/target" + none, "/model/platform_args/shell" + none,
             "/model/platform" + phone, "/model/app" + phone, "/tests/0/output_files/softmax/upload" + none,
             "/tests/0/profiler" + none, "/tests/0/degrade" + phone,
             "/tests/0/platform_args/retry is accepted and has no effect: a measured program that "
             "fails is not started again in its place",
             "/tests/1/method" + phone, "/tests/1/collection_time" + phone, "/tests/1/monsoon" + phone,
             "/tests/1/voltage" + phone,
             "/tests/1/metric is not measured: Android and iOS are out of scope; the program's own "
             "results are kept under this name"}));
}

TEST_F(EveryField, GivesFlagsOfTheCommandLine) {
  EXPECT_EQ(specs_.default_args,
            (std::vector<std::pair<std::string, std::string>>{{"platform", "host"},
                                                              {"devices", "cpu0-1,node1"},
                                                              {"screen_reporter", ""},
                                                              {"timeout", "60"},
                                                              {"remote_reporter", ""}}));
}

}  // namespace
}  // namespace tandem::specs
