#include <gtest/gtest.h>

#include "specs/benchmark/spec.hpp"
#include "tests/specs/messages.hpp"
#include "tests/specs/parse_benchmarks.hpp"

namespace tandem::specs {
namespace {

using tests::message_of;
using Words = std::vector<std::string>;

LoadedSpecs parsed(const std::string& fields, const std::string& model = R"("name": "m")") {
  Problems problems(Problems::Mode::stop_at_first);
  return parse_benchmarks(
      "{\"model\": {" + model + "},\n\"tests\": [{\"metric\": \"delay\",\n" + fields + "}]}", "f.json", {},
      problems);
}

std::string error_of(const std::string& fields, const std::string& model = R"("name": "m")") {
  return message_of([&] { (void)parsed(fields, model); });
}

Words identifiers_of(const std::string& fields) {
  Words identifiers;
  for (const BenchmarkSpec& spec : parsed(fields).benchmarks) identifiers.push_back(spec.identifier);
  return identifiers;
}

TEST(Variants, AreNamedByTheirShape) {
  const std::string shapes = R"("inputs": {"x": {"shapes": [[1, 3], [], [2]], "type": "float"}})";
  EXPECT_EQ(identifiers_of(R"("identifier": "i", "command": "p {inputs.x.shapes}", )" + shapes),
            (Words{"i/1x3", "i/scalar", "i/2"}));
  EXPECT_EQ(identifiers_of(R"("identifier": "{ID}", "command": "p", )" + shapes), (Words{"0", "1", "2"}));
  EXPECT_EQ(identifiers_of(R"("identifier": "i", "command": "p", "inputs": {"x": {"shapes": [[1, 3]]}})"),
            (Words{"i"}))
      << "one shape needs no name";
  EXPECT_EQ(identifiers_of(R"("identifier": "i", "command": "p", "inputs": {"x": {"shapes": [[1], [2]]},
                              "y": {"shapes": [[3, 4], [5, 6]]}})"),
            (Words{"i/1,3x4", "i/2,5x6"}));
}

TEST(Variants, AreNamedByTheirParameters) {
  EXPECT_EQ(identifiers_of(R"("identifier": "i", "command": "p", "parameters": {"mode": ["fast"]})"),
            (Words{"i/mode:fast"}))
      << "so that a second value does not rename the first";
  EXPECT_EQ(identifiers_of(
                R"("identifier": "i_{b}", "command": "p", "parameters": {"b": [1, 2], "t": [true, 0.50]})"),
            (Words{"i_1/t:true", "i_1/t:0.50", "i_2/t:true", "i_2/t:0.50"}));
  EXPECT_EQ(identifiers_of(R"("identifier": "i", "command": "p", "parameters": {"b": [1, 2]},
                              "inputs": {"x": {"shapes": [[7], [9]]}})"),
            (Words{"i/7/b:1", "i/7/b:2", "i/9/b:1", "i/9/b:2"}));
}

TEST(Variants, NeedAsManyShapesOfEachInput) {
  EXPECT_EQ(
      error_of(R"("identifier": "i", "command": "p",
"inputs": {"x": {"shapes": [[1], [2]]}, "y": {"shapes": [[1]]}})"),
      "f.json:4:57: /tests/0/inputs/y/shapes: holds 1 shapes and input \"x\" holds 2; write as many for "
      "each input");
}

TEST(Variants, HideNoOtherName) {
  EXPECT_EQ(error_of(R"("identifier": "i", "command": "p", "parameters": {"iter": [1]})"),
            "f.json:3:59: /tests/0/parameters/iter: {iter} has a meaning of its own; choose another name");
  EXPECT_EQ(
      error_of(R"("identifier": "i", "command": "p", "parameters": {"TGTDIR": [1]})"),
      "f.json:3:61: /tests/0/parameters/TGTDIR: {TGTDIR} has a meaning of its own; choose another name");
  EXPECT_EQ(error_of(R"("identifier": "i", "command": "p", "parameters": {"a": [1, 1]})"),
            "f.json:3:60: /tests/0/parameters/a/1: stands here twice; remove one");
}

TEST(Variants, AreBounded) {
  std::string numbers;
  for (int i = 0; i < 101; ++i) numbers += (i == 0 ? "" : ",") + std::to_string(i);
  EXPECT_EQ(error_of(R"("identifier": "i", "command": "p", "parameters": {"a": [)" + numbers +
                     R"(], "b": [)" + numbers + "]}")
                .substr(14),
            "/tests/0/parameters/b: makes more than 10000 benchmarks; write fewer");
  std::string product;
  for (int i = 0; i < 60; ++i) product += (i == 0 ? "\"p" : ", \"p") + std::to_string(i) + "\": [1, 2]";
  EXPECT_NE(error_of(R"("identifier": "i", "command": "p", "parameters": {)" + product + "}")
                .find("makes more than 10000 benchmarks"),
            std::string::npos);
}

TEST(Variants, CannotMultiplyManyFilesWithoutBound) {
  std::string files = R"("name": "m", "files": {)";
  for (int i = 0; i < 900; ++i)
    files += (i == 0 ? "\"f" : ", \"f") + std::to_string(i) + R"(": {"filename": "f", "location": "f"})";
  files += "}";
  std::string numbers;
  for (int i = 0; i < 9000; ++i) numbers += (i == 0 ? "" : ",") + std::to_string(i);
  EXPECT_EQ(error_of(R"("identifier": "i", "command": "p", "parameters": {"a": [)" + numbers + "]}", files),
            "f.json:2:11: /tests/0: is past 33554432 bytes of benchmarks; split the suite");
}

TEST(Variants, KeepTheRunnersNamesOutOfTheirOwn) {
  EXPECT_EQ(
      error_of(R"("identifier": "at_{TGTDIR}", "command": "p")"),
      "f.json:3:15: /tests/0/identifier: placeholder {TGTDIR} is known only while a program runs; write "
      "{TGTDIR} in commands and places of files only");
}

}  // namespace
}  // namespace tandem::specs
