// Scripted histories walked from their first commit to their last, with the exact verdicts and records.
#include "daemon/walk/pipeline.hpp"
#include "daemon/records/record_json.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "daemon/fake_history.hpp"
#include "daemon/report/record_report.hpp"

namespace tandem::daemon {
namespace {

using tests::at_cost;
using tests::Call;
using tests::FakeCommit;
using tests::FakeWalk;
using tests::with_fate;
using Texts = std::vector<std::string>;
using Fate = FakeCommit::Fate;

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Pipeline, NamesTheThirdCommitThatIsSlower) {
  FakeWalk walk(
      {at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.1), at_cost("c3", 1.1), at_cost("c4", 1.1)});
  walk.examine();
  EXPECT_EQ(walk.verdicts(),
            (Texts{"c0 work new", "c1 work unchanged against c0", "c2 work slower against c0",
                   "c3 work unchanged against c2", "c4 work unchanged against c2"}));
  EXPECT_EQ(walk.records(), (Texts{"regression open work c2 (c1..c2) 1.100"}));
  EXPECT_EQ(walk.level(), "c2");
  EXPECT_EQ(walk.done(), (Texts{"c0", "c1", "c2", "c3", "c4"}));
}

TEST(Pipeline, WritesEverythingARecordNeeds) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.1)});
  walk.examine();
  const auto records = walk.store->records({});
  ASSERT_EQ(records.size(), 1u);
  const Record& record = records.front();
  EXPECT_EQ(record.id, record_id(walk.settings.key, "work", "time", "c2"));
  EXPECT_EQ(record.control.id, "c0") << "the screen's";
  EXPECT_EQ(record.treatment.id, "c2");
  EXPECT_EQ(record.culprit.subject, "Change of c2");
  EXPECT_EQ(record.culprit_probability, 1);
  EXPECT_EQ(record.url, walk.settings.url);
  EXPECT_EQ(record.screen.outcome, analysis::Outcome::slower);
  EXPECT_EQ(record.confirmation.result.outcome, analysis::ConfirmationOutcome::confirmed);
  EXPECT_EQ(record.confirmation.units.size(), 16u);
  EXPECT_EQ(record.control_build, "key of c1");
  EXPECT_EQ(record.treatment_build, "key of c2");
  EXPECT_EQ(record.reproduce, (Texts{"tandem", "compare", "/builds/c1", "/builds/c2", "--filter", "work"}));
  const auto folder = walk.directory.path() / "reports" / record.id;
  EXPECT_EQ(read(folder / "report.json"), report::record_json(record));
  EXPECT_EQ(read(folder / "report.md"), report::record_markdown(record));
}

TEST(Pipeline, TellsReportersOfEveryScreenAndOfWhatAConfirmationFound) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.1)});
  Texts told;
  walk.results = [&](const TrialResults& one) {
    using Type = TrialResults::Type;
    const std::string type = one.type == Type::benchmark ? "benchmark"
                             : one.type == Type::verify  ? "verify"
                                                         : "regress";
    ASSERT_EQ(one.run.series.size(), 1u);
    const auto& series = one.run.series.front().series;
    EXPECT_EQ(series.values.size(), series.control_values->size());
    EXPECT_EQ(series.type + " " + series.metric, "work time");
    told.push_back(type + " " + one.treatment.id + " against " + one.control.id);
  };
  walk.examine();
  EXPECT_EQ(told, (Texts{"benchmark c1 against c0", "benchmark c2 against c0", "regress c2 against c1"}));
}

TEST(Pipeline, MeasuresTheSecondTrialOnFreshLaunches) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1)});
  walk.examine();
  const auto screened = walk.store->verdicts(walk.settings.key, "c1").front().verdict.launches;
  EXPECT_EQ(walk.runner.launches_of("c0", "c0"), 6u) << "the A/A";
  EXPECT_EQ(walk.runner.launches_of("c0", "c1"), screened + 32) << "the screen, then 16 units";
}

TEST(Pipeline, ClosesARegressionWithTheCommitThatFixedIt) {
  FakeWalk walk(
      {at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1.1), at_cost("c3", 1), at_cost("c4", 1)});
  walk.examine();
  EXPECT_EQ(walk.verdicts(),
            (Texts{"c0 work new", "c1 work slower against c0", "c2 work unchanged against c1",
                   "c3 work faster against c1", "c4 work unchanged against c3"}));
  EXPECT_EQ(walk.records(), (Texts{"regression fixed work c1 (c0..c1) 1.100 fixed by c3",
                                   "improvement noted work c3 (c2..c3) 0.909"}));
  EXPECT_EQ(walk.level(), "c3");
  const auto fixed = walk.store->records({{}, {}, RecordKind::regression, {}}).front();
  EXPECT_NE(read(walk.directory.path() / "reports" / fixed.id / "report.md").find("fixed"), std::string::npos)
      << "the report of the regression is written again";
}

TEST(Pipeline, KnowsWhatIsLeftOfARegressionThatWasOnlyHalfUndone) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.2), at_cost("c2", 1.1)});
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"regression partly fixed work c1 (c0..c1) 1.200 1.100 left",
                                   "improvement noted work c2 (c1..c2) 0.917"}));
}

TEST(Pipeline, NotesAnImprovement) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 0.9), at_cost("c2", 0.9)});
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"improvement noted work c1 (c0..c1) 0.900"}));
  EXPECT_EQ(walk.level(), "c1");
  EXPECT_EQ(walk.verdicts().back(), "c2 work unchanged against c1");
}

TEST(Pipeline, DoesNotRunWhatIsIdenticalToTheControl) {
  FakeCommit comment = at_cost("c1", 1);
  comment.content = "content of c0";
  FakeWalk walk({at_cost("c0", 1), comment, at_cost("c2", 1)});
  walk.examine({0, 1});
  EXPECT_EQ(walk.verdicts(), (Texts{"c0 work new", "c1 work identical against c0"}));
  EXPECT_TRUE(walk.runner.launches().empty());
  walk.examine({2});
  EXPECT_EQ(walk.verdicts().back(), "c2 work unchanged against c0");
}

TEST(Pipeline, DoesNotRunWhatIsIdenticalToTheCommitBefore) {
  FakeCommit comment = at_cost("c2", 1);
  comment.content = "content of c1";
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), comment});
  walk.examine();
  EXPECT_EQ(walk.runner.launches_of("c0", "c2"), 0u);
  EXPECT_EQ(walk.store->verdicts(walk.settings.key, "c2").front().note, "to c1");
}

TEST(Pipeline, NotesASuspectThatWasNotReproduced) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1)});
  // As long as c1 is screened, something disturbs it.
  walk.runner.log_ratio = [](const Call& call) {
    return call.control == "c0" && call.treatment == "c1" && call.count < 9 ? 0.1 : 0.0;
  };
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"not reproduced noted work c1 (c0..c1) 1.000"}));
  EXPECT_EQ(walk.level(), "");
  EXPECT_EQ(walk.verdicts(),
            (Texts{"c0 work new", "c1 work slower against c0", "c2 work unchanged against c0"}));
  EXPECT_TRUE(walk.store->records({{}, {}, {}, RecordState::open}).empty());
}

TEST(Pipeline, NotesSmallStepsThatAddUp) {
  // Each is 1.5 % and the margin is 5 %: three of them are enough.
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.015), at_cost("c2", 1.03), at_cost("c3", 1.045),
                 at_cost("c4", 1.045)},
                0.05);
  walk.examine();
  EXPECT_EQ(walk.verdicts(),
            (Texts{"c0 work new", "c1 work unchanged against c0", "c2 work unchanged against c0",
                   "c3 work slower against c0", "c4 work unchanged against c3"}));
  EXPECT_EQ(walk.records(), (Texts{"accumulated open work c3 (c0..c3) 1.045"}));
  EXPECT_EQ(walk.level(), "c3");
}

TEST(Pipeline, ClosesWhatHasAccumulatedWhenItIsUndone) {
  FakeWalk walk(
      {at_cost("c0", 1), at_cost("c1", 1.015), at_cost("c2", 1.03), at_cost("c3", 1.045), at_cost("c4", 1)},
      0.05);
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"accumulated fixed work c3 (c0..c3) 1.045 fixed by c4",
                                   "improvement noted work c4 (c3..c4) 0.957"}));
}

TEST(Pipeline, FindsASlowdownInTheFirstCommitOfAWeek) {
  std::vector<FakeCommit> history = {at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.1),
                                     at_cost("c3", 1.1)};
  history[2].days = history[3].days = 7;
  FakeWalk walk(history);
  walk.examine();
  EXPECT_EQ(walk.verdicts(), (Texts{"c0 work new", "c1 work unchanged against c0",
                                    "c2 work slower against c0", "c3 work unchanged against c2"}));
  EXPECT_EQ(walk.records(), (Texts{"regression open work c2 (c1..c2) 1.100"}));
}

TEST(Pipeline, NotesBenchmarksThatAppearAndVanish) {
  FakeWalk walk({{"c0", {{"old", 1}, {"work", 1}}},
                 {"c1", {{"new", 1}, {"work", 1}}},
                 {"c2", {{"new", 1.1}, {"work", 1}}}});
  walk.examine();
  EXPECT_EQ(walk.verdicts(),
            (Texts{"c0 old new", "c0 work new", "c1 new new", "c1 work unchanged against c0",
                   "c1 old missing against c0", "c2 work unchanged against c0", "c2 new slower against c1"}))
      << "a missing benchmark is said once, a new one is compared from then on";
  EXPECT_EQ(walk.records(), (Texts{"regression open new c2 (c1..c2) 1.100"}));
}

TEST(Pipeline, MeasuresOnlyWhereNoRecordsAreAskedFor) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1.1)});
  walk.settings.records = WalkSettings::Records::none;
  walk.examine();
  EXPECT_EQ(walk.verdicts(),
            (Texts{"c0 work new", "c1 work slower against c0", "c2 work slower against c0"}));
  EXPECT_TRUE(walk.records().empty());
  EXPECT_EQ(walk.level(), "");
  EXPECT_LE(walk.runner.launches_of("c0", "c1"), 66u);
}

TEST(Pipeline, ConfirmsTheLargestChangeFirst) {
  FakeWalk walk({{"c0", {{"a", 1}, {"b", 1}}}, {"c1", {{"a", 1.1}, {"b", 1.5}}}});
  walk.examine();
  EXPECT_EQ(walk.runner.launches().back().benchmark, "a");
  EXPECT_EQ(walk.records(),
            (Texts{"regression open b c1 (c0..c1) 1.500", "regression open a c1 (c0..c1) 1.100"}));
  const auto records = walk.store->records({});
  EXPECT_EQ(records[0].incident, records[1].incident) << "one commit, one incident";
}

TEST(Pipeline, MeasuresTheBenchmarksOfOneProcessTogether) {
  FakeWalk walk({{"c0", {{"a", 1}, {"b", 1}}}, {"c1", {{"a", 1}, {"b", 1.1}}}});
  walk.runner.protocol = runners::Protocol::observer;
  walk.examine();
  EXPECT_EQ(walk.verdicts(),
            (Texts{"c0 a new", "c0 b new", "c1 a unchanged against c0", "c1 b slower against c0"}));
  EXPECT_EQ(walk.records(), (Texts{"regression open b c1 (c0..c1) 1.100"}));
  EXPECT_EQ(walk.runner.launches_of("c0", "c0"), 6u);
}

TEST(Pipeline, KnowsThatLessThroughputIsWorse) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 0.9), at_cost("c2", 1)});
  walk.runner.metric = {"rate", "1/s", specs::Direction::higher_is_better};
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"regression fixed work c1 (c0..c1) 0.900 fixed by c2",
                                   "improvement noted work c2 (c1..c2) 1.111"}));
}

TEST(Pipeline, ComparesWithTheParentWhenAsked) {
  FakeWalk walk(
      {at_cost("c0", 1), with_fate("c1", Fate::does_not_build), at_cost("c2", 1), at_cost("c3", 1)});
  walk.settings.control = config::ControlRule::parent;
  walk.examine();
  EXPECT_EQ(walk.verdicts(),
            (Texts{"c0 work new", "c2 work unchanged against c0", "c3 work unchanged against c2"}));
}

TEST(Pipeline, ComparesWithAFixedCommitWhenAsked) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1), at_cost("c3", 1)});
  walk.settings.control = config::ControlRule::fixed;
  walk.settings.base_commit = "c1";
  walk.examine();
  EXPECT_EQ(walk.verdicts(), (Texts{"c0 work new", "c1 work new", "c2 work unchanged against c1",
                                    "c3 work unchanged against c1"}));
}

}  // namespace
}  // namespace tandem::daemon
