// What the demo says of a table of records, and the code it ends with.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/paths.hpp"
#include "tests/specs/example/example_history.hpp"

namespace tandem::specs::example {
namespace {

namespace fs = std::filesystem;

const fs::path source = tests::paths::source;
const std::string slow = "05aef892";
const std::string fix = "c3ff5030";
const std::string fast = "44b2104d";
const std::string other = "bf296115";

struct Row {
  std::string state;
  std::string change;
  std::string benchmark;
  std::string commit;
};

const Row planted = {"fixed by " + fix, "8.0 % slower", "pebble/softmax/1000", slow};
const Row speed_up = {"improvement", "26.3 % faster", "pebble/conv2d/3x3", fast};

/// As wide as `tandem report` pads it, below the heading that it prints.
std::string table_of(const std::vector<Row>& rows) {
  std::ifstream golden(source / "tests/daemon/report/golden/table.txt");
  std::string text;
  std::getline(golden, text);
  text += "\n";
  for (const auto& row : rows) {
    text += "e16cd405e790ae43  2024-03-11  ";
    for (const auto& cell : {row.state, row.change, row.benchmark, std::string("example (linux)")}) {
      text += cell + std::string(cell.size() < 24 ? 26 - cell.size() : 2, ' ');
    }
    text += row.commit + "  is 9.9 % slower  softmax/1000  " + slow + " than it seems\n\n";
  }
  return text;
}

runners::Finished judged(const std::string& table) {
  const auto script = source / "specs/frameworks/example/judge.sh";
  return run(
      {"sh", "-c", R"(printf %s "$1" | "$0" "$2" "$3" "$4")", script.string(), table, slow, fix, fast});
}

void expect(const std::vector<Row>& rows, int code, const std::string& said) {
  const auto finished = judged(table_of(rows));
  EXPECT_EQ(finished.how, runners::Finished::How::exited);
  EXPECT_EQ(finished.code, code) << finished.output << finished.errors;
  EXPECT_NE(finished.output.find(said), std::string::npos) << finished.output << finished.errors;
  EXPECT_EQ(finished.output.find("WRONG") != std::string::npos, code == 1) << finished.output;
  EXPECT_EQ(finished.errors, "");
}

TEST(DemoJudge, SaysNothingOfWhatIsAsPlanted) {
  const auto finished = judged(table_of({speed_up, planted}));
  EXPECT_TRUE(finished.succeeded());
  EXPECT_EQ(finished.output, "");
}

TEST(DemoJudge, DoesNotTakeANoteForARegression) {
  for (const std::string state :
       {"not reproduced", "could not be confirmed", "postponed", "layout", "layout, open"}) {
    expect({speed_up, planted, {state, "2.1 % slower", "pebble/net/two_layers", other}}, 0,
           "noted beside that, and not reported as a regression: pebble/net/two_layers, 2.1 % slower, at " +
               other + " (" + state + ").");
  }
}

TEST(DemoJudge, DoesNotTakeANoteOnTheCulpritForItsName) {
  for (const std::string state : {"not reproduced", "could not be confirmed", "postponed", "layout"}) {
    expect({speed_up, {state, "8.0 % slower", "pebble/softmax/1000", slow}}, 3,
           "the slower softmax of " + slow + " was not reported.");
  }
}

TEST(DemoJudge, FindsAnyOtherRegressionWrong) {
  const std::vector<Row> wrong = {{"open", "8.0 % slower", "pebble/softmax/1000", other},
                                  {"fixed by " + fix, "8.0 % slower", "pebble/softmax/1000", other},
                                  {"open", "8.0 % slower", "pebble/net/two_layers", slow},
                                  {"accumulated, open", "8.0 % slower", "pebble/softmax/1000", slow},
                                  {"a new state", "2.1 % slower", "pebble/matmul/48", other}};
  for (const auto& row : wrong) expect({speed_up, planted, row}, 1, row.benchmark + ", " + row.change);
  expect({speed_up, wrong.front()}, 1, "the slower softmax of " + slow + " was not reported.");
}

TEST(DemoJudge, FindsAnImprovementWrongThatIsNone) {
  expect({speed_up, planted, {"improvement", "2.1 % faster", "pebble/matmul/48", other}}, 1,
         "pebble/matmul/48");
  expect({planted, {"improvement", "26.3 % faster", "pebble/conv2d/3x3", other}}, 1, "not noted");
  expect({speed_up, planted, {"improvement", "7.4 % faster", "pebble/softmax/1000", fix}}, 0, "");
}

TEST(DemoJudge, FindsWrongWhatIsSaidToBeLeftOfTheSameCode) {
  expect({speed_up, {"partly fixed, +1.5 % left", "7.6 % slower", "pebble/softmax/1000", slow}}, 1,
         "where the code is the same");
}

TEST(DemoJudge, FindsWrongThatAnotherCommitEndedIt) {
  expect({speed_up, {"fixed by " + other, "7.6 % slower", "pebble/softmax/1000", slow}}, 1, "another commit");
}

TEST(DemoJudge, SaysWhatWasNotFound) {
  expect({}, 3, "was not reported");
  expect({planted}, 3, "the faster conv2d of " + fast + " was not noted.");
  for (const std::string state : {"open", "acknowledged", "recovered"}) {
    expect({speed_up, {state, "8.0 % slower", "pebble/softmax/1000", slow}}, 3,
           slow + " was named rightly, but its fix " + fix + " did not end it");
  }
  EXPECT_EQ(judged("no records\n").code, 3);
}

TEST(DemoJudge, KnowsWhenItIsGivenNoTable) {
  for (const std::string text : {"", "tandem: cannot read the store\n", "ID  STATE\n"}) {
    EXPECT_EQ(judged(text).code, 4) << text;
  }
}

}  // namespace
}  // namespace tandem::specs::example
