#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <set>
#include <string>

#include "daemon/walk/control.hpp"

namespace tandem::daemon {
namespace {

constexpr std::int64_t monday = 1'704'672'000;  // Monday 2024-01-08 00:00:00 UTC
constexpr std::int64_t day = 86'400;
constexpr std::int64_t week = 7 * day;
constexpr std::int64_t late = monday + 52 * week;

Line line_at(const std::vector<std::int64_t>& times, std::int64_t now = late) {
  std::vector<builders::Commit> commits;
  for (std::size_t i = 0; i < times.size(); ++i) {
    builders::Commit commit;
    commit.id = "c" + std::to_string(i);
    commit.committer_time = times[i];
    commits.push_back(commit);
  }
  return make_line(std::move(commits), now);
}

using Position = std::optional<std::size_t>;

ControlQuestion question_about(std::size_t treatment, std::set<std::size_t> unusable = {}) {
  ControlQuestion question;
  question.treatment = treatment;
  question.usable = [unusable = std::move(unusable)](std::size_t at) { return !unusable.contains(at); };
  return question;
}

/// The control of every commit of the line, nothing else being known.
std::vector<Position> controls_of(const Line& line, const std::set<std::size_t>& unusable = {}) {
  std::vector<Position> controls;
  for (std::size_t at = 0; at < line.commits.size(); ++at) {
    controls.push_back(control_by(config::ControlRule::week, line, question_about(at, unusable)));
  }
  return controls;
}

constexpr std::nullopt_t none = std::nullopt;

TEST(Week, BeginsOnMondayAtMidnight) {
  const Line line = line_at({monday - 1, monday, monday + week - 1, monday + week});
  EXPECT_EQ(line.weeks[0] + 1, line.weeks[1]);
  EXPECT_EQ(line.weeks[1], line.weeks[2]);
  EXPECT_EQ(line.weeks[2] + 1, line.weeks[3]);
}

TEST(Week, OfACommitFromTheFutureStaysTheOneInWhichItWasFirstSeen) {
  const std::vector<std::int64_t> times = {monday, monday + 500 * week, monday + 2 * week, monday + 3 * week};
  const std::int64_t fetched = monday + week + day;
  const Line then = line_at({times[0], times[1]}, fetched);
  EXPECT_EQ(dated_after(then, fetched, {}), std::vector<std::string>{"c1"});
  EXPECT_TRUE(dated_after(then, fetched, {{"c1", fetched}}).empty());

  const Line later = make_line(line_at(times).commits, monday + 3 * week + day, {{"c1", fetched}});
  EXPECT_EQ(later.weeks, (std::vector<std::int64_t>{later.weeks[0], later.weeks[0] + 1, later.weeks[0] + 2,
                                                    later.weeks[0] + 3}));
  EXPECT_EQ(controls_of(later), (std::vector<Position>{none, 0, 1, 2})) << "each week begins with its own";
  const Line unknown = line_at(times, monday + 3 * week + day);
  EXPECT_EQ(unknown.weeks[1], unknown.weeks[3]) << "without the time of its fetch it holds all after it";
}

TEST(Week, NeverGoesBackAlongTheLine) {
  const Line line =
      line_at({monday + week, monday - 3 * week, monday + week + day, monday, monday + 2 * week});
  EXPECT_EQ(line.weeks, (std::vector<std::int64_t>{line.weeks[0], line.weeks[0], line.weeks[0], line.weeks[0],
                                                   line.weeks[0] + 1}));
}

TEST(Week, IsNotAfterNow) {
  const Line line = line_at({monday, monday + 40 * week, monday + day, monday + 2 * day}, monday + 3 * day);
  EXPECT_EQ(line.weeks, std::vector<std::int64_t>(4, line.weeks[0]));
}

TEST(Week, CountsBackwardsBeforeTheFirstMonday) {
  constexpr std::int64_t first_monday = 4 * day;
  const Line line = line_at({first_monday - week - 1, first_monday - week, -1, 0, first_monday - 1,
                             first_monday, first_monday + week});
  EXPECT_EQ(line.weeks, (std::vector<std::int64_t>{-2, -1, -1, -1, -1, 0, 1}));
}

TEST(Week, SurvivesTheEndsOfTime) {
  EXPECT_EQ(line_at({-(std::int64_t{1} << 60), monday}).weeks.size(), 2u);
  EXPECT_EQ(line_at({INT64_MAX, INT64_MAX}, monday).weeks[0], line_at({monday}).weeks[0]);
}

TEST(ControlByWeek, TakesTheFirstOfTheWeek) {
  const Line line = line_at({monday, monday + day, monday + 2 * day, monday + week - 1});
  EXPECT_EQ(controls_of(line), (std::vector<Position>{none, 0, 0, 0}));
}

TEST(ControlByWeek, HandsOverThroughTheFirstOfTheNextWeek) {
  // Sunday's last second still belongs to the week before; Monday's first does not.
  const Line line =
      line_at({monday, monday + day, monday + week - 1, monday + week, monday + week + 1, monday + 8 * day});
  EXPECT_EQ(controls_of(line), (std::vector<Position>{none, 0, 0, 0, 3, 3}));
}

TEST(ControlByWeek, ReachesOverEmptyWeeks) {
  const Line line = line_at({monday, monday + day, monday + 5 * week, monday + 5 * week + day});
  EXPECT_EQ(controls_of(line), (std::vector<Position>{none, 0, 0, 2}));
}

TEST(ControlByWeek, LetsTheNextServeWhereTheFirstOfTheWeekDoesNotBuild) {
  const Line line =
      line_at({monday, monday + day, monday + week, monday + week + day, monday + week + 2 * day});
  EXPECT_EQ(controls_of(line, {2}), (std::vector<Position>{none, 0, 0, 0, 3}));
}

TEST(ControlByWeek, ReachesOverAWeekInWhichNothingBuilds) {
  const Line line = line_at({monday, monday + week, monday + week + day, monday + 2 * week});
  EXPECT_EQ(control_by(config::ControlRule::week, line, question_about(3, {1, 2})), Position(0));
}

TEST(ControlByWeek, TakesTheFirstCommitThatHasTheBenchmark) {
  const Line line = line_at({monday, monday + day, monday + 2 * day, monday + 3 * day});
  EXPECT_EQ(controls_of(line, {0, 1}), (std::vector<Position>{none, none, none, 2}));
}

TEST(ControlByWeek, HasNoneAtTheStartOfTheLine) {
  const Line line = line_at({monday, monday + day});
  EXPECT_EQ(control_by(config::ControlRule::week, line, question_about(0)), none);
  EXPECT_EQ(control_by(config::ControlRule::week, line, question_about(1, {0})), none);
}

TEST(ControlByWeek, PrefersALaterConfirmedStep) {
  const Line line = line_at({monday, monday + day, monday + 2 * day, monday + 3 * day, monday + 4 * day});
  ControlQuestion question = question_about(4);
  question.level = 2;
  EXPECT_EQ(control_by(config::ControlRule::week, line, question), Position(2));
}

TEST(ControlByWeek, ForgetsAStepOfAnEarlierWeek) {
  const Line line = line_at({monday, monday + day, monday + week, monday + week + day});
  ControlQuestion question = question_about(3);
  question.level = 1;
  EXPECT_EQ(control_by(config::ControlRule::week, line, question), Position(2));
  question.treatment = 2;
  EXPECT_EQ(control_by(config::ControlRule::week, line, question), Position(1))
      << "the first of a week meets the step before it";
}

TEST(ControlByWeek, PrefersALaterBaseCommit) {
  const Line line = line_at({monday, monday + day, monday + 2 * day, monday + 3 * day});
  ControlQuestion question = question_about(3);
  question.base = 1;
  EXPECT_EQ(control_by(config::ControlRule::week, line, question), Position(1));
  question.level = 2;
  EXPECT_EQ(control_by(config::ControlRule::week, line, question), Position(2)) << "the step is later still";
}

TEST(ControlByWeek, IsAStrictAncestor) {
  const Line line = line_at({monday, monday + day, monday + 2 * day});
  ControlQuestion question = question_about(1);
  question.level = 1;
  question.base = 2;
  EXPECT_EQ(control_by(config::ControlRule::week, line, question), Position(0));
}

TEST(ControlByWeek, IgnoresStepAndBaseThatCannotServe) {
  const Line line = line_at({monday, monday + day, monday + 2 * day, monday + 3 * day});
  ControlQuestion question = question_about(3, {1, 2});
  question.level = 2;
  question.base = 1;
  EXPECT_EQ(control_by(config::ControlRule::week, line, question), Position(0));
}

TEST(ControlByWeek, TakesTheNextAfterAStepThatCannotServe) {
  const Line line = line_at({monday, monday + day, monday + 2 * day, monday + 3 * day, monday + 4 * day});
  ControlQuestion question = question_about(4, {1});
  question.level = 1;
  EXPECT_EQ(control_by(config::ControlRule::week, line, question), Position(2));
  question.base = 0;
  EXPECT_EQ(control_by(config::ControlRule::fixed, Line{}, question), Position(2));
  question.treatment = 2;
  EXPECT_EQ(control_by(config::ControlRule::week, line, question), Position(0)) << "it is not there yet";
}

TEST(ControlByParent, TakesTheNearestThatCanServe) {
  EXPECT_EQ(control_by(config::ControlRule::parent, Line{}, question_about(4)), Position(3));
  EXPECT_EQ(control_by(config::ControlRule::parent, Line{}, question_about(4, {2, 3})), Position(1));
  EXPECT_EQ(control_by(config::ControlRule::parent, Line{}, question_about(2, {0, 1})), none);
  EXPECT_EQ(control_by(config::ControlRule::parent, Line{}, question_about(0)), none);
}

Record step_at(std::size_t position, RecordKind kind, RecordState state) {
  Record record;
  record.kind = kind;
  record.state = state;
  record.treatment.id = record.culprit.id = "c" + std::to_string(position);
  return record;
}

TEST(LevelBefore, IsTheLastStepThatStands) {
  const Line line = line_at({monday, monday + 1, monday + 2, monday + 3});
  const auto level = [&](RecordKind kind, RecordState state) {
    const std::vector<Record> records = {step_at(2, kind, state),
                                         step_at(1, RecordKind::improvement, RecordState::noted)};
    return level_before(line, 3, records);
  };
  for (const RecordState state : {RecordState::open, RecordState::acknowledged, RecordState::partly_fixed,
                                  RecordState::fixed, RecordState::recovered, RecordState::accepted}) {
    EXPECT_EQ(level(RecordKind::regression, state), Position(2)) << name_of(state);
  }
  EXPECT_EQ(level(RecordKind::accumulated, RecordState::noted), Position(2));
  EXPECT_EQ(level(RecordKind::regression, RecordState::false_alarm), Position(1));
  EXPECT_EQ(level(RecordKind::regression, RecordState::superseded), Position(1));
  for (const RecordKind kind : {RecordKind::layout, RecordKind::not_reproduced, RecordKind::postponed}) {
    EXPECT_EQ(level(kind, RecordState::noted), Position(1)) << name_of(kind);
  }
}

TEST(LevelBefore, LiesBeforeTheTreatmentWhichMayBeOnePastTheEnd) {
  const Line line = line_at({monday, monday + 1, monday + 2});
  const std::vector<Record> records = {step_at(0, RecordKind::regression, RecordState::open),
                                       step_at(2, RecordKind::regression, RecordState::open),
                                       step_at(9, RecordKind::regression, RecordState::open)};
  EXPECT_EQ(level_before(line, 0, records), none);
  EXPECT_EQ(level_before(line, 2, records), Position(0));
  EXPECT_EQ(level_before(line, 3, records), Position(2));
  EXPECT_EQ(level_before(line, 3, {}), none);
}

TEST(ALine, FindsACommitByItsWholeId) {
  const Line line = line_at({monday, monday + 1});
  EXPECT_EQ(line.position("c1"), Position(1));
  EXPECT_EQ(line.position("c"), none);
}

class InTimeZone : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const char* zone = std::getenv("TZ")) before_ = zone;
    ::setenv("TZ", GetParam(), 1);
    ::tzset();
  }
  void TearDown() override {
    before_ ? ::setenv("TZ", before_->c_str(), 1) : ::unsetenv("TZ");
    ::tzset();
  }

 private:
  std::optional<std::string> before_;
};

TEST_P(InTimeZone, TheWeekIsTheSame) {
  const Line line = line_at({monday - 1, monday, monday + week - 1, monday + week, monday + week + 1});
  EXPECT_EQ(line.weeks, (std::vector<std::int64_t>{2817, 2818, 2818, 2819, 2819}));
  EXPECT_EQ(controls_of(line), (std::vector<Position>{none, 0, 1, 1, 3}));
}

INSTANTIATE_TEST_SUITE_P(Everywhere, InTimeZone,
                         testing::Values("UTC", "Asia/Tokyo", "America/Los_Angeles", "Pacific/Kiritimati"));

TEST(TagControl, IsTheLastTaggedCommitBeforeTheTreatment) {
  Line line = line_at({monday, monday, monday, monday, monday, monday});
  line.tagged = {1, 3};
  EXPECT_EQ(control_by(config::ControlRule::tag, line, question_about(5)), Position{3});
  EXPECT_EQ(control_by(config::ControlRule::tag, line, question_about(3)), Position{1})
      << "a tagged commit is judged, too";
  EXPECT_EQ(control_by(config::ControlRule::tag, line, question_about(5, {3})), Position{1})
      << "one that does not build";
  EXPECT_EQ(control_by(config::ControlRule::tag, line, question_about(1)), Position{0})
      << "before the first tag";
  EXPECT_EQ(control_by(config::ControlRule::tag, line, question_about(0)), none);
}

TEST(TagControl, GivesWayToALaterLevel) {
  Line line = line_at({monday, monday, monday, monday, monday});
  line.tagged = {1};
  ControlQuestion question = question_about(4);
  question.level = 3;
  EXPECT_EQ(control_by(config::ControlRule::tag, line, question), Position{3});
  question.level = 0;
  EXPECT_EQ(control_by(config::ControlRule::tag, line, question), Position{1});
}

TEST(BaseControl, StaysUntilTheLevelMoves) {
  ControlQuestion question = question_about(4);
  question.base = 1;
  EXPECT_EQ(control_by(config::ControlRule::fixed, Line{}, question), Position{1});
  question.level = 2;
  EXPECT_EQ(control_by(config::ControlRule::fixed, Line{}, question), Position{2});
  question.base = 4;
  question.level.reset();
  EXPECT_EQ(control_by(config::ControlRule::fixed, Line{}, question), none);
}

TEST(BaseControl, IsTheFirstCommitAfterItThatHasTheBenchmark) {
  ControlQuestion question = question_about(4, {1, 2});
  question.base = 1;
  EXPECT_EQ(control_by(config::ControlRule::fixed, Line{}, question), Position{3});
  question = question_about(2, {1});
  question.base = 1;
  EXPECT_EQ(control_by(config::ControlRule::fixed, Line{}, question), none);
}

TEST(Line, OfAllCommitsKnowsWhichOnesLeadToAnother) {
  Line line = line_at({monday, monday, monday});
  EXPECT_TRUE(line.leads_to(0, 2));
  EXPECT_FALSE(line.leads_to(2, 2));
  line.is_ancestor = [](std::size_t one, std::size_t) { return one == 0; };
  EXPECT_TRUE(line.leads_to(0, 2));
  EXPECT_FALSE(line.leads_to(1, 2));
}

}  // namespace
}  // namespace tandem::daemon
