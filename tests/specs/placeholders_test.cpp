#include <gtest/gtest.h>

#include "specs/benchmark/spec.hpp"
#include "tests/specs/messages.hpp"
#include "tests/specs/parse_benchmarks.hpp"

namespace tandem::specs {
namespace {

using tests::message_of;

std::string command_of(const std::string& command, const std::string& model_fields = "",
                       const SpecOptions& options = {}) {
  const std::string text =
      R"({"model": {"name": "m", "size": 3, "deep": {"er": {"x": 0.50}}, "list": [1])" + model_fields +
      "},\n\"tests\": [{\"metric\": \"delay\", \"identifier\": \"i\", \"iter\": 7,\n\"command\": \"" +
      command + "\"}]}";
  Problems problems(Problems::Mode::stop_at_first);
  return parse_benchmarks(text, "f.json", options, problems).benchmarks.at(0).commands.at(0);
}

std::string error_of(const std::string& command, const std::string& model_fields = "",
                     const SpecOptions& options = {}) {
  return message_of([&] { (void)command_of(command, model_fields, options); });
}

TEST(Placeholders, StandForFieldsOfTestAndModel) {
  EXPECT_EQ(command_of("p {iter} {warmup} {ID} {name} {size} {deep.er.x} {metric}"),
            "p 7 -1 0 m 3 0.50 delay");
}

TEST(Placeholders, PreferTheTestToTheModel) {
  EXPECT_EQ(command_of("p {iter}", R"(, "iter": 1)"), "p 7");
}

TEST(Placeholders, PreferTheStringMapToEverything) {
  EXPECT_EQ(command_of("p {iter} {mine}", "", {.string_map = {{"iter", "9"}, {"mine", "{size}"}}}), "p 9 3");
}

TEST(Placeholders, FindAFieldByItsWholeNameBeforeItsPath) {
  EXPECT_EQ(command_of("p {a.b}", R"(, "a.b": "whole", "a": {"b": "path"})"), "p whole");
}

TEST(Placeholders, AreReplacedRepeatedly) {
  EXPECT_EQ(command_of("p {a}", R"(, "a": "<{b}>", "b": "{size}{size}")"), "p <33>");
}

TEST(Placeholders, OfTheRunnerStay) {
  EXPECT_EQ(command_of("{program} {TGTDIR} {HOSTDIR} {BUILDDIR} {TEMPDIR} {INDEX} {DEVICEHASH}"),
            "{program} {TGTDIR} {HOSTDIR} {BUILDDIR} {TEMPDIR} {INDEX} {DEVICEHASH}");
  EXPECT_EQ(command_of("{program} {helper}", "", {.programs = {"helper"}}), "{program} {helper}");
  EXPECT_EQ(command_of("{program} {files.x}", R"(, "files": {"x": {"location": "f"}})"),
            "{program} {files.x}");
}

TEST(Placeholders, OfAnyNameMayBeTheProgramThatIsStarted) {
  EXPECT_EQ(command_of("  {helper} x"), "  {helper} x");
  EXPECT_NE(error_of("x {helper}"), "no error");
  EXPECT_NE(error_of("{helper}x"), "no error");
}

TEST(Placeholders, ThatAreUnknownAreNamedWithTheNearest) {
  const std::string known =
      "write a field of the test or model, a name from --string_map, or one of \"program\", "
      "\"TGTDIR\", \"HOSTDIR\", \"BUILDDIR\", \"TEMPDIR\", \"INDEX\", \"DEVICEHASH\"";
  EXPECT_EQ(error_of("p {itre}"),
            "f.json:3:12: /tests/0/command: unknown placeholder {itre}; did you mean {iter}? " + known);
  EXPECT_EQ(error_of("{progam} x"),
            "f.json:3:12: /tests/0/command: unknown placeholder {progam}; did you mean {program}? " + known);
  EXPECT_EQ(error_of("p {a}", R"(, "a": "{far_away}")"),
            "f.json:3:12: /tests/0/command: unknown placeholder {a} -> {far_away}; " + known);
  EXPECT_NE(error_of("p {deep.none}"), "no error");
  EXPECT_NE(error_of("p {size.x}"), "no error");
  EXPECT_NE(error_of("p {.}"), "no error");
}

TEST(Placeholders, ThatLeadBackToThemselvesShowTheChain) {
  EXPECT_EQ(
      error_of("p {a}", R"(, "a": "{b}", "b": "x{a}")"),
      "f.json:3:12: /tests/0/command: placeholder refers to itself: {a} -> {b} -> {a}; break the circle");
  EXPECT_EQ(error_of("p {command}"),
            "f.json:3:12: /tests/0/command: placeholder refers to itself: {command} -> {command}; break the "
            "circle");
}

TEST(Placeholders, OfFaipepsOwnFolderNeedAValue) {
  EXPECT_EQ(
      error_of("{FAIPEPROOT}/libraries/python/compare.py"),
      "f.json:3:12: /tests/0/command: placeholder {FAIPEPROOT} has no value, for the scripts of FAI-PEP "
      "are not part of Tandem; say where they lie with --string_map '{\"FAIPEPROOT\": "
      "\"/path/to/FAI-PEP\"}'");
  EXPECT_EQ(command_of("{FAIPEPROOT}/compare.py", "", {.string_map = {{"FAIPEPROOT", "/opt"}}}),
            "/opt/compare.py");
}

TEST(Placeholders, ThatNameAListAreRefused) {
  EXPECT_EQ(error_of("p {list}"),
            "f.json:3:12: /tests/0/command: placeholder {list} names an array; only strings, numbers, true "
            "and false can "
            "be put into a command");
}

TEST(Placeholders, CannotGrowWithoutBound) {
  std::string fields = R"(, "x0": "aaaaaaaaaa", "y0": "")";
  for (int i = 1; i <= 9; ++i) {
    const std::string n = std::to_string(i);
    const std::string b = std::to_string(i - 1);
    fields += ", \"x" + n + "\": \"";
    for (int k = 0; k < 8; ++k) fields += "{x" + b + "}";
    fields += "\", \"y" + n + "\": \"";
    for (int k = 0; k < 8; ++k) fields += "{y" + b + "}";
    fields += "\"";
  }
  EXPECT_EQ(error_of("p {x5}", fields),
            "f.json:3:12: /tests/0/command: grows past 65536 characters when its placeholders are replaced; "
            "shorten it");
  EXPECT_EQ(error_of("p {y9}", fields),
            "f.json:3:12: /tests/0/command: needs more than 32 placeholders inside each other or 10000 in "
            "all; simplify "
            "it");
  std::string chain;
  for (int i = 0; i < 40; ++i)
    chain += ", \"c" + std::to_string(i) + "\": \"{c" + std::to_string(i + 1) + "}\"";
  EXPECT_NE(error_of("p {c0}", chain).find("needs more than 32 placeholders inside each other"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem::specs
