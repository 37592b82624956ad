#include "daemon/report/platform_report.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "golden.hpp"
#include "support/made_up_topology.hpp"
#include "support/platform_tree.hpp"

namespace tandem::daemon::report {
namespace {

using runners::FixStep;
using runners::HostTrials;

HostTrials laptop_trials() {
  HostTrials trials;
  trials.topology =
      tests::made_up_topology("l3:1(size=12582912) core:4 l2:1(size=1310720) l1d:1(size=49152) pu:2");
  trials.steal_share = 0;
  trials.counters = HostTrials::Counters::no_permission;
  trials.sandbox_fault = "no sandbox: this host forbids user namespaces; it said: \x1b[2J";
  trials.tools = {{"bwrap", "0.8.0"},         {"mold", std::nullopt}, {"ld.lld", "Debian LLD 14.0.6"},
                  {"valgrind", std::nullopt}, {"perf", "6.1.0"},      {"ccache", "4.7.5"}};
  return trials;
}

runners::Platform laptop() {
  tests::PlatformTree tree;
  tests::make_laptop(tree);
  return runners::assess_platform(tree.sources(), laptop_trials());
}

TEST(PlatformReport, ShowsALaptop) {
  tests::expect_golden(platform_text(laptop()), "platform_laptop.txt");
}

TEST(PlatformReport, ShowsABareHost) {
  const tests::PlatformTree bare;
  const auto platform = runners::assess_platform(bare.sources(), {});
  tests::expect_golden(platform_text(platform), "platform_bare.txt");
  const auto document = nlohmann::json::parse(platform_json(platform, {}));
  EXPECT_TRUE(document.at("score").is_null());
  EXPECT_TRUE(document.at("isa").empty());
  for (const auto& finding : document.at("findings")) EXPECT_TRUE(finding.at("value").is_null());
}

TEST(PlatformReport, StaysWithinAHundredColumnsButNeverBreaksACommand) {
  std::istringstream lines(platform_text(laptop()));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.size() <= 100 || line.starts_with("      ")) << line;
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
  }
}

TEST(PlatformReport, GivesEverythingAsJson) {
  const auto platform = laptop();
  const auto document =
      nlohmann::json::parse(platform_json(platform, runners::choose_cpus(platform.topology)));
  EXPECT_EQ(document.at("schema"), 1);
  EXPECT_EQ(document.at("score"), *platform.score);
  EXPECT_EQ(document.at("isa").at("avx512f"), true);
  EXPECT_EQ(document.at("isa").at("amx_tile"), false);
  EXPECT_EQ(document.at("topology").at("processors").size(), 8U);
  EXPECT_EQ(document.at("topology").at("caches").at(0).at("bytes"), 48 * 1024);
  EXPECT_EQ(document.at("choice").at("duet"), nlohmann::json::parse("[[4], [6]]"));
  ASSERT_EQ(document.at("findings").size(), platform.findings.size());
  for (const auto& finding : document.at("findings")) {
    if (finding.at("name") != "governor") continue;
    EXPECT_EQ(finding.at("value"), "powersave");
    EXPECT_EQ(finding.at("grade"), "poor");
    EXPECT_EQ(finding.at("weight"), 15);
    EXPECT_NE(finding.at("command"), "");
    EXPECT_NE(finding.at("why"), "");
  }
}

TEST(PlatformReport, SaysWhatWasSetAndWhatNot) {
  using Result = FixStep::Result;
  EXPECT_EQ(fix_text({{Result::set, "governor", "performance on 8 processors, was powersave"},
                      {Result::already, "turbo", "off"},
                      {Result::left_alone, "SMT", "this host has none"},
                      {Result::failed, "perf_event_paranoid", "/proc/x: Read-only file system"}}),
            "governor                set      performance on 8 processors, was powersave\n"
            "turbo                   already  off\n"
            "SMT                     not set  this host has none\n"
            "perf_event_paranoid     failed   /proc/x: Read-only file system\n");
}

TEST(PlatformReport, SaysWhatWasSetBack) {
  EXPECT_EQ(restored_text({}), "");
  EXPECT_EQ(restored_text({1, {}, {}}), "1 value set back\n");
  EXPECT_EQ(restored_text({2, {"/a is gone"}, {"/b is still 1 instead of 0: why"}}),
            "2 values set back\n/a is gone\n/b is still 1 instead of 0: why\n");
}

}  // namespace
}  // namespace tandem::daemon::report
