#include "runners/pairing/instruction_count.hpp"

#include <gtest/gtest.h>

namespace tandem::runners {
namespace {

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
