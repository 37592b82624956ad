#include <gtest/gtest.h>

#include <map>
#include <set>

#include "daemon/records/life.hpp"
#include "daemon/report/sample_record.hpp"

namespace tandem::daemon {
namespace {

constexpr std::int64_t some_day = 1'710'000'000;

/// A branch of these commits, some of which bring known patches.
struct Branch {
  std::set<std::string> commits;
  std::map<std::string, builders::Commit> patches;

  [[nodiscard]] RewrittenBranch seen() const {
    return {[this](const std::string& commit) { return commits.contains(commit); },
            [this](const std::string& patch) -> std::optional<builders::Commit> {
              const auto found = patches.find(patch);
              return found == patches.end() ? std::nullopt : std::optional(found->second);
            }};
  }
};

Record sample(RecordState state) {
  Record record = tests::sample_regression();
  record.state = state;
  record.life.front().state = state;
  record.culprit_patch = "patch";
  return record;
}

const builders::Commit again = tests::sample_commit('8', "Keep rows of softmax in vectors");
const Branch with_patch = {{again.id}, {{"patch", again}}};
const Branch without_patch = {{again.id}, {}};

TEST(ARewrittenBranch, CarriesALivingRecordToTheCommitWithTheSamePatch) {
  const Record old = sample(RecordState::acknowledged);
  const auto changed = carried_over({old}, with_patch.seen(), some_day);
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0].id, old.id);
  EXPECT_EQ(changed[0].state, RecordState::superseded);
  EXPECT_EQ(changed[0].life.back().at, some_day);
  EXPECT_EQ(changed[0].life.back().commit, again.id);
  EXPECT_NE(changed[0].life.back().reason.find(changed[1].id), std::string::npos);
  const Record& copy = changed[1];
  EXPECT_EQ(copy.id, record_id(old.key, old.benchmark, old.metric.name, again.id));
  EXPECT_EQ(copy.incident, record_id(old.key, {}, {}, again.id));
  EXPECT_EQ(copy.state, RecordState::acknowledged);
  EXPECT_EQ(copy.life.size(), old.life.size());
  EXPECT_EQ(copy.culprit.id, again.id);
  EXPECT_EQ(copy.treatment.id, again.id);
  EXPECT_EQ(copy.ratio.estimate, old.ratio.estimate);
}

TEST(ARewrittenBranch, SupersedesWhatItNoLongerHas) {
  const auto changed = carried_over({sample(RecordState::open)}, without_patch.seen(), some_day);
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].state, RecordState::superseded);
  EXPECT_EQ(changed[0].life.back().reason, "its commit is no longer on the branch");
  Record unknown = sample(RecordState::open);
  unknown.culprit_patch.clear();
  Branch branch = with_patch;
  branch.patches.emplace("", again);
  EXPECT_EQ(carried_over({unknown}, branch.seen(), some_day).size(), 1u) << "no patch is not the same patch";
}

TEST(ARewrittenBranch, LeavesAloneWhatItStillHas) {
  const Record record = sample(RecordState::open);
  Branch branch = with_patch;
  branch.commits.insert(record.culprit.id);
  EXPECT_TRUE(carried_over({record}, branch.seen(), some_day).empty()) << "both are on the branch";
}

TEST(ARewrittenBranch, CarriesEveryStepOfTheLevelAndWhatWasDismissedButNoNotes) {
  for (const RecordState state :
       {RecordState::open, RecordState::acknowledged, RecordState::partly_fixed, RecordState::fixed,
        RecordState::recovered, RecordState::accepted, RecordState::false_alarm}) {
    const auto changed = carried_over({sample(state)}, with_patch.seen(), some_day);
    ASSERT_EQ(changed.size(), 2u) << name_of(state);
    EXPECT_EQ(changed[1].state, state);
  }
  Record improvement = sample(RecordState::noted);
  improvement.kind = RecordKind::improvement;
  EXPECT_EQ(carried_over({improvement}, with_patch.seen(), some_day).size(), 2u);
  for (const RecordKind kind : {RecordKind::layout, RecordKind::not_reproduced, RecordKind::postponed}) {
    Record note = sample(RecordState::noted);
    note.kind = kind;
    EXPECT_TRUE(carried_over({note}, with_patch.seen(), some_day).empty()) << name_of(kind);
  }
}

TEST(ARewrittenBranch, LeavesADismissedOneAsItIsWhereItsPatchIsGone) {
  EXPECT_TRUE(carried_over({sample(RecordState::false_alarm)}, without_patch.seen(), some_day).empty());
  EXPECT_EQ(carried_over({sample(RecordState::accepted)}, without_patch.seen(), some_day).size(), 1u)
      << "the level rests on it";
}

TEST(ARewrittenBranch, IsTheSameWhenRepeatedAfterACrash) {
  const Record old = sample(RecordState::open);
  const auto changed = carried_over({old}, with_patch.seen(), some_day);
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_TRUE(carried_over(changed, with_patch.seen(), some_day + 1).empty()) << "all of it was saved";
  const auto rest = carried_over({old, changed[1]}, with_patch.seen(), some_day + 1);
  ASSERT_EQ(rest.size(), 1u) << "only the copy was saved";
  EXPECT_EQ(rest[0].id, old.id);
  EXPECT_EQ(rest[0].state, RecordState::superseded);
}

TEST(ARewrittenBranch, BringsTheFirstRecordBackWhenItIsRewrittenBack) {
  const Record old = sample(RecordState::open);
  auto records = carried_over({old}, with_patch.seen(), some_day);
  records[1] = with_event(records[1], {RecordState::acknowledged, some_day + 1, "ada", "", ""});
  const Branch back = {{old.culprit.id}, {{"patch", old.culprit}}};
  const auto changed = carried_over(records, back.seen(), some_day + 2);
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0].id, records[1].id);
  EXPECT_EQ(changed[0].state, RecordState::superseded);
  EXPECT_EQ(changed[1].id, old.id);
  EXPECT_EQ(changed[1].state, RecordState::acknowledged) << "with the life that went on elsewhere";
}

TEST(ARewrittenBranch, KeepsWhatWasFoundThereMeanwhile) {
  const Record old = sample(RecordState::open);
  Record found = sample(RecordState::acknowledged);
  found.culprit = found.treatment = again;
  found.id = record_id(found.key, found.benchmark, found.metric.name, again.id);
  const auto changed = carried_over({old, found}, with_patch.seen(), some_day);
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].id, old.id);
}

TEST(ARewrittenBranch, ReplacesAMereNoteThatWasMadeThere) {
  const Record old = sample(RecordState::open);
  Record note = sample(RecordState::noted);
  note.kind = RecordKind::not_reproduced;
  note.culprit = note.treatment = again;
  note.id = record_id(note.key, note.benchmark, note.metric.name, again.id);
  const auto changed = carried_over({old, note}, with_patch.seen(), some_day);
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[1].id, note.id);
  EXPECT_EQ(changed[1].kind, RecordKind::regression);
  note.kind = RecordKind::improvement;
  EXPECT_EQ(carried_over({old, note}, with_patch.seen(), some_day).size(), 1u)
      << "a step is more than a note";
}

TEST(ARewrittenBranch, RevivesWhatItHasAgain) {
  const std::pair<RecordState, RecordState> table[] = {
      {RecordState::open, RecordState::open},
      {RecordState::acknowledged, RecordState::open},
      {RecordState::fixed, RecordState::noted},
      {RecordState::noted, RecordState::noted},
  };
  for (const auto& [before, after] : table) {
    const Record old = sample(before);
    const auto gone = carried_over({old}, without_patch.seen(), some_day);
    ASSERT_EQ(gone.size(), 1u);
    const Branch back = {{old.culprit.id}, {}};
    const auto changed = carried_over(gone, back.seen(), some_day + 1);
    ASSERT_EQ(changed.size(), 1u) << name_of(before);
    EXPECT_EQ(changed[0].id, old.id);
    EXPECT_EQ(changed[0].state, after) << name_of(before);
    EXPECT_EQ(changed[0].life.back().reason, "its commit is on the branch again");
    EXPECT_TRUE(carried_over(changed, back.seen(), some_day + 2).empty()) << "once";
  }
}

TEST(ARewrittenBranch, DoesNotReviveWhatGoesOnWithAnotherCommitOfTheBranch) {
  const Record old = sample(RecordState::open);
  const auto records = carried_over({old}, with_patch.seen(), some_day);
  Branch both = with_patch;
  both.commits.insert(old.culprit.id);
  EXPECT_TRUE(carried_over(records, both.seen(), some_day + 1).empty());
}

TEST(ARewrittenBranch, DoesNotReviveAFalseAlarm) {
  const auto records = carried_over({sample(RecordState::false_alarm)}, with_patch.seen(), some_day);
  ASSERT_EQ(records.size(), 2u);
  const Branch back = {{records[0].culprit.id}, {}};
  const auto changed = carried_over({records[0]}, back.seen(), some_day + 1);
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].state, RecordState::false_alarm);
}

}  // namespace
}  // namespace tandem::daemon
