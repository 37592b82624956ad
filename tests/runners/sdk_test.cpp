#include <gtest/gtest.h>

#include "runners/process/process.hpp"
#include "support/programs.hpp"

namespace tandem::runners {
namespace {

Finished alone(std::vector<std::string> arguments) {
  std::vector<std::string> argv = {tests::program("several")};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run_command({argv, {}, {}, {}, {}}, {});
}

TEST(Sdk, ListsItsBenchmarksAlone) {
  EXPECT_EQ(alone({"--list"}).output, "short\nchanged\noriginal\n");
  EXPECT_EQ(alone({"--list", "--filter", "or"}).output, "short\noriginal\n");
}

TEST(Sdk, PrintsATableAlone) {
  const Finished finished = alone({"--seconds", "0.01"});
  ASSERT_TRUE(finished.succeeded());
  for (const char* word : {"benchmark", "median ns", "short", "changed", "original"}) {
    EXPECT_NE(finished.output.find(word), std::string::npos) << word;
  }
}

TEST(Sdk, PrintsJsonAlone) {
  const Finished finished = alone({"--json", "--filter", "short", "--seconds", "0.01"});
  EXPECT_EQ(finished.output.find(
                "[\n  {\"benchmark\": \"short\", \"metric\": \"time\", \"unit\": \"ns\", \"median\": "),
            0u)
      << finished.output;
}

TEST(Sdk, RefusesAnUnknownFlagWithUsage) {
  const Finished finished = alone({"--fast"});
  EXPECT_EQ(finished.code, 2);
  EXPECT_NE(finished.errors.find("usage:"), std::string::npos);
}

}  // namespace
}  // namespace tandem::runners
