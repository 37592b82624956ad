// What stands in the tree of the evidence is what the results say: pages and drawings are made, never edited.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>

#include "evaluation/evidence/live/decision.hpp"
#include "evaluation/evidence/results/journal.hpp"
#include "evaluation/evidence/results/result.hpp"
#include "specs/foundation/files.hpp"
#include "support/paths.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::evaluation {
namespace {

namespace fs = std::filesystem;

const fs::path source = tests::paths::source;
const fs::path published = source / "tests" / "evaluation" / "results";
constexpr const char* remedy = "; make it with tandem_evidence page or goals";

std::string text_in(const fs::path& path) {
  return read_small_file(path, std::uintmax_t{1} << 28).value();
}

class Published : public testing::Test {
 protected:
  void SetUp() override {
    hosts = read_hosts(published);
    ASSERT_FALSE(hosts.empty());
  }

  std::vector<HostResults> hosts;
};

TEST_F(Published, PagesAreThoseOfTheResults) {
  for (const HostResults& host : hosts)
    EXPECT_EQ(text_in(published / host.folder / "README.md"), page_of(host.results)) << host.folder << remedy;
  EXPECT_EQ(text_in(published / "README.md"), overview_of(hosts)) << remedy;
}

TEST_F(Published, DrawingsAreThoseOfTheResults) {
  for (const HostResults& host : hosts) {
    const fs::path folder = published / host.folder;
    std::set<std::string> drawn;
    for (const PartResult& result : host.results) {
      for (const Plot& plot : result.plots) {
        const std::string name = plot.name + ".svg";
        EXPECT_TRUE(drawn.insert(name).second) << name << " is drawn twice";
        EXPECT_TRUE(text_in(folder / name) == svg_of(plot)) << name << " is not what the result says";
      }
    }
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".svg") continue;
      EXPECT_TRUE(drawn.contains(entry.path().filename())) << entry.path() << " belongs to no result";
    }
  }
}

TEST_F(Published, FilesAreThoseThatWouldBeWritten) {
  const tests::TemporaryDirectory directory;
  for (const HostResults& host : hosts) {
    for (const PartResult& result : host.results) {
      write_result(directory.path(), result);
      const std::string name = result.part + ".json";
      EXPECT_TRUE(text_in(published / host.folder / name) == text_in(directory.path() / name))
          << host.folder << " " << name;
    }
  }
}

TEST_F(Published, NoFolderMixesProcessors) {
  for (const HostResults& host : hosts) {
    for (const PartResult& result : host.results)
      EXPECT_EQ(result.host.at("cpu"), host.processor()) << host.folder << " " << result.part;
  }
}

TEST_F(Published, CountsAreThoseOfTheDecisionsOneByOne) {
  for (const HostResults& host : hosts) {
    std::set<std::string> counted;
    for (const PartResult& result : host.results) {
      const fs::path journal = published / host.folder / "journal" / (result.part + ".tsv");
      if (!result.figures.contains("decisions")) continue;
      ASSERT_TRUE(fs::exists(journal)) << journal << " is missing";
      std::ifstream lines(journal);
      std::map<std::string, double> counts;
      for (std::string line; std::getline(lines, line);) {
        const auto decision = decision_in(fields_in(line));
        ASSERT_TRUE(decision) << journal << ": " << line;
        counts["decisions"] += 1;
        counts["suspects"] += decision->is_suspect() ? 1 : 0;
        counts["records"] += decision->is_record() ? 1 : 0;
      }
      for (const auto& [name, count] : counts) {
        const auto said = result.figures.find(name);
        if (said == result.figures.end()) continue;
        EXPECT_EQ(said->second, count) << host.folder << " " << result.part << " " << name;
      }
      counted.insert(result.part);
    }
    EXPECT_EQ(counted, (std::set<std::string>{"layouts", "live", "power"})) << host.folder;
  }
}

TEST_F(Published, ReadmeQuotesTheGoals) {
  const std::string readme = text_in(source / "README.md");
  const std::string begin = "<!-- goals -->\n";
  const std::string end = "<!-- /goals -->";
  const std::size_t from = readme.find(begin);
  const std::size_t to = readme.find(end);
  ASSERT_NE(from, std::string::npos) << begin;
  ASSERT_NE(to, std::string::npos) << end;
  ASSERT_LT(from, to);
  EXPECT_EQ(readme.substr(from + begin.size(), to - from - begin.size()), goals_of(hosts)) << remedy;
}

/// The end of a goal's interval that is nearer to missing the target.
struct Bound {
  std::string text;  ///< as it is written: "47.3 %"
  double percent = 0;
};

std::optional<Bound> worst_bound_of(const Goal& goal) {
  const bool wants_more = goal.target.starts_with("at least");
  static const std::regex above("(at most |to )([0-9.]+) %\\)");
  static const std::regex below("; (at least )?([0-9.]+)( %| to )");
  std::smatch found;
  if (!std::regex_search(goal.measured, found, wants_more ? below : above)) return std::nullopt;
  return Bound{found[2].str() + " %", std::stod(found[2].str())};
}

TEST_F(Published, ReadmeOpensWithTheWorstHostOfEachGoalItQuotes) {
  const std::string readme = text_in(source / "README.md");
  const std::string opening = std::regex_replace(readme.substr(0, readme.find("```")), std::regex("\n"), " ");
  for (const std::string what :
       {"2 % in compute-bound operators found within 10 s", "false suspects, equal executables, live"}) {
    const Goal* worst = nullptr;
    std::string processor;
    for (const HostResults& host : hosts) {
      for (const PartResult& result : host.results) {
        for (const Goal& goal : result.goals) {
          if (goal.what != what) continue;
          ASSERT_TRUE(worst_bound_of(goal)) << goal.measured;
          const bool wants_more = goal.target.starts_with("at least");
          const double sign = wants_more ? -1 : 1;
          if (worst != nullptr &&
              sign * worst_bound_of(goal)->percent <= sign * worst_bound_of(*worst)->percent) {
            continue;
          }
          worst = &goal;
          processor = host.processor();
        }
      }
    }
    ASSERT_NE(worst, nullptr) << what;
    std::smatch counts;
    ASSERT_TRUE(std::regex_search(worst->measured, counts, std::regex("[0-9 ]+ of [0-9 ]+"))) << what;
    for (const std::string& part : {processor, counts.str(), worst_bound_of(*worst)->text}) {
      EXPECT_NE(opening.find(part), std::string::npos) << what << ": " << part;
    }
  }
}

}  // namespace
}  // namespace tandem::evaluation
