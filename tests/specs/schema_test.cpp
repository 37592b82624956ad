#include "specs/benchmark/fields.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "specs/benchmark/spec.hpp"
#include "support/paths.hpp"
#include "support/temporary_directory.hpp"
#include "tests/specs/parse_benchmarks.hpp"

namespace tandem::specs {
namespace {

namespace fs = std::filesystem;
const fs::path schema_file = fs::path(tests::paths::source) / "specs/schema/benchmark.schema.json";

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(Schema, OnDiskIsTheOneOfTheTables) {
  if (const char* update = std::getenv("TANDEM_UPDATE_GOLDEN"); update != nullptr && *update == '1') {
    std::ofstream(schema_file, std::ios::binary) << benchmark_schema();
  }
  EXPECT_EQ(benchmark_schema(), text_of(schema_file)) << "TANDEM_UPDATE_GOLDEN=1 writes " << schema_file;
}

/// A benchmark file whose only test has these fields, too.
std::string with_test(const std::string& fields) {
  return R"({"model": {"name": "m"}, "tests": [{"metric": "delay", "identifier": "i")" +
         (fields.find("\"command") == std::string::npos && fields.find("\"arguments") == std::string::npos
              ? std::string(R"(, "command": "p")")
              : std::string()) +
         (fields.empty() ? "" : ", ") + fields + "}]}";
}

std::string with_model(const std::string& fields) {
  return R"({"model": {"name": "m", )" + fields +
         R"(}, "tests": [{"metric": "delay", "identifier": "i", "command": "p"}]})";
}

std::vector<std::string> good_texts() {
  return {
      with_test(""),
      with_test(R"("iter": -1, "warmup": 0, "timeout": 0.5, "margin": 1)"),
      with_test(R"("iter": 5.0)"),
      with_test(R"("commands": "{program} -x")"),
      with_test(R"("commands": ["a", "b"])"),
      with_test(R"("arguments": "")"),
      with_test(R"("log_output": "True", "cpu-list": "0-3,8", "OMP_NUM_THREADS": -1)"),
      with_test(R"("cpu-list": 0, "tags": [], "statistics": ["p0", "p100", "p99.999999", "cv", "p100.0"])"),
      with_test(R"("env": {"A": 1, "b c": true, "C": "x"})"),
      with_test(R"("parameters": {"a": [1, "x", true]}, "pairing": "process_together")"),
      with_test(R"("inputs": {"data": {"shapes": [[1, -1], []], "type": "float"}})"),
      with_test(R"("inputs": {})"),
      with_test(
          R"("input_files": {"a": [{"location": "x"}, {"filename": "y", "location": "//y", "md5": null}]})"),
      with_test(R"("output_files": {"o": {"filename": "o.txt", "md5": "directory", "upload": "false"}})"),
      with_test(R"("platform_args": {"taskset": "0x0F", "retry": 0, "anything": [1]})"),
      with_test(R"("command": "p", "preprocess": {}, "postprocess": {"command": "x"})"),
      with_test(R"("monsoon": 3, "method": null, "profiler": {}, "direction": "higher_is_better")"),
      with_test(R"("metrics": ["size"], "protocol": "benchdnn")"),
      with_model(R"("free": {"of": ["anything"]}, "libraries": {"a": {"location": "liba.so"}})"),
      with_model(R"("repeat": 1, "cooldown": 0, "converter": {"name": "c", "args": {"identifier": "x"}})"),
      with_model(R"("files": {}, "group": "", "command_args": "", "platform": "ios", "app": {})"),
      R"({"$schema": "s", "model": {"name": "m", "protocol": "sdk"}, "meta": {"timeout": 1},
          "default_args": {"--a-b": 1, "c": ["x", 2], "d": null}, "build": {"target": "t"},
          "tests": [{"metric": "delay", "identifier": "i"}]})",
  };
}

std::vector<std::string> bad_texts() {
  std::vector<std::string> texts = {
      "1",
      "[]",
      "{}",
      R"({"model": {"name": "m"}})",
      R"({"model": {"name": "m"}, "tests": []})",
      R"({"model": {}, "tests": [{"metric": "m", "identifier": "i", "command": "p"}]})",
      R"({"model": 3, "tests": [{"metric": "m", "identifier": "i", "command": "p"}]})",
      R"({"model": {"name": "m"}, "tests": [{"identifier": "i", "command": "p"}]})",
      R"({"model": {"name": "m"}, "tests": [{"metric": "m", "command": "p"}]})",
      R"({"model": {"name": "m"}, "tests": [3]})",
      R"({"model": {"name": "m"}, "test": [], "tests": [{"metric": "m", "identifier": "i", "command": "p"}]})",
      R"({"benchmarks": []})",
      R"({"benchmarks": [3]})",
      R"({"benchmarks": [""]})",
      R"({"benchmarks": {}})",
      R"({"benchmarks": ["a.json"], "model": {}})",
      R"({"benchmarks": ["a.json"], "meta": []})",
      R"({"benchmarks": ["a.json"], "meta": {"timeout": 0}})",
  };
  for (const char* field : {R"("itre": 5)",
                            R"("iter": 0)",
                            R"("iter": "5")",
                            R"("iter": -2)",
                            R"("iter": 1000000001)",
                            R"("iter": 1.5)",
                            R"("warmup": -2)",
                            R"("timeout": 0)",
                            R"("timeout": "1")",
                            R"("margin": 0)",
                            R"("margin": 2)",
                            R"("commands": [])",
                            R"("commands": [" "])",
                            R"("commands": [1])",
                            R"("commands": 1)",
                            R"("command": "")",
                            R"("command": ["x"])",
                            R"("command": "x", "arguments": "y")",
                            R"("commands": ["x"], "command": "y")",
                            R"("arguments": 3)",
                            R"("log_output": 1)",
                            R"("log_output": "yes")",
                            R"("cpu-list": "a")",
                            R"("cpu-list": "")",
                            R"("cpu-list": "1,")",
                            R"("cpu-list": 65536)",
                            R"("OMP_NUM_THREADS": "4")",
                            R"("statistics": ["p101"])",
                            R"("statistics": ["p"])",
                            R"("statistics": "mean")",
                            R"("statistics": ["p100.1"])",
                            R"("statistics": ["p9."])",
                            R"("env": [])",
                            R"("env": {"A=B": 1})",
                            R"("env": {"": 1})",
                            R"("env": {"A": null})",
                            R"("env": {"A": "\u0000"})",
                            R"("parameters": {"a": []})",
                            R"("parameters": {"a": 1})",
                            R"("parameters": {"1a": [1]})",
                            R"("parameters": {"a": [[1]]})",
                            R"("inputs": [])",
                            R"("inputs": {"x": {}})",
                            R"("inputs": {"x": {"shapes": []}})",
                            R"("inputs": {"x": {"shapes": [1]}})",
                            R"("inputs": {"x": {"shapes": [["1"]]}})",
                            R"("inputs": {"x": {"shapes": [[1]], "kind": 1}})",
                            R"("input_files": [])",
                            R"("input_files": {"a": "x"})",
                            R"("input_files": {"a": {"location": ""}})",
                            R"("input_files": {"a": {"location": "x", "md5": "12"}})",
                            R"("input_files": {"a": {"location": "x", "sha256": "directory"}})",
                            R"("input_files": {"a": {"locaton": "x"}})",
                            R"("output_files": {"a": {"filename": 3}})",
                            R"("output_files": {"a": {"filename": "x", "converter": {}}})",
                            R"("output_files": {"a": {"filename": "x", "converter": "json"}})",
                            R"("platform_args": 1)",
                            R"("platform_args": {"taskset": "g"})",
                            R"("platform_args": {"taskset": "00"})",
                            R"("platform_args": {"taskset": 3})",
                            R"("platform_args": {"retry": -1})",
                            R"("platform_args": {"timeout": 0})",
                            R"("preprocess": {"commands": 3})",
                            R"("preprocess": {"comands": []})",
                            R"("preprocess": {"commands": ["a"], "command": "b"})",
                            R"("preprocess": [])",
                            R"("protocol": "sdl")",
                            R"("pairing": "both")",
                            R"("direction": "up")",
                            R"("metrics": [])",
                            R"("metrics": ["speed"])",
                            R"("golden": {})",
                            R"("golden": "x")",
                            R"("golden": {"file": "x", "absolute": -1})",
                            R"("instructions": "hand")",
                            R"("tags": "a")",
                            R"("tags": [""])",
                            R"("tags": ["a\nb"])",
                            R"("group": 1)"}) {
    texts.push_back(with_test(field));
  }
  for (const char* field :
       {R"("name2": 1, "format": "")", R"("framework": 3)", R"("files": [1])", R"("files": {"a": {"x": 1}})",
        R"("libraries": ["x"])", R"("libraries": "x")", R"("cooldown": -1)", R"("cooldown": "1")",
        R"("repeat": 0)", R"("repeat": 1.5)", R"("timeout": 1e9)", R"("command_args": ["x"])",
        R"("converter": {"args": {}})", R"("converter": {"name": "c", "args": {"a": []}})",
        R"("margin": "1%")", R"("log_output": "maybe")"}) {
    texts.push_back(with_model(field));
  }
  texts.push_back(
      R"({"model": {"name": "a\u0007"}, "tests": [{"metric": "m", "identifier": "i", "command": "p"}]})");
  texts.push_back(R"({"model": {"name": "m"}, "default_args": {"-": 1},
                      "tests": [{"metric": "m", "identifier": "i", "command": "p"}]})");
  texts.push_back(R"({"model": {"name": "m"}, "default_args": {"a": {}},
                      "tests": [{"metric": "m", "identifier": "i", "command": "p"}]})");
  texts.push_back(R"({"model": {"name": "m"}, "build": {"standard": "20"},
                      "tests": [{"metric": "m", "identifier": "i", "command": "p"}]})");
  return texts;
}

bool parses(const std::string& text) {
  Problems problems(Problems::Mode::collect);
  (void)parse_benchmarks(text, "f.json", {}, problems);
  return problems.empty();
}

/// What a validator that other people wrote says to each text.
std::vector<std::string> judged_by_schema(const std::vector<std::string>& texts) {
  const tests::TemporaryDirectory directory;
  const fs::path cases = directory.path() / "cases.json";
  std::ofstream stream(cases);
  stream << "[";
  for (std::size_t i = 0; i < texts.size(); ++i) stream << (i == 0 ? "" : ",\n") << texts[i];
  stream << "]";
  stream.close();
  const std::string command = std::string("python3 '") + tests::paths::source +
                              "/tests/specs/judge_by_schema.py' '" + schema_file.string() + "' '" +
                              cases.string() + "' 2>&1";
  std::vector<std::string> lines;
  std::string line;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return lines;
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    lines.push_back(std::move(line));
    line.clear();
  }
  pclose(pipe);
  return lines;
}

TEST(Schema, JudgesAsTheReaderDoes) {
  const std::vector<std::string> good = good_texts();
  const std::vector<std::string> bad = bad_texts();
  std::vector<std::string> all = good;
  all.insert(all.end(), bad.begin(), bad.end());
  const std::vector<std::string> lines = judged_by_schema(all);
  ASSERT_EQ(lines.size(), all.size())
      << "python3-jsonschema says: " << (lines.empty() ? "nothing" : lines.back());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_good = i < good.size();
    EXPECT_EQ(lines[i] == "good", is_good) << all[i] << "\n" << lines[i];
    EXPECT_EQ(parses(all[i]), is_good) << all[i];
  }
}

}  // namespace
}  // namespace tandem::specs
