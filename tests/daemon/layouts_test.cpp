// Screens and confirmations over layouts, on scripted histories whose executables can be relinked.
#include "daemon/measure/layouts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "daemon/fake_history.hpp"

namespace tandem::daemon {
namespace {

using tests::at_cost;
using tests::Call;
using tests::FakeWalk;
using Texts = std::vector<std::string>;

constexpr const char* as_built = "builds";

class LayoutWalk : public testing::Test {
 protected:
  LayoutWalk() { walk_.builder.layouts = true; }

  /// Launches between two commits whose seeds are the screen's: 1 to 4.
  static bool of_screen(const std::string& layout) {
    return layout != as_built && std::stoull(layout, nullptr, 16) <= 4;
  }

  FakeWalk walk_{{at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.1)}};
};

TEST_F(LayoutWalk, ScreensDrawFromFourLinkingsOfEachSide) {
  walk_.examine();
  std::set<std::string> controls;
  std::set<std::string> treatments;
  for (const Call& call : walk_.runner.launches()) {
    if (call.control != "c0" || call.treatment != "c1") continue;
    EXPECT_TRUE(of_screen(call.control_layout)) << call.control_layout;
    controls.insert(call.control_layout);
    treatments.insert(call.treatment_layout);
  }
  EXPECT_GT(controls.size(), 1u);
  EXPECT_GT(treatments.size(), 1u);
}

TEST_F(LayoutWalk, TheControlMeetsItselfInDifferentLinkings) {
  walk_.examine();
  bool differed = false;
  for (const Call& call : walk_.runner.launches()) {
    if (call.control == call.treatment) differed = differed || call.control_layout != call.treatment_layout;
  }
  EXPECT_TRUE(differed);
}

TEST_F(LayoutWalk, EveryUnitOfAConfirmationIsLinkedAnew) {
  walk_.examine();
  EXPECT_EQ(walk_.records(), (Texts{"regression open work c2 (c1..c2) 1.100"}));
  std::map<std::string, std::size_t> launches;
  std::size_t built = 0;
  for (const Call& call : walk_.runner.launches()) {
    if (call.control != "c1" || call.treatment != "c2") continue;
    if (call.control_layout == as_built) {
      ++built;
    } else if (!of_screen(call.control_layout)) {
      ++launches[call.control_layout + " " + call.treatment_layout];
    }
  }
  EXPECT_EQ(launches.size(), 16u);
  for (const auto& [layouts, count] : launches) EXPECT_EQ(count, 2u) << layouts << " has both slots";
  EXPECT_EQ(built, 4u) << "of the pair as it was built, at the one look";
  const Record record = walk_.store->records({}).front();
  EXPECT_EQ(record.layout.words, "4 per side in the screen, new ones in every unit of the confirmation");
  EXPECT_EQ(record.confirmation.as_built.size(), 4u);
  EXPECT_DOUBLE_EQ(record.confirmation.minimum_effect, 0.005) << "half of the margin, no higher bar";
}

TEST_F(LayoutWalk, AnExecutableIsAskedForItsLayoutsOncePerCommitThatMeetsIt) {
  walk_.examine();
  std::map<std::pair<std::string, std::uint64_t>, int> count;
  for (const auto& call : walk_.builder.relinked) ++count[call];
  for (const auto& [call, times] : count) {
    EXPECT_EQ(times, call.first == "c0" ? 2 : 1) << call.first << " seed " << call.second;
  }
}

TEST_F(LayoutWalk, AChangeOfTheShippedLayoutAloneIsNoRegression) {
  // The screen's four linkings of c1 happen to be slow, and so is the one that was built; all others are not.
  walk_.commits.at("c2").costs["work"] = 1;
  walk_.runner.log_ratio = [](const Call& call) {
    const bool slow =
        call.treatment == "c2" && (call.treatment_layout == as_built || of_screen(call.treatment_layout));
    return slow && call.control != call.treatment ? std::log(1.1) : 0.0;
  };
  walk_.examine();
  EXPECT_EQ(walk_.verdicts().back(), "c2 work slower against c0");
  EXPECT_EQ(walk_.records(), (Texts{"layout noted work c2 (c0..c2) 1.000"}));
  EXPECT_EQ(walk_.level(), "");
}

TEST_F(LayoutWalk, WhatNoLayoutShowsAgainIsNotReproduced) {
  walk_.commits.at("c2").costs["work"] = 1;
  walk_.runner.log_ratio = [](const Call& call) {
    const bool slow = call.treatment == "c2" && of_screen(call.treatment_layout);
    return slow && call.control != call.treatment ? std::log(1.1) : 0.0;
  };
  walk_.examine();
  EXPECT_EQ(walk_.records(), (Texts{"not reproduced noted work c2 (c0..c2) 1.000"}));
}

TEST_F(LayoutWalk, ALinkingThatListsOtherBenchmarksIsNotUsed) {
  walk_.runner.fails = [](const Call& call) -> std::optional<runners::RunFailure> {
    const bool broken =
        call.kind == Call::Kind::inspect && call.control == "c1" && call.control_layout != as_built;
    return broken ? std::optional(tests::crash_of(runners::Side::control)) : std::nullopt;
  };
  walk_.examine({0, 1});
  EXPECT_EQ(walk_.verdicts(), (Texts{"c0 work new", "c1 work unchanged against c0"}));
  for (const Call& call : walk_.runner.launches()) {
    EXPECT_EQ(call.treatment_layout, as_built) << "both sides run as they were built";
    EXPECT_EQ(call.control_layout, as_built);
  }
}

TEST(DescribeLayouts, NamesTheSideThatCannotBeRelinked) {
  Linkings good;
  good.layouts.resize(4);
  const Linkings bad{{{}},
                     builders::RelinkFailure{builders::RelinkFailure::Kind::not_possible,
                                             "its linker script decides the layout"}};
  using Resolution = LayoutFacts::Resolution;
  EXPECT_EQ(describe_layouts(good, good).resolution, Resolution::resolved);
  EXPECT_EQ(describe_layouts(good, good).words, "4 per side");
  EXPECT_EQ(describe_layouts(good, bad).resolution, Resolution::unresolved);
  EXPECT_EQ(describe_layouts(good, bad).words, "treatment: its linker script decides the layout");
}

}  // namespace
}  // namespace tandem::daemon
