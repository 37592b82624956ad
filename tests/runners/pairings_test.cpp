// Every way of measuring two sliced programs, with good programs and with bad ones.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "analysis/launch_statistics.hpp"
#include "analysis/statistics.hpp"
#include "runners/pairing/pair_runner.hpp"
#include "runners/pairing/pairing.hpp"
#include "support/programs.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::runners {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using tests::program;

class PairingsTest : public testing::TestWithParam<Pairing> {
 protected:
  PairingsTest() : runner_(settings()) {}

  void SetUp() override {
    if (GetParam() == Pairing::duet && choose_cpus().duet[0].empty()) GTEST_SKIP() << "one core only";
  }

  HostSettings settings() const {
    HostSettings settings;
    settings.scratch = scratch_.path();
    settings.deadline = std::chrono::seconds{60};
    settings.output_bytes = 100'000;
    return settings;
  }

  static ProgramPair pair(const std::string& control, const std::string& treatment) {
    return {program(control), program(treatment), {{"{program}"}}, {}, {}, {}};
  }

  static SliceShape cut(std::size_t threads = 1) {
    return shape_for({6000, threads, true, 0}, {GetParam(), microseconds{300}, milliseconds{30}});
  }

  LaunchResult launch(const std::string& control, const std::string& treatment, const LaunchPlan& plan) {
    ProgramPair programs = pair(control, treatment);
    // Only those that never answer are waited for; a busy host gives all others the time they need.
    for (const char* silent : {"hangs", "ignores_sigterm"})
      if (control == silent || treatment == silent) programs.deadline = std::chrono::seconds{1};
    auto result = runner_.launch(programs, {Protocol::slices, "work", plan.shape}, plan, {});
    EXPECT_EQ(tests::entries(scratch_.path()), 0u) << "copies left behind";
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process left behind";
    return result;
  }

  std::vector<Sampled> samples(const std::string& control, const std::string& treatment,
                               const LaunchPlan& plan) {
    auto result = launch(control, treatment, plan);
    if (const auto* failure = std::get_if<RunFailure>(&result)) {
      ADD_FAILURE() << failure->what;
      return {{}};
    }
    return std::get<std::vector<Sampled>>(std::move(result));
  }

  /// The middle of five launches: one may be disturbed.
  double typical(const std::string& control, const std::string& treatment,
                 const std::function<LaunchPlan(std::uint64_t)>& plan) {
    std::vector<double> ratios;
    for (std::uint64_t i = 0; i < 5; ++i) {
      const auto statistics =
          analysis::launch_statistics(samples(control, treatment, plan(i)).front().launch);
      ratios.push_back(statistics ? statistics->median : 0);
    }
    return *analysis::median(ratios);
  }

  tests::TemporaryDirectory scratch_;
  HostPairRunner runner_;
};

INSTANTIATE_TEST_SUITE_P(All, PairingsTest,
                         testing::Values(Pairing::alternate, Pairing::duet, Pairing::process),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST_P(PairingsTest, GivesEveryPairOfThePlan) {
  const LaunchPlan plan = plan_launch(3, 0, cut());
  const Launch launch = samples("steady", "steady", plan).front().launch;
  EXPECT_EQ(launch.control.size(), plan.shape.pairs);
  EXPECT_EQ(launch.treatment.size(), plan.shape.pairs);
  EXPECT_EQ(launch.index, plan.index);
  EXPECT_GT(launch.control_usage.peak_resident_bytes, 0u);
  // The kernel counts ticks: a short child may have all of them as system time.
  EXPECT_GT(launch.treatment_usage.cpu().count(), 0);
  if (GetParam() == Pairing::process) {
    EXPECT_TRUE(launch.first.empty());
  } else {
    EXPECT_EQ(launch.gaps_ns.size(), plan.shape.pairs);
    EXPECT_EQ(std::count(launch.first.begin(), launch.first.end(), Side::control),
              static_cast<std::ptrdiff_t>(plan.shape.pairs / 2));
  }
}

TEST_P(PairingsTest, FindsTheSlowerSideInEitherSlot) {
  const double slower = std::log(1.2);  // it has half as much work again
  EXPECT_GT(typical("steady", "slower", [](std::uint64_t i) { return plan_launch(3, i, cut()); }), slower);
  EXPECT_GT(typical("steady", "slower", [](std::uint64_t i) { return opposite(plan_launch(3, i, cut())); }),
            slower);
}

TEST_P(PairingsTest, FindsTheExtraWorkOfAPositiveControl) {
  SliceShape shape = cut();
  shape.treatment_extra = 0.5;
  const double found = typical("steady", "steady", [&](std::uint64_t i) { return plan_launch(5, i, shape); });
  EXPECT_GT(found, std::log(1.2));
  EXPECT_LT(found, std::log(2.0));
}

TEST_P(PairingsTest, MeasuresOneSideAlone) {
  const LaunchPlan plan = plan_launch(3, 0, cut());
  const Launch control = samples("steady", "steady", alone(plan, Side::control)).front().launch;
  EXPECT_EQ(control.control.size(), plan.shape.pairs);
  EXPECT_TRUE(control.treatment.empty());
  const Launch treatment = samples("steady", "steady", alone(plan, Side::treatment)).front().launch;
  EXPECT_EQ(treatment.treatment.size(), plan.shape.pairs);
  EXPECT_TRUE(treatment.control.empty());
}

TEST_P(PairingsTest, KeepsWhatProgramsReportWithUnitAndDirection) {
  const auto all = samples("reports", "reports_more", plan_launch(3, 0, cut()));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].metric.name, "time");
  EXPECT_EQ(all[1].metric.name, "peak_pool");
  EXPECT_EQ(all[1].metric.unit, "B");
  EXPECT_EQ(all[1].metric.direction, specs::Direction::lower_is_better);
  EXPECT_EQ(all[1].launch.control, std::vector<double>{4096});
  EXPECT_EQ(all[1].launch.treatment, std::vector<double>{8192});
  EXPECT_EQ(all[2].metric.direction, specs::Direction::higher_is_better);
}

/// A bad program beside a good one, on either side: who failed, in which launch, how, and in which words.
struct BadProgram {
  const char* name;
  RunFailure::Reason reason;
  const char* words;
};
constexpr BadProgram bad_programs[] = {
    {"crashes", RunFailure::Reason::crashed, "signal 11"},
    {"hangs", RunFailure::Reason::timed_out, "before the deadline"},
    {"ignores_sigterm", RunFailure::Reason::timed_out, "before the deadline"},
    {"floods_stdout", RunFailure::Reason::flooded, "output"},
    {"closes_channel", RunFailure::Reason::protocol, ""},
    {"lies_about_iterations", RunFailure::Reason::protocol, ""},
    {"prints_garbage", RunFailure::Reason::protocol, "to the greeting"},
    {"forks", RunFailure::Reason::protocol, "left 1 running process behind"},
};

TEST_P(PairingsTest, NamesSideLaunchAndReasonOfEveryBadProgramAndStopsTheOther) {
  for (const BadProgram& bad : bad_programs) {
    for (const Side side : {Side::control, Side::treatment}) {
      SCOPED_TRACE(std::string(bad.name) + " as " + name_of(side));
      // A program that does not know the page never begins a duet, and that is what is said then.
      const bool speaks_lines = std::string(bad.name) == "ignores_sigterm";
      const bool refused = GetParam() == Pairing::duet && speaks_lines;
      const auto result = side == Side::control ? launch(bad.name, "steady", plan_launch(1, 5, cut()))
                                                : launch("steady", bad.name, plan_launch(1, 5, cut()));
      const auto* failure = std::get_if<RunFailure>(&result);
      ASSERT_NE(failure, nullptr);
      EXPECT_EQ(failure->side, side);
      EXPECT_EQ(failure->launch, 5u);
      EXPECT_EQ(failure->reason, refused ? RunFailure::Reason::protocol : bad.reason) << failure->what;
      EXPECT_TRUE(failure->what.starts_with(name_of(side))) << failure->what;
      EXPECT_NE(failure->what.find(refused ? "shared page" : bad.words), std::string::npos) << failure->what;
    }
  }
}

TEST_P(PairingsTest, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  const LaunchPlan plan = plan_launch(1, 0, cut());
  const auto result = runner_.launch(pair("steady", "steady"), {Protocol::slices, "work", plan.shape}, plan,
                                     source.get_token());
  EXPECT_EQ(std::get<RunFailure>(result).reason, RunFailure::Reason::stopped);
}

/// Pages of this process that are in memory.
std::size_t resident_pages() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return resident;
}

TEST_P(PairingsTest, LeaksNothingOverManyLaunches) {
  const char* chosen = std::getenv("TANDEM_LAUNCHES");
  const std::uint64_t launches = chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : 60;
  SliceShape shape;
  shape.pairing = GetParam();
  std::uint64_t as_expected = 0;
  std::size_t descriptors = 0;
  std::size_t pages = 0;
  for (std::uint64_t index = 0; index < launches; ++index) {
    // One launch in ten ends badly.
    const bool good = index % 10 != 9;
    const auto result = launch("steady", good ? "steady" : "crashes", plan_launch(1, index, shape));
    as_expected += std::holds_alternative<RunFailure>(result) != good ? 1 : 0;
    if (index == 30) {
      descriptors = tests::entries("/proc/self/fd");
      pages = resident_pages();
    }
  }
  EXPECT_EQ(as_expected, launches);
  EXPECT_EQ(tests::entries("/proc/self/fd"), descriptors);
  // A page per hundred launches is the allocator's play; a leak of one object per launch would be more. A few
  // launches say nothing, and a sanitizer keeps what was freed.
  if (chosen != nullptr) {
    EXPECT_LE(resident_pages(), pages + 256 + launches / 100);
  }
}

}  // namespace
}  // namespace tandem::runners
