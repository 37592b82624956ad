#include "daemon/measure/confirmation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "daemon/fake_runner.hpp"

namespace tandem::daemon {
namespace {

using analysis::ConfirmationOutcome;
using runners::RunFailure;
using runners::Side;
using tests::Call;

constexpr double bar = 0.02;

class Confirming : public testing::Test {
 protected:
  Confirming() {
    runners::ProgramPair pair;
    pair.control = "/builds/control";
    pair.treatment = "/builds/treatment";
    task_.pair = [pair](std::uint64_t) { return pair; };
    task_.benchmark = task_.subject.benchmark = "work";
    task_.minimum_effect = bar;
    task_.seed = 7;
  }

  std::variant<ConfirmationRecord, RunFailure> run() {
    return confirm_suspect(
        runner_, task_, [this](const ScreeningProgress& progress) { shown_.push_back(progress); },
        stop_.get_token());
  }
  ConfirmationRecord confirmed() {
    auto result = run();
    if (auto* failure = std::get_if<RunFailure>(&result)) {
      ADD_FAILURE() << failure->what;
      return {};
    }
    return std::get<ConfirmationRecord>(result);
  }
  RunFailure failed() {
    auto result = run();
    if (auto* failure = std::get_if<RunFailure>(&result)) return *failure;
    ADD_FAILURE() << "the confirmation came to an end";
    return {};
  }
  /// Units before `turn` show one effect, later ones another.
  void units_are(double early, std::uint64_t turn, double later) {
    runner_.log_ratio = [=](const Call& call) { return call.plan.index < turn ? early : later; };
  }
  void fail_launches(std::set<std::size_t> counts) {
    runner_.fails = [counts = std::move(counts)](const Call& call) -> std::optional<RunFailure> {
      return counts.contains(call.count) ? std::optional(tests::crash_of(Side::treatment)) : std::nullopt;
    };
  }

  tests::FakeRunner runner_;
  ConfirmationTask task_;
  std::stop_source stop_;
  std::vector<ScreeningProgress> shown_;
};

struct Look {
  const char* name;
  double early;
  std::uint64_t turn;
  double later;
  ConfirmationOutcome outcome;
  std::size_t units;
};

class ConfirmingLooks : public Confirming, public testing::WithParamInterface<Look> {};

TEST_P(ConfirmingLooks, EndsAtAPlannedLookWithTwoLaunchesAUnit) {
  const Look& look = GetParam();
  units_are(look.early, look.turn, look.later);
  const ConfirmationRecord record = confirmed();
  EXPECT_EQ(record.result.outcome, look.outcome);
  EXPECT_EQ(record.result.units, look.units);
  EXPECT_EQ(record.result.next_look, 0u);
  EXPECT_EQ(record.units.size(), look.units);
  EXPECT_EQ(runner_.calls.size(), 2 * look.units);
  EXPECT_EQ(record.minimum_effect, bar);
}

// Between half of the bar and the bar nothing is decided before the last look.
INSTANTIATE_TEST_SUITE_P(
    Table, ConfirmingLooks,
    testing::Values(Look{"confirmed_at_16", 0.1, 0, 0.1, ConfirmationOutcome::confirmed, 16},
                    Look{"futile_at_16", 0.004, 0, 0.004, ConfirmationOutcome::not_reproduced, 16},
                    Look{"the_other_way_at_16", -0.1, 0, -0.1, ConfirmationOutcome::not_reproduced, 16},
                    Look{"confirmed_at_32", 0.015, 16, 0.05, ConfirmationOutcome::confirmed, 32},
                    Look{"futile_at_32", 0.015, 16, -0.05, ConfirmationOutcome::not_reproduced, 32},
                    Look{"confirmed_at_64", 0.015, 32, 0.05, ConfirmationOutcome::confirmed, 64},
                    Look{"too_small_at_64", 0.015, 0, 0.015, ConfirmationOutcome::not_reproduced, 64}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_F(Confirming, PutsTheTwoLaunchesOfAUnitIntoOppositeSlots) {
  units_are(0.1, 0, 0.1);
  static_cast<void>(confirmed());
  std::set<std::uint64_t> seeds;
  for (std::size_t i = 0; i + 1 < runner_.calls.size(); i += 2) {
    const auto& one = runner_.calls[i].plan;
    const auto& other = runner_.calls[i + 1].plan;
    EXPECT_EQ(one.index, i / 2);
    EXPECT_EQ(other.index, i / 2);
    EXPECT_EQ(other.first_slot, runners::other(one.first_slot));
    EXPECT_EQ(other.padding_bytes, one.padding_bytes);
    EXPECT_EQ(other.program_seed, one.program_seed);
    seeds.insert(one.program_seed);
  }
  EXPECT_EQ(seeds.size(), 16u) << "every unit has fresh data";
}

TEST_F(Confirming, AveragesASlotBiasAway) {
  runner_.log_ratio = [](const Call& call) { return call.plan.first_slot == Side::control ? 0.3 : -0.3; };
  const ConfirmationRecord record = confirmed();
  EXPECT_EQ(record.result.outcome, ConfirmationOutcome::not_reproduced);
  for (const double unit : record.units) EXPECT_NEAR(unit, 0, 1e-12);
}

TEST_F(Confirming, ConfirmsAFasterStep) {
  task_.suspected = analysis::Direction::faster;
  units_are(-0.1, 0, -0.1);
  const ConfirmationRecord record = confirmed();
  EXPECT_EQ(record.result.outcome, ConfirmationOutcome::confirmed);
  EXPECT_NEAR(record.result.ratio.estimate, std::exp(-0.1), 1e-9);
}

TEST_F(Confirming, SpeaksOfCostsWhereMoreIsBetter) {
  task_.metric = runner_.metric = {"rate", "1/s", specs::Direction::higher_is_better};
  units_are(std::log(0.9), 0, std::log(0.9));
  const ConfirmationRecord record = confirmed();
  EXPECT_EQ(record.result.outcome, ConfirmationOutcome::confirmed);
  EXPECT_NEAR(record.result.ratio.estimate, 1 / 0.9, 1e-9);
}

TEST_F(Confirming, LooksOnlyAtItsOwnBenchmark) {
  task_.subject.protocol = runner_.protocol = runners::Protocol::observer;
  runner_.benchmarks = [](const auto&) { return std::vector<std::string>{"other", "work", "last"}; };
  runner_.log_ratio = [](const Call& call) { return call.benchmark == "work" ? 0.1 : -0.5; };
  EXPECT_EQ(confirmed().result.outcome, ConfirmationOutcome::confirmed);
}

TEST_F(Confirming, MakesUpForALostUnit) {
  units_are(0.1, 0, 0.1);
  fail_launches({5});  // the second launch of the third unit
  const ConfirmationRecord record = confirmed();
  EXPECT_EQ(record.result.outcome, ConfirmationOutcome::confirmed);
  EXPECT_EQ(record.units.size(), 16u);
  EXPECT_EQ(runner_.calls.size(), 34u);
  EXPECT_EQ(runner_.calls.back().plan.index, 16u) << "the lost unit's number is not used again";
}

TEST_F(Confirming, DoesNotRunTheSecondLaunchOfALostUnit) {
  units_are(0.1, 0, 0.1);
  fail_launches({4});
  EXPECT_EQ(confirmed().units.size(), 16u);
  EXPECT_EQ(runner_.calls.size(), 33u);
}

TEST_F(Confirming, FailsWhenUnitsAreLostTooOften) {
  units_are(0.1, 0, 0.1);
  fail_launches({0, 1});
  const RunFailure failure = failed();
  EXPECT_EQ(failure.reason, RunFailure::Reason::crashed);
  EXPECT_EQ(failure.side, Side::treatment);
  EXPECT_EQ(runner_.calls.size(), 2u);
}

TEST_F(Confirming, FailsWhenTheBenchmarkIsNotAmongTheResults) {
  task_.benchmark = "gone";
  const RunFailure failure = failed();
  EXPECT_EQ(failure.reason, RunFailure::Reason::protocol);
  EXPECT_EQ(runner_.calls.size(), 4u);
}

TEST_F(Confirming, FailsWhenALaunchLacksAMetricThatHasARuleOfItsOwn) {
  task_.metric.name = "size";
  const auto result = confirm_exactly(runner_, task_, stop_.get_token());
  ASSERT_TRUE(std::holds_alternative<RunFailure>(result));
  EXPECT_EQ(std::get<RunFailure>(result).what, "a launch gave no size of both sides");
}

/// Beside units without a change, launches of the pair as it was built, in a folder of its own.
class ConfirmingAsBuilt : public Confirming {
 protected:
  ConfirmingAsBuilt() {
    runners::ProgramPair pair;
    pair.control = "/shipped/control";
    pair.treatment = "/shipped/treatment";
    task_.as_built = pair;
  }
  void lose_as_built(std::size_t lost) {
    runner_.fails = [lost, seen = std::size_t{0}](const Call& call) mutable -> std::optional<RunFailure> {
      if (call.treatment_layout != "shipped" || seen++ >= lost) return std::nullopt;
      return tests::crash_of(Side::treatment);
    };
  }
};

TEST_F(ConfirmingAsBuilt, MakesUpForLostLaunches) {
  lose_as_built(3);
  const ConfirmationRecord record = confirmed();
  EXPECT_EQ(record.result.outcome, ConfirmationOutcome::not_reproduced);
  EXPECT_EQ(record.as_built.size(), 5u);
}

TEST_F(ConfirmingAsBuilt, FailsWhenTooFewAreLeftToTellAChangeOfThatLayout) {
  lose_as_built(5);
  EXPECT_EQ(failed().what, "of 8 launches as it was built only 3 gave a value");
}

TEST_F(ConfirmingAsBuilt, NeedsNoneToConfirm) {
  units_are(0.1, 0, 0.1);
  lose_as_built(4);
  EXPECT_EQ(confirmed().result.outcome, ConfirmationOutcome::confirmed);
}

TEST_F(Confirming, StopsAtOnce) {
  runner_.before_call = [this] {
    if (runner_.calls.size() == 6) stop_.request_stop();
  };
  EXPECT_EQ(failed().reason, RunFailure::Reason::stopped);
  EXPECT_EQ(runner_.calls.size(), 6u);
}

TEST_F(Confirming, ShowsTheNextLookAsTheMost) {
  units_are(0.015, 16, 0.05);
  static_cast<void>(confirmed());
  ASSERT_EQ(shown_.size(), 32u);
  EXPECT_EQ(shown_[15].launch, 16u);
  EXPECT_EQ(shown_[15].most, 16u);
  EXPECT_EQ(shown_[16].most, 32u);
  EXPECT_EQ(shown_[16].phase, ScreeningProgress::Phase::confirming);
}

}  // namespace
}  // namespace tandem::daemon
