// What a commit of the example does not claim to change is the same machine code before and after it, so that
// the history means the same on every processor.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/specs/example/example_history.hpp"

namespace tandem::specs::example {
namespace {

namespace fs = std::filesystem;

using Functions = std::map<std::string, std::vector<std::string>>;  ///< instructions by name

/// The tile changes its name and file in the history, and is one function all the same.
std::string known_name(const std::string& symbol) {
  return symbol.find("multiply_tile") != std::string::npos ||
                 symbol.find("accumulate_tile") != std::string::npos
             ? "tile"
             : symbol;
}

/// One instruction without what only says where other code and data lie.
std::string without_places(const std::string& line, const std::string& function) {
  static const std::regex displacement("-?0x[0-9a-f]+\\(%rip\\)");
  static const std::regex remark("\\s*#.*$");
  static const std::regex target("<([^>+]+)(\\+0x[0-9a-f]+)?>");
  std::string text = std::regex_replace(std::regex_replace(line, remark, ""), displacement, "(%rip)");
  std::smatch found;
  if (std::regex_search(text, found, target)) {
    const bool inside = found[1].str() == function;
    const std::string to = inside ? "<" + found[2].str() + ">" : "<" + known_name(found[1].str()) + ">";
    text = found.prefix().str() + to;
  }
  return text;
}

/// What the linker fills the room between two functions with.
bool is_filling(const std::string& instruction) {
  static const std::regex filling("^\\s*((data16|cs) )*(nop[wl]?\\b.*|xchg +%ax,%ax|int3)\\s*$");
  return std::regex_match(instruction, filling);
}

Functions functions_of(const fs::path& executable) {
  const auto listed = run(
      {"objdump", "-d", "-j", ".text", "--no-show-raw-insn", "--no-addresses", "-w", executable.string()});
  EXPECT_TRUE(listed.succeeded()) << listed.errors;
  Functions functions;
  std::istringstream lines(listed.output);
  std::string line;
  std::string function;
  while (std::getline(lines, line)) {
    if (line.starts_with("<") && line.ends_with(">:")) {
      function = line.substr(1, line.size() - 3);
      functions[known_name(function)].clear();
    } else if (!function.empty() && line.starts_with("\t")) {
      functions[known_name(function)].push_back(without_places(line, function));
    } else if (line.empty()) {
      function.clear();
    }
  }
  for (auto& [name, instructions] : functions) {
    while (!instructions.empty() && is_filling(instructions.back())) instructions.pop_back();
  }
  return functions;
}

/// Functions that both have, and which are not the same.
std::set<std::string> different(const Functions& control, const Functions& treatment) {
  std::set<std::string> names;
  for (const auto& [name, instructions] : control) {
    const auto other = treatment.find(name);
    if (other != treatment.end() && other->second != instructions) names.insert(name);
  }
  return names;
}

bool is_one_of(const std::string& function, const std::vector<std::string>& parts) {
  for (const auto& part : parts) {
    if (function.find(part) != std::string::npos) return true;
  }
  return false;
}

/// What runs in the benchmarks: the operators, and the net made of them.
const std::vector<std::string> measured = {"6matmul",      "tile",       "6conv2d", "7softmax",
                                           "10overflowed", "9transpose", "7forward"};

std::set<std::string> different_where_measured(const Functions& control, const Functions& treatment) {
  auto names = different(control, treatment);
  std::erase_if(names, [](const std::string& name) { return !is_one_of(name, measured); });
  return names;
}

const Commit& commit_called(const std::string& subject) {
  const auto& history = History::shared();
  return history.commits().at(history.place(subject));
}

const Commit& building_before(const std::string& subject) {
  const auto& history = History::shared();
  std::size_t place = history.place(subject);
  do --place;
  while (history.commits().at(place).bytes.empty());
  return history.commits().at(place);
}

const std::string slowdown = "softmax: Refuse input that has overflowed";
const std::string fix = "softmax: Leave the look for overflows to the caller";

TEST(ExampleCode, OfEveryMeasuredFunctionIsSeen) {
  const auto functions = functions_of(commit_called(fix).executable);
  for (const auto& wanted : measured) {
    std::size_t found = 0;
    for (const auto& [name, instructions] : functions) found += is_one_of(name, {wanted}) ? 1 : 0;
    EXPECT_GE(found, 1U) << wanted;
  }
}

TEST(ExampleCode, IsTheSameWhereACommitOnlyMovesNamesOrAdds) {
  for (const std::string subject : {"matmul: Move the tile to files of its own",
                                    "matmul: Call the tile what it does", "Add the transposition"}) {
    EXPECT_EQ(different(functions_of(building_before(subject).executable),
                        functions_of(commit_called(subject).executable)),
              std::set<std::string>{})
        << subject;
  }
}

TEST(ExampleCode, DiffersOnlyInTheOperatorThatACommitIsAbout) {
  const std::vector<std::pair<std::string, std::string>> planted = {
      {"conv2d: Find the taps inside the image once per pixel", "6conv2d"},
      {slowdown, "7softmax"},
      {fix, "7softmax"}};
  for (const auto& [subject, function] : planted) {
    const auto names = different(functions_of(building_before(subject).executable),
                                 functions_of(commit_called(subject).executable));
    EXPECT_EQ(names.size(), 1U) << subject;
    for (const auto& name : names) EXPECT_TRUE(is_one_of(name, {function})) << subject << ": " << name;
  }
}

TEST(ExampleCode, IsNotTouchedInTheOperatorsByWhatIsAddedAroundThem) {
  // The net asks for its activation once per batch; that is the one place where these two differ.
  const std::string activation = "net: Add the header that the last commit forgot";
  for (const auto& name : different_where_measured(functions_of(building_before(activation).executable),
                                                   functions_of(commit_called(activation).executable))) {
    EXPECT_TRUE(is_one_of(name, {"7forward"})) << name;
  }
  const std::string sizes = "tensor: Refuse sizes that do not fit into memory";
  EXPECT_EQ(different_where_measured(functions_of(building_before(sizes).executable),
                                     functions_of(commit_called(sizes).executable)),
            std::set<std::string>{});
}

TEST(ExampleCode, IsTheSameAfterTheFixAsBeforeTheSlowdownWhateverTheFlags) {
  const auto& history = History::shared();
  for (const std::string flags : {"-O2", "-O3", "-O3 -march=native"}) {
    std::vector<Functions> sides;
    for (const Commit* commit : {&building_before(slowdown), &commit_called(slowdown), &commit_called(fix)}) {
      const auto executable = history.directory() / "built with other flags";
      const auto built = build(history.tree(*commit), executable, flags);
      ASSERT_TRUE(built.succeeded()) << flags << built.errors;
      sides.push_back(functions_of(executable));
    }
    EXPECT_FALSE(different_where_measured(sides[0], sides[1]).empty()) << flags;
    EXPECT_EQ(different_where_measured(sides[0], sides[2]), std::set<std::string>{}) << flags;
  }
}

}  // namespace
}  // namespace tandem::specs::example
