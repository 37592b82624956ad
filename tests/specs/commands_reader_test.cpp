#include "specs/benchmark/readers.hpp"

#include <gtest/gtest.h>

#include "tests/specs/messages.hpp"
#include "tests/specs/parse_benchmarks.hpp"

namespace tandem::specs {
namespace {

using tests::message_of;
using Words = std::vector<std::string>;

BenchmarkSpec parsed(const std::string& test, const std::string& model = "") {
  Problems problems(Problems::Mode::stop_at_first);
  return parse_benchmarks("{\"model\": {\"name\": \"m\"" + model +
                              "},\n\"tests\": [{\"metric\": \"delay\", \"identifier\": \"i\",\n" + test +
                              "}]}",
                          "f.json", {}, problems)
      .benchmarks.at(0);
}

std::string error_of(const std::string& test, const std::string& model = "") {
  return message_of([&] { (void)parsed(test, model); });
}

constexpr const char* nets =
    R"(, "files": {"init": {"location": "i.pb"}, "predict": {"location": "p.pb"}, "graph": {"location": "g"}})";

TEST(OldCommands, OfCaffe2AreComposedFromTheInputs) {
  const std::string model = std::string(nets) + R"(, "framework": "caffe2")";
  EXPECT_EQ(parsed(R"("iter": 5, "inputs": {"a": {"shapes": [[1, 3]], "type": "float"},
                      "b": {"shapes": [[4]], "type": "int"}})",
                   model)
                .commands,
            (Words{"{program} --net {files.predict} --warmup -1 --iter 5 --init_net {files.init} "
                   "--input_dims \"1,3;4\" --input \"a,b\" --input_type float"}));
  EXPECT_EQ(parsed(R"("commands": {"caffe2": {"run_individual": true, "threads": 2}},
                      "input_files": {"image": {"location": "x.pb"}}, "output_files": {"o": {"filename": "o"}})",
                   model)
                .commands,
            (Words{"{program} --net {files.predict} --warmup -1 --iter -1 --init_net {files.init} "
                   "--input_file {input_files.image} --input image --output o --text_output true "
                   "--output_folder {TGTDIR} --run_individual true --threads 2"}));
}

TEST(OldCommands, OfTensorFlowLiteAreComposed) {
  EXPECT_EQ(parsed(R"("commands": {"tflite": {"num_threads": "4"}}, "iter": 50, "warmup": 1)", nets).commands,
            (Words{"{program} --graph={files.graph} --warmup_runs=1 --num_runs=50 --num_threads=4"}));
}

TEST(OldCommands, OfOtherFrameworksAreRefusedWithWhatToWrite) {
  EXPECT_EQ(error_of(R"("commands": {"glow": {"a": 1}})", R"(, "framework": "glow")"),
            "f.json:3:13: /tests/0/commands: has no command of its own, and framework \"glow\" has no form "
            "that one could be made of; write \"commands\": [\"{program} --iter {iter}\"]");
  EXPECT_EQ(error_of(R"("commands": {"caffe2": {"a": 1}})"),
            "f.json:3:13: /tests/0/commands: cannot be turned into a command without \"inputs\"; write the "
            "whole command, such as \"{program} --iter {iter}\"");
}

TEST(Commands, MayBeOneText) {
  EXPECT_EQ(parsed(R"("commands": "{program} -x")").commands, (Words{"{program} -x"}));
}

TEST(Commands, StartTheProgramOnceWhenArgumentsNameIt) {
  EXPECT_EQ(parsed(R"("arguments": "{program} -x")").commands, (Words{"{program} -x"}));
}

TEST(Commands, RunOnTheProcessorsOfAMaskOrAList) {
  EXPECT_EQ(cpus_of_mask("0f"), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(cpus_of_mask("0xC01"), (std::vector<int>{0, 10, 11}));
  EXPECT_EQ(parsed(R"("command": "p", "platform_args": {"taskset": "80"})").cpus, (std::vector<int>{7}));
  EXPECT_EQ(parsed(R"("command": "p", "cpu-list": "3-4,1,4")").cpus, (std::vector<int>{1, 3, 4}));
  EXPECT_EQ(parsed(R"("command": "p", "cpu-list": -1, "platform_args": {"taskset": "2"})").cpus,
            (std::vector<int>{1}));
  EXPECT_EQ(error_of(R"("command": "p", "cpu-list": "4-3")"),
            "f.json:3:29: /tests/0/cpu-list: found the string \"4-3\"; expected the smaller number first");
  EXPECT_EQ(error_of(R"("command": "p", "platform_args": {"taskset": "xyz"})"),
            "f.json:3:46: /tests/0/platform_args/taskset: found the string \"xyz\"; expected a mask of "
            "processors in hexadecimal digits such as \"0f\"");
}

TEST(Files, NeedAPlaceAndANameWithoutFolders) {
  EXPECT_EQ(error_of(R"("command": "p", "files": {"a": {"filename": "x"}})"),
            "f.json:3:32: /tests/0/files/a: required key \"location\" is missing; add it to this object");
  EXPECT_EQ(error_of(R"("command": "p", "files": {"a": {"filename": "../x", "location": "x"}})"),
            "f.json:3:45: /tests/0/files/a/filename: gives the file name \"../x\"; write a \"filename\" "
            "without folders");
  EXPECT_EQ(
      error_of(R"("command": "p", "files": {"a": {"location": "x/.."}})"),
      "f.json:3:45: /tests/0/files/a/location: gives the file name \"..\"; write a \"filename\" without "
      "folders");
  EXPECT_EQ(error_of(R"("command": "p", "files": {"a": {"location": "x", "md5": "123"}})"),
            "f.json:3:57: /tests/0/files/a/md5: found the string \"123\"; expected 32 hexadecimal digits");
  const auto several = parsed(R"("command": "p {input_files.a.1}",
    "input_files": {"a": [{"location": "x"}, {"location": "y"}]})");
  ASSERT_EQ(several.files.size(), 2U);
  EXPECT_EQ(several.files[1].key, "input_files.a.1");
}

TEST(Environment, KnowsParametersAndNoRunner) {
  EXPECT_EQ(error_of(R"("command": "p", "env": {"A": "{TGTDIR}"})"),
            "f.json:3:30: /tests/0/env/A: placeholder {TGTDIR} is known only while a program runs; write "
            "{TGTDIR} in commands and places of files only");
}

}  // namespace
}  // namespace tandem::specs
