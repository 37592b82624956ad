// What a commit of the example does not claim to change is the same machine code before and after it, so that
// the history means the same on every processor.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "specs/foundation/error.hpp"
#include "tests/specs/example/example_history.hpp"
#include "tests/specs/example/two_at_a_time.hpp"

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
  if (!listed.succeeded()) throw Error("objdump of " + executable.string() + ": " + listed.errors);
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

/// Functions that are not the same on both sides, or that only one side has.
std::set<std::string> different(const Functions& control, const Functions& treatment) {
  std::set<std::string> names;
  for (const auto& [name, instructions] : control) {
    const auto other = treatment.find(name);
    if (other == treatment.end() || other->second != instructions) names.insert(name);
  }
  for (const auto& [name, instructions] : treatment) {
    if (!control.contains(name)) names.insert(name);
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

std::set<std::string> only_measured(std::set<std::string> names) {
  std::erase_if(names, [](const std::string& name) { return !is_one_of(name, measured); });
  return names;
}

std::set<std::string> without(std::set<std::string> names, const std::vector<std::string>& parts) {
  std::erase_if(names, [&](const std::string& name) { return is_one_of(name, parts); });
  return names;
}

/// Empty: the whole executables, as the demo builds them. With other flags the library alone, beside a
/// program that does nothing: the benchmarks' own code is the same in every commit and takes most of a build.
const std::vector<std::string> all_flags = {"", "-O3", "-O3 -march=native"};

fs::path library(const Commit& commit, const std::string& flags, const fs::path& directory) {
  fs::copy(History::shared().tree(commit), directory, fs::copy_options::recursive);
  std::ofstream(directory / "bench/main.cpp") << "int main() {}\n";
  const auto executable = directory / "library";
  const auto built = build(directory, executable, flags);
  if (!built.succeeded()) throw Error(flags + " of " + commit.subject + ": " + built.errors);
  return executable;
}

/// Of each commit that builds, by its flags and its place; made once, for all tests.
using Everything = std::map<std::pair<std::string, std::size_t>, Functions>;

const Everything& everything() {
  static const Everything made = [] {
    const auto& history = History::shared();
    Everything all;
    for (const auto& flags : all_flags) {
      for (std::size_t i = 0; i < history.commits().size(); ++i) {
        if (!history.commits()[i].bytes.empty()) all[{flags, i}] = {};
      }
    }
    std::vector<Everything::iterator> jobs;
    for (auto job = all.begin(); job != all.end(); ++job) jobs.push_back(job);
    two_at_a_time(jobs.size(), [&](std::size_t i) {
      const auto& [flags, place] = jobs[i]->first;
      const auto& commit = history.commits()[place];
      const auto directory = history.directory() / ("library-" + std::to_string(i));
      jobs[i]->second = functions_of(flags.empty() ? commit.executable : library(commit, flags, directory));
    });
    return all;
  }();
  return made;
}

const Functions& functions(const std::string& flags, std::size_t place) {
  return everything().at({flags, place});
}

/// The last commit before this place that builds.
std::size_t building_before(std::size_t place) {
  do --place;
  while (!everything().contains({"", place}));
  return place;
}

std::set<std::string> changed_by(const std::string& subject, const std::string& flags) {
  const std::size_t place = History::shared().place(subject);
  return different(functions(flags, building_before(place)), functions(flags, place));
}

const std::string slowdown = "softmax: Refuse input that has overflowed";
const std::string fix = "softmax: Leave the look for overflows to the caller";

TEST(ExampleCode, OfEveryMeasuredFunctionIsSeen) {
  for (const auto& flags : all_flags) {
    const auto& seen = functions(flags, History::shared().place(fix));
    for (const auto& wanted : measured) {
      std::size_t found = 0;
      for (const auto& [name, instructions] : seen) found += is_one_of(name, {wanted}) ? 1 : 0;
      EXPECT_GE(found, 1U) << wanted << " " << flags;
    }
  }
}

TEST(ExampleCode, DiffersIfOnlyOneSideHasAFunction) {
  const Functions control = {{"both", {"ret"}}, {"old", {"ret"}}};
  const Functions treatment = {{"both", {"ret"}}, {"new", {"ret"}}};
  EXPECT_EQ(different(control, treatment), (std::set<std::string>{"old", "new"}));
}

TEST(ExampleCode, IsTheSameWhereACommitClaimsToChangeNothingWhateverTheFlags) {
  // What a commit adds is called by nobody.
  const std::map<std::string, std::vector<std::string>> added = {
      {"tensor: Say how the elements lie in memory", {}},
      {"tests: Check the convolution", {}},
      {"matmul: Move the tile to files of its own", {}},
      {"matmul: Call the tile what it does", {}},
      {"Add the transposition", {"9transpose"}},
      {"README: Say what is checked and what is not", {}}};
  for (const auto& flags : all_flags) {
    for (const auto& [subject, parts] : added) {
      EXPECT_EQ(without(changed_by(subject, flags), parts), std::set<std::string>{})
          << subject << " " << flags;
    }
  }
}

TEST(ExampleCode, DiffersOnlyInTheOperatorThatACommitIsAboutWhateverTheFlags) {
  const std::map<std::string, std::vector<std::string>> planted = {
      {"conv2d: Find the taps inside the image once per pixel", {"6conv2d"}},
      {slowdown, {"7softmax", "10overflowed"}},
      {fix, {"7softmax"}}};
  for (const auto& flags : all_flags) {
    for (const auto& [subject, parts] : planted) {
      const auto names = changed_by(subject, flags);
      EXPECT_NE(names, without(names, {parts.front()})) << subject << " " << flags;
      EXPECT_EQ(without(names, parts), std::set<std::string>{}) << subject << " " << flags;
    }
  }
}

TEST(ExampleCode, IsNotTouchedInTheOperatorsByWhatIsAddedAroundThemWhateverTheFlags) {
  for (const auto& flags : all_flags) {
    // The net asks for its activation once per batch; that is the one place where these two differ.
    const auto activation = changed_by("net: Add the header that the last commit forgot", flags);
    EXPECT_EQ(without(only_measured(activation), {"7forward"}), std::set<std::string>{}) << flags;
    const auto sizes = changed_by("tensor: Refuse sizes that do not fit into memory", flags);
    EXPECT_EQ(only_measured(sizes), std::set<std::string>{}) << flags;
  }
}

TEST(ExampleCode, IsTheSameAfterTheFixAsBeforeTheSlowdownWhateverTheFlags) {
  const auto& history = History::shared();
  const std::size_t before = building_before(history.place(slowdown));
  for (const auto& flags : all_flags) {
    const auto names = different(functions(flags, before), functions(flags, history.place(fix)));
    // These two came in between, and no operator calls them.
    EXPECT_EQ(without(only_measured(names), {"9transpose", "10overflowed"}), std::set<std::string>{})
        << flags;
  }
}

}  // namespace
}  // namespace tandem::specs::example
