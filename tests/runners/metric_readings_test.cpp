#include "runners/pairing/around_launch.hpp"
#include "runners/pairing/further_metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "support/temporary_directory.hpp"

namespace tandem::runners {
namespace {

using Values = std::vector<double>;
using Type = specs::Golden::Type;
constexpr double infinity = std::numeric_limits<double>::infinity();

Values numbers(std::string_view bytes, Type type = Type::text) {
  const auto result = read_numbers(bytes, type);
  if (const auto* wrong = std::get_if<std::string>(&result)) ADD_FAILURE() << *wrong;
  return std::get<Values>(result);
}

specs::Golden tolerances(std::optional<double> absolute, std::optional<double> relative) {
  specs::Golden golden;
  golden.absolute = absolute;
  golden.relative = relative;
  return golden;
}

TEST(GoldenOutput, ReadsNumbersInEveryUsualForm) {
  EXPECT_EQ(numbers("1 2.5\n-3e-2,+4;\t5\r\n"), (Values{1, 2.5, -0.03, 4, 5}));
  EXPECT_EQ(numbers(" \n").size(), 0u);
  EXPECT_TRUE(std::isnan(numbers("nan").front()));
  EXPECT_EQ(numbers("-inf 1e999 1e-999"), (Values{-infinity, infinity, 0}));
  const std::array<float, 2> floats = {0.5F, -2};
  const std::array<double, 2> doubles = {0.1, 7};
  EXPECT_EQ(numbers({reinterpret_cast<const char*>(floats.data()), sizeof floats}, Type::float32),
            (Values{0.5, -2}));
  EXPECT_EQ(numbers({reinterpret_cast<const char*>(doubles.data()), sizeof doubles}, Type::float64),
            (Values{0.1, 7}));
}

TEST(GoldenOutput, SaysWhereANumberIsMissing) {
  EXPECT_EQ(std::get<std::string>(read_numbers("1\n2\nabc\n", Type::text)),
            "has \"abc\" in line 3 where a number belongs");
  EXPECT_EQ(std::get<std::string>(read_numbers("1.5x", Type::text)),
            "has \"1.5x\" in line 1 where a number belongs");
  EXPECT_EQ(std::get<std::string>(read_numbers("12345", Type::float32)),
            "has 5 bytes, which is no multiple of the 4 bytes of a number");
}

TEST(GoldenOutput, FindsTheLargestErrors) {
  const OutputError error = compare_output(Values{1, 10, 100}, Values{1, 11, 105}, tolerances({}, {}));
  EXPECT_EQ(error.absolute, 5);
  EXPECT_DOUBLE_EQ(error.relative, 0.1);
}

TEST(GoldenOutput, ANumberWithinEitherToleranceIsSound) {
  const auto both = tolerances(0.01, 0.01);
  // Far from 0 the share counts, near 0 the difference.
  const OutputError sound = compare_output(Values{1000, 0, 1e-9}, Values{1009, 0.009, 1e-3}, both);
  EXPECT_LE(sound.absolute, 0.01);
  EXPECT_LE(sound.relative, 0.01);
  const OutputError wrong = compare_output(Values{1000, 0}, Values{1011, 0}, both);
  EXPECT_EQ(wrong.absolute, 11);
  EXPECT_DOUBLE_EQ(wrong.relative, 0.011);
}

TEST(GoldenOutput, WhatIsNoNumberOnOneSideIsInfinitelyWrong) {
  const double nan = std::nan("");
  EXPECT_EQ(compare_output(Values{nan, infinity}, Values{nan, infinity}, {}).absolute, 0);
  EXPECT_EQ(compare_output(Values{1}, Values{nan}, tolerances(5, 5)).absolute, infinity);
  EXPECT_EQ(compare_output(Values{nan}, Values{1}, tolerances(5, 5)).relative, infinity);
  EXPECT_EQ(compare_output(Values{infinity}, Values{-infinity}, {}).absolute, infinity);
  EXPECT_EQ(compare_output(Values{0}, Values{0.1}, {}).relative, infinity);
}

TEST(GoldenOutput, GivesEachToleranceToItsMetricAsTheLimit) {
  const auto exact = named({0.5, 0.25}, tolerances({}, {}));
  ASSERT_EQ(exact.size(), 1u);
  EXPECT_EQ(exact[0].metric.name, "error");
  EXPECT_EQ(exact[0].metric.limit, 0.0);
  const auto both = named({0.5, 0.25}, tolerances(1e-3, 1e-5));
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].metric.limit, 1e-3);
  EXPECT_EQ(both[0].value, 0.5);
  EXPECT_EQ(both[1].metric.name, "relative_error");
  EXPECT_EQ(both[1].metric.limit, 1e-5);
  EXPECT_EQ(both[1].value, 0.25);
  EXPECT_EQ(named({0.5, 0.25}, tolerances({}, 0.1)).size(), 1u);
}

TEST(GoldenOutput, IsReadFromRegularFilesOnly) {
  const tests::TemporaryDirectory directory;
  const auto file = directory.path() / "numbers";
  std::ofstream(file) << "1 2";
  EXPECT_EQ(std::get<FileBytes>(read_output_file(file, Links::refused)).bytes, "1 2");
  std::filesystem::create_symlink(file, directory.path() / "link");
  EXPECT_TRUE(
      std::holds_alternative<std::string>(read_output_file(directory.path() / "link", Links::refused)));
  EXPECT_EQ(std::get<FileBytes>(read_output_file(directory.path() / "link", Links::followed)).bytes, "1 2");
  EXPECT_EQ(std::get<std::string>(read_output_file(directory.path(), Links::refused)),
            "is not a regular file");
  EXPECT_EQ(std::get<std::string>(read_output_file(directory.path() / "none", Links::refused)),
            "cannot be opened: No such file or directory");
}

using specs::InstructionCounter;

const InstructionTool perf{InstructionCounter::perf, "/usr/bin/perf"};
const InstructionTool callgrind{InstructionCounter::callgrind, "/usr/bin/valgrind"};

TEST(InstructionCounts, AreReadFromPerfStat) {
  EXPECT_EQ(perf.total_in("the program's words\n3066,,instructions:u,253000,100.00,,\n"), 3066u);
  EXPECT_EQ(perf.total_in("<not supported>,,instructions:u,0,100.00,,\n"), std::nullopt);
  EXPECT_EQ(perf.total_in("<not counted>,,instructions:u,0,0.00,,\n"), std::nullopt);
  EXPECT_EQ(perf.total_in(""), std::nullopt);
}

TEST(InstructionCounts, AreReadFromCallgrind) {
  EXPECT_EQ(callgrind.total_in("==7== Events    : Ir\n==7== Collected : 123456\n==7== \n"), 123456u);
  EXPECT_EQ(callgrind.total_in("==7== Collected : \n"), std::nullopt);
  EXPECT_EQ(callgrind.total_in("Collected : 5\n"), std::nullopt);
}

TEST(InstructionCounts, SayWhatToDoWhereNothingCanCount) {
  const auto found = find_instruction_tool(InstructionCounter::automatic, {"PATH=/nowhere"}, {});
  ASSERT_TRUE(std::holds_alternative<std::string>(found));
  EXPECT_NE(std::get<std::string>(found).find("install valgrind"), std::string::npos);
  const auto only_perf = find_instruction_tool(InstructionCounter::perf, {"PATH=/nowhere"}, {});
  EXPECT_NE(std::get<std::string>(only_perf).find("\"instructions\": \"callgrind\""), std::string::npos);
}

}  // namespace
}  // namespace tandem::runners
