#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "builders/commit_facts.hpp"
#include "daemon/record.hpp"

// The life of a record, as pure functions: what happened in, what it is now out.
namespace tandem::daemon {

/// The record with one more event; its state is the event's.
[[nodiscard]] Record with_event(Record record, LifeEvent event);

/// What a confirmed faster step does to one of the regressions that are alive.
struct Ending {
  std::size_t which = 0;  ///< of those given
  RecordState state = RecordState::fixed;
  std::string reason;
  std::optional<double> remaining;  ///< if partly fixed: treatment / control of what is left
};

/// Which of a benchmark's living regressions the improvement ends, wholly or in part: the one whose culprit
/// it says it reverts (message or reverse patch id), else the only one whose size fits, margin included;
/// else, if there is only one and the improvement is clearly smaller, that one in part. Of one partly fixed
/// what is left counts. Nothing if none or more than one fits. Those of other benchmarks and metrics are
/// passed over; whoever applies the ending sets the record's `remaining` to that of the ending.
[[nodiscard]] std::optional<Ending> ended_by(const std::vector<Record>& alive, const Record& improvement,
                                             const builders::CommitFacts& facts);

/// What a person may say to a record.
enum class Wish { acknowledge, accept, call_false_alarm, reopen };

/// The event that this makes. Throws InputError with a sentence if the record's state does not allow it: only
/// what is alive can be acknowledged or dismissed, only what has ended (and was not superseded) or was
/// acknowledged can be reopened, notes have no life, and a dismissal needs a reason.
[[nodiscard]] LifeEvent wished(const Record& record, Wish wish, const std::string& by,
                               const std::string& reason, std::int64_t at);

/// Whether a living regression is to be looked at again now: a week after its last event or re-test. A rerun
/// of the pair that the confirmation measured is no re-test, here and below.
[[nodiscard]] bool is_retest_due(const Record& record, std::int64_t now);

/// After the newest re-test: what it makes of the record. Equivalent (or faster) twice in a row since it was
/// opened: recovered, which the caller may turn into fixed when it finds the commit that did it. Else
/// nothing.
[[nodiscard]] std::optional<LifeEvent> after_retests(const Record& record, std::int64_t at);

/// What becomes of records when the branch was rewritten.
struct RewrittenBranch {
  std::function<bool(const std::string& commit)> has;
  /// The commit of the branch with this patch id; nothing: none.
  std::function<std::optional<builders::Commit>(const std::string& patch_id)> with_patch;
};

/// The records that change, new ones included: of each living one, and of each step that the level rests on,
/// whose culprit is gone the old one is superseded, and where the same patch lies on the new branch a copy
/// with that commit, a new id and the same life goes on, in place of a mere note that has that id. So does a
/// dismissal as false alarm. A superseded one whose commit is back, and which does not go on elsewhere, is
/// open again if it was alive, and else noted; a false alarm stays one. Calling it again with what it gave
/// changes nothing.
[[nodiscard]] std::vector<Record> carried_over(const std::vector<Record>& records,
                                               const RewrittenBranch& branch, std::int64_t at);

}  // namespace tandem::daemon
