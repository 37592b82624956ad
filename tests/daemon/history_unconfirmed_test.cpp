// Histories in which programs cannot be linked again or launched: neither a yes nor a no comes of that.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "builders/cache/budget.hpp"
#include "daemon/fake_history.hpp"
#include "daemon/walk/late_commits.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

using builders::RelinkFailure;
using runners::RunFailure;
using runners::Side;
using tests::at_cost;
using tests::Call;
using tests::FakeCommit;
using tests::FakeWalk;
using Texts = std::vector<std::string>;
using Unlinked = std::optional<RelinkFailure>;

const RelinkFailure killed{RelinkFailure::Kind::may_pass, "lld was killed by signal 9 (Killed)"};
const RelinkFailure refused{RelinkFailure::Kind::not_possible, "lld knows no such option"};

bool is_of_screen(std::uint64_t seed) {
  return seed < builders::first_fresh_layout;
}

/// c2 is slower by less than the bar of what cannot be relinked.
class UnlinkedHistory : public testing::Test {
 protected:
  UnlinkedHistory() {
    walk_.builder.layouts = true;
    walk_.examine({0, 1});
  }

  void fails_in_screens(const RelinkFailure& failure) {
    walk_.builder.unlinked = [=](const std::string& commit, std::uint64_t seed) {
      return commit == "c2" && is_of_screen(seed) ? Unlinked(failure) : std::nullopt;
    };
  }
  void fails_in_confirmations(const RelinkFailure& failure) {
    walk_.builder.unlinked = [=](const std::string& commit, std::uint64_t seed) {
      return commit == "c2" && !is_of_screen(seed) ? Unlinked(failure) : std::nullopt;
    };
  }
  void expect_confirmed() const {
    EXPECT_EQ(walk_.records(), (Texts{"regression open work c2 (c1..c2) 1.015"}));
    const Record record = walk_.record(RecordKind::regression, "c2");
    EXPECT_TRUE(record.confirmation.relinked);
    EXPECT_DOUBLE_EQ(record.confirmation.minimum_effect, 0.005);
  }

  FakeWalk walk_{{at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.015)}};
};

TEST_F(UnlinkedHistory, PutsACommitOffThatCannotBeLinkedAgainNow) {
  fails_in_screens(killed);
  EXPECT_THROW(walk_.examine({2}), Error);
  EXPECT_EQ(walk_.done(), (Texts{"c0", "c1"}));
  EXPECT_TRUE(walk_.store->verdicts(walk_.settings.key, "c2").empty());
  walk_.builder.unlinked = nullptr;
  walk_.examine({2});
  expect_confirmed();
}

TEST_F(UnlinkedHistory, MeasuresItAsBuiltWithItsLastTryButConfirmsItInNewLayouts) {
  fails_in_screens(killed);
  store::WaitingCommit waiting;
  waiting.commit = "c2";
  waiting.tries = most_tries - 1;
  walk_.store->save_waiting_commit(walk_.settings.key, waiting);
  walk_.examine({2});
  expect_confirmed();
}

TEST_F(UnlinkedHistory, LeavesWhatCanNeverBeRelinkedUnresolved) {
  walk_.rewrite({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.1)});
  fails_in_screens(refused);
  walk_.examine({2});
  EXPECT_EQ(walk_.records(), (Texts{"regression open work c2 (c1..c2) 1.100"}));
  const Record record = walk_.record(RecordKind::regression, "c2");
  EXPECT_EQ(record.layout.resolution, daemon::LayoutFacts::Resolution::unresolved);
  EXPECT_EQ(record.layout.words, "treatment: lld knows no such option");
  EXPECT_DOUBLE_EQ(record.confirmation.minimum_effect, 0.02);
}

TEST_F(UnlinkedHistory, ConfirmsLaterWhatCouldNotBeLinkedAnew) {
  fails_in_confirmations(killed);
  walk_.examine({2});
  EXPECT_EQ(walk_.records(), (Texts{"could not be confirmed noted work c2 (c1..c2) 1.000"}));
  EXPECT_EQ(walk_.record(RecordKind::unconfirmed, "c2").confirmation.failure, killed.sentence);
  EXPECT_EQ(walk_.done(), (Texts{"c0", "c1", "c2"}));
  ASSERT_EQ(walk_.store->waiting_requests().size(), 1u);
  walk_.builder.unlinked = nullptr;
  walk_.serve();
  expect_confirmed();
  EXPECT_TRUE(walk_.store->waiting_requests().empty());
}

TEST_F(UnlinkedHistory, GivesASuspectUpAfterItsLastTryAndLeavesItUnconfirmed) {
  fails_in_confirmations(killed);
  walk_.examine({2});
  for (std::size_t tries = 2; tries < most_tries; ++tries) {
    EXPECT_TRUE(walk_.serve().empty()) << "it waits on";
    EXPECT_EQ(walk_.record(RecordKind::unconfirmed, "c2").confirmation.tries, tries);
  }
  const auto answers = walk_.serve();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_NE(answers.front().find("could not be confirmed: " + killed.sentence), std::string::npos);
  EXPECT_TRUE(walk_.store->waiting_requests().empty());
  EXPECT_EQ(walk_.record(RecordKind::unconfirmed, "c2").confirmation.tries, most_tries);
}

TEST_F(UnlinkedHistory, ConfirmsAPostponedSuspectInNewLayouts) {
  walk_.settings.confirmation_time = std::chrono::seconds{0};
  walk_.restart();
  walk_.examine({2});
  EXPECT_EQ(walk_.record(RecordKind::postponed, "c2").layout.words, "4 per side");
  walk_.serve();
  expect_confirmed();
}

TEST_F(UnlinkedHistory, DropsTheLayoutsOfAConfirmation) {
  walk_.examine({2});
  expect_confirmed();
  const auto fresh = std::count_if(walk_.builder.relinked.begin(), walk_.builder.relinked.end(),
                                   [](const auto& one) { return !is_of_screen(one.second); });
  EXPECT_GT(fresh, 0);
  EXPECT_EQ(walk_.builder.dropped.size(), static_cast<std::size_t>(fresh));
}

TEST_F(UnlinkedHistory, DropsTheLayoutsOfAConfirmationThatFailed) {
  fails_in_confirmations(killed);
  walk_.examine({2});
  EXPECT_FALSE(walk_.builder.dropped.empty()) << "those of c1, which was linked before c2";
}

TEST_F(UnlinkedHistory, DoesNotDenyAChangeOfTheShippedLayoutThatItCouldNotLaunch) {
  walk_.rewrite({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1)});
  // The screen's layouts are slow, those of the confirmation are not; nobody knows of the one that was built.
  walk_.runner.log_ratio = [](const Call& call) {
    if (call.treatment != "c2" || call.treatment_layout == "builds") return 0.0;
    return is_of_screen(std::stoull(call.treatment_layout, nullptr, 16)) ? 0.1 : 0.0;
  };
  walk_.runner.fails = [](const Call& call) -> std::optional<RunFailure> {
    const bool as_built = call.kind == Call::Kind::launch && call.treatment_layout == "builds";
    return as_built ? std::optional(tests::crash_of(Side::treatment)) : std::nullopt;
  };
  walk_.examine({2});
  EXPECT_EQ(walk_.records(), (Texts{"could not be confirmed noted work c2 (c1..c2) 1.000"}));
}

/// One commit per cost: c0, c1, …
std::vector<FakeCommit> at_costs(const std::vector<double>& costs) {
  std::vector<FakeCommit> history;
  for (const double cost : costs) history.push_back(at_cost(fmt::format("c{}", history.size()), cost));
  return history;
}
const std::vector<double> one_step = {1, 1, 1, 1, 1, 1, 1, 1.1, 1.1};
const std::vector<double> two_steps = {1, 1, 1, 1.1, 1.1, 1.1, 1.21, 1.21, 1.21};

/// Launches of this pair fail.
std::function<std::optional<RunFailure>(const Call&)> fails_between(std::string control,
                                                                    std::string treatment) {
  return [=](const Call& call) -> std::optional<RunFailure> {
    const bool fails =
        call.kind == Call::Kind::launch && call.control == control && call.treatment == treatment;
    return fails ? std::optional(tests::crash_of(Side::treatment)) : std::nullopt;
  };
}

TEST(UnfinishedHunt, IsNoAccumulatedChange) {
  FakeWalk walk(at_costs(one_step));
  walk.runner.fails = fails_between("c6", "c7");
  walk.examine({0, 8});
  EXPECT_EQ(walk.records(), (Texts{"could not be confirmed noted work c8 (c6..c7) 1.000"}));
  walk.runner.fails = nullptr;
  walk.serve();
  EXPECT_EQ(walk.record(RecordKind::regression, "c7").state, RecordState::open);
  EXPECT_EQ(walk.record(RecordKind::unconfirmed, "c8").state, RecordState::superseded);
  EXPECT_TRUE(walk.store->waiting_requests().empty());
}

TEST(UnfinishedHunt, KeepsTheFirstOfTwoStepsAndComesBackForTheSecond) {
  FakeWalk walk(at_costs(two_steps));
  walk.runner.fails = fails_between("c3", "c8");
  walk.examine({0, 8});
  EXPECT_EQ(walk.record(RecordKind::regression, "c3").state, RecordState::open);
  EXPECT_EQ(walk.record(RecordKind::unconfirmed, "c8").state, RecordState::noted);
  ASSERT_EQ(walk.store->waiting_requests().size(), 1u);
  walk.runner.fails = nullptr;
  walk.serve();
  EXPECT_EQ(walk.record(RecordKind::regression, "c3").life.size(), 1u) << "told once";
  EXPECT_EQ(walk.record(RecordKind::regression, "c6").state, RecordState::open);
  EXPECT_EQ(walk.record(RecordKind::unconfirmed, "c8").state, RecordState::superseded);
}

TEST(UnfinishedHunt, SuspectsNoCommitThatCouldNotBeLinkedAnewNow) {
  FakeWalk walk(at_costs(one_step));
  walk.builder.layouts = true;
  walk.builder.unlinked = [](const std::string& commit, std::uint64_t) {
    return commit == "c6" || commit == "c7" ? Unlinked(killed) : std::nullopt;
  };
  walk.examine({0, 8});
  EXPECT_EQ(walk.record(RecordKind::unconfirmed, "c8").confirmation.failure, killed.sentence);
  EXPECT_EQ(walk.store->records({}).size(), 1u);
  walk.builder.unlinked = nullptr;
  walk.serve();
  EXPECT_EQ(walk.record(RecordKind::regression, "c7").state, RecordState::open);
}

TEST(UnfinishedHunt, SuspectsACommitThatCanNeverBeLinkedAnewTogetherWithTheNext) {
  FakeWalk walk(at_costs(one_step));
  walk.builder.layouts = true;
  walk.builder.unlinked = [](const std::string& commit, std::uint64_t) {
    return commit == "c6" ? Unlinked(refused) : std::nullopt;
  };
  walk.examine({0, 8});
  EXPECT_EQ(walk.records(), (Texts{"regression open work c7 (c5..c7) 1.100 or c6"}));
}

TEST(NearTrial, ThatFailedIsNoNo) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1)});
  // The screen against c0 is disturbed.
  walk.runner.log_ratio = [](const Call& call) {
    return call.control == "c0" && call.treatment == "c2" && call.count < 9 ? 0.1 : 0.0;
  };
  walk.runner.fails = fails_between("c1", "c2");
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"could not be confirmed noted work c2 (c1..c2) 1.000"}));
}

TEST(FarTrial, HasOnlyWhatTheNearOneLeftOfAlpha) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.1)});
  walk.runner.log_ratio = [](const Call& call) {
    return call.control == "c0" && call.treatment == "c2" ? 0.1 : 0.0;
  };
  walk.examine();
  const Record record = walk.record(RecordKind::accumulated, "c2");
  EXPECT_EQ(record.confirmation.control, "c0");
  EXPECT_EQ(record.confirmation.result.units, 32u) << "16 that agree do not suffice";
}

TEST(NearTrial, IsConfirmedAtItsFirstLook) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.1)});
  walk.examine();
  EXPECT_EQ(walk.record(RecordKind::regression, "c2").confirmation.result.units, 16u);
}

TEST(OwnSearch, WaitsOnABrokenHostWhereAPersonIsAnswered) {
  FakeWalk walk({at_cost("c0", 1), tests::with_fate("c1", FakeCommit::Fate::meets_a_full_disk)});
  walk.examine({0});
  Request request;
  request.kind = Request::Kind::bisect;
  request.key = walk.settings.key;
  request.against = "c0";
  request.commit = "c1";
  request.by = asked_by_tandem;
  request.origin = Request::Origin::tandem;
  walk.store->add_request(request);
  EXPECT_TRUE(walk.serve().empty());
  ASSERT_EQ(walk.store->waiting_requests().size(), 1u);
  walk.commits["c1"].fate = FakeCommit::Fate::runs;
  EXPECT_EQ(walk.serve().size(), 1u);
  // A person of that name is a person.
  walk.commits["c1"].fate = FakeCommit::Fate::meets_a_full_disk;
  request.origin = Request::Origin::person;
  walk.store->add_request(request);
  const auto answers = walk.serve();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers.front(), "no space is left on the device");
}

}  // namespace
}  // namespace tandem::daemon
