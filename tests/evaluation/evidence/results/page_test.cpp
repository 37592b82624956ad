#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "evaluation/evidence/results/result.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::evaluation {
namespace {

namespace fs = std::filesystem;

PartResult result_of(const std::string& part) {
  PartResult result;
  result.part = part;
  result.title = "Title of " + part;
  result.says = "What it *shows*.";
  result.command = "./dev evaluate " + part;
  result.seed = std::numeric_limits<std::uint64_t>::max();
  result.at = "2026-01-02T03:04:05Z";
  result.seconds = 0.1;
  result.host = {{"cpu", "Some | Processor"}, {"load", part}};
  result.goals = {{"design 5", "false suspects", "at most 0.6 %", "0.09 %", Goal::Met::yes},
                  {"", "power", "95 %", "90.0 %", Goal::Met::no, "Too few launches."},
                  {"stats 7", "memory", "30 MiB", "", Goal::Met::unknown, "Not run yet."}};
  result.tables = {{"By workload", {"workload", "a|b"}, {{"sort", "1\n2"}, {"hash", "3"}}, "Below it."}};
  Plot plot{part + "-bars", "A [plot]", "", "y \"quoted\" <&>"};
  plot.kind = Plot::Kind::bars;
  plot.places = {"sort", "σ"};
  plot.y_scale = Plot::Scale::logarithmic;
  plot.series = {{"Tandem", {{0, 1e-300}, {1, 1.0 / 3, 0.1, 0.7}}}};
  plot.lines = {{0.6, "goal"}};
  result.plots = {plot};
  result.notes = {"First.", "Second."};
  result.figures = {{"false_suspects", 1.0 / 3}, {"none", 0}};
  return result;
}

std::string text_in(const fs::path& path) {
  return read_small_file(path, std::uintmax_t{1} << 28).value();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ResultFile, IsReadBackAsItWasWritten) {
  const tests::TemporaryDirectory directory;
  const PartResult result = result_of("replay");
  write_result(directory.path() / "new", result);
  EXPECT_EQ(read_results(directory.path() / "new"), std::vector{result});
  EXPECT_EQ(text_in(directory.path() / "new" / "replay-bars.svg"), svg_of(result.plots.front()));
  // Nothing else is left behind, and a second time replaces the first.
  write_result(directory.path() / "new", result_of("replay"));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path() / "new"), fs::directory_iterator()), 2);
}

TEST(ResultFile, ComesInTheOrderOfTheParts) {
  const tests::TemporaryDirectory directory;
  const std::vector<std::string> order = {"replay", "live",    "layouts", "power", "rivals", "ablations",
                                          "spread", "culprit", "cost",    "apart", "zebra"};
  for (auto part = order.rbegin(); part != order.rend(); ++part)
    write_result(directory.path(), result_of(*part));
  std::vector<std::string> found;
  for (const PartResult& result : read_results(directory.path())) found.push_back(result.part);
  EXPECT_EQ(found, order);
}

TEST(ResultFile, PassesOverWhatIsNone) {
  const tests::TemporaryDirectory directory;
  EXPECT_TRUE(read_results(directory.path() / "missing").empty());
  std::ofstream(directory.path() / "other.json") << R"({"part": "other"})";
  std::ofstream(directory.path() / "next.json") << R"({"tandem_evidence": 2})";
  std::ofstream(directory.path() / "list.json") << "[1, 2]";
  std::ofstream(directory.path() / "notes.txt") << "{";
  fs::create_directory(directory.path() / "directory.json");
  EXPECT_TRUE(read_results(directory.path()).empty());
}

TEST(ResultFile, PassesOverKeysThatAreNotKnown) {
  const tests::TemporaryDirectory directory;
  write_result(directory.path(), result_of("live"));
  std::string text = text_in(directory.path() / "live.json");
  text.replace(text.find('{'), 1, R"({"of a later form": [1],)");
  std::ofstream(directory.path() / "live.json") << text;
  EXPECT_EQ(read_results(directory.path()), std::vector{result_of("live")});
}

TEST(ResultFile, NamesTheOneThatIsMalformed) {
  const tests::TemporaryDirectory directory;
  write_result(directory.path(), result_of("live"));
  const std::string whole = text_in(directory.path() / "live.json");
  std::string wrong_word = whole;
  wrong_word.replace(wrong_word.find("\"bars\""), 6, "\"pies\"");
  std::string wrong_part = whole;
  wrong_part.replace(wrong_part.find("\"live\""), 6, "\"dead\"");
  for (const std::string& text : {std::string("{"), whole.substr(0, whole.size() / 2),
                                  std::string(R"({"tandem_evidence": 1})"), wrong_word, wrong_part}) {
    std::ofstream(directory.path() / "live.json") << text;
    try {
      (void)read_results(directory.path());
      ADD_FAILURE() << "was read: " << text;
    } catch (const Error& error) {
      EXPECT_TRUE(has(error.what(), "live.json")) << error.what();
    }
  }
}

TEST(ResultFile, RefusesWhatItCouldNotKeep) {
  const tests::TemporaryDirectory directory;
  PartResult result = result_of("live");
  result.figures["bad"] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(write_result(directory.path(), result), Error);
  result = result_of("../live");
  EXPECT_THROW(write_result(directory.path(), result), Error);
  result = result_of("live");
  result.plots.front().name = "a/b";
  EXPECT_THROW(write_result(directory.path(), result), Error);
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(Goals, AreOneTableOfAllParts) {
  const std::vector hosts = {HostResults{"one", {result_of("replay"), result_of("live")}}};
  const std::string rows =
      "| false suspects (design 5) | at most 0.6 % | 0.09 % | yes | {} |\n"
      "| power | 95 % | 90.0 % | **missed** | {} |\n"
      "| memory (stats 7) | 30 MiB |  | not known | {} |\n";
  const auto of = [&](const std::string& part) {
    std::string text = rows;
    for (std::size_t at = 0; (at = text.find("{}")) != std::string::npos;) text.replace(at, 2, part);
    return text;
  };
  EXPECT_EQ(goals_of(hosts),
            "| goal | target | measured | met | part |\n|---|---|---|---|---|\n" + of("replay") + of("live"));
  EXPECT_EQ(goals_of({}), "");
}

TEST(Goals, GiveTheWorstAnswerOfSeveralHosts) {
  HostResults one{"one", {result_of("live")}};
  HostResults other{"other", {result_of("live")}};
  other.results[0].host["cpu"] = "Other";
  other.results[0].goals[0].met = Goal::Met::no;
  other.results[0].goals[0].measured = "7 %";
  other.results[0].goals[1].met = Goal::Met::yes;
  other.results[0].goals[2].measured = "29 MiB";
  for (const auto& hosts : {std::vector{one, other}, std::vector{other, one}}) {
    const std::string goals = goals_of(hosts);
    EXPECT_TRUE(has(goals, "| false suspects (design 5) | at most 0.6 % | "));
    EXPECT_TRUE(has(goals, "Other: 7 %"));
    EXPECT_FALSE(has(goals, "| yes |")) << goals;
    EXPECT_TRUE(has(goals, "Some \\| Processor: 90.0 %"));
    EXPECT_TRUE(has(goals, "Other: 29 MiB"));
    EXPECT_TRUE(has(goals, " · "));
  }
}

TEST(ResultFile, FindsTheFolderOfEachHost) {
  const tests::TemporaryDirectory directory;
  write_result(directory.path() / "two", result_of("live"));
  write_result(directory.path() / "one", result_of("live"));
  fs::create_directories(directory.path() / "empty");
  const auto hosts = read_hosts(directory.path());
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[0].folder, "one");
  EXPECT_EQ(hosts[1].results, std::vector{result_of("live")});
  EXPECT_TRUE(has(overview_of(hosts), "](two/README.md) | live |"));
}

TEST(Page, SaysEverythingOfAPart) {
  const std::vector results = {result_of("replay")};
  EXPECT_EQ(page_of(results), R"(# The evidence

Made by `./dev evaluate` from what it measured; no figure is written by hand. Each part names its command, seed and time.

| host |  |
|---|---|
| cpu | Some \| Processor |
| load | replay |

## Goals

)" + goals_of(std::vector{HostResults{{}, results}}) +
                                  R"(
## Title of replay

What it *shows*.

`./dev evaluate replay`, seed 18446744073709551615, ended 2026-01-02T03:04:05Z, 0.1 s of machine time.

**Missed: power.** Too few launches.

**Not known: memory.** Not run yet.

![A \[plot\]](replay-bars.svg)

### By workload

| workload | a\|b |
|---|---|
| sort | 1 2 |
| hash | 3 |

Below it.

- First.
- Second.
)");
}

TEST(Page, SaysOnceWhatTheHostsShare) {
  const std::string page = page_of(std::vector{result_of("replay"), result_of("live")});
  EXPECT_TRUE(has(page, "| cpu | Some \\| Processor |\n\n"));
  EXPECT_FALSE(has(page, "| load |"));
  EXPECT_TRUE(has(page, "of machine time. Host: load: replay.\n"));
  EXPECT_TRUE(has(page, "of machine time. Host: load: live.\n"));
}

TEST(Page, ShowsLongTimesInLargerUnits) {
  PartResult result = result_of("live");
  const auto page = [&](double seconds) {
    result.seconds = seconds;
    return page_of(std::vector{result});
  };
  EXPECT_TRUE(has(page(99.9), ", 99.9 s of machine time"));
  EXPECT_TRUE(has(page(150), ", 3 min of machine time"));
  EXPECT_TRUE(has(page(7500), ", 2 h 5 min of machine time"));
}

TEST(Page, DoesNotHideThatAReasonIsMissing) {
  PartResult result = result_of("live");
  result.goals[1].why.clear();
  EXPECT_TRUE(has(page_of(std::vector{result}), "**Missed: power.** The reason has not been found.\n"));
}

}  // namespace
}  // namespace tandem::evaluation
