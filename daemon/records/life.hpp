#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "builders/commit.hpp"
#include "daemon/records/record.hpp"

// The life of a record, as pure functions: what happened in, what it is now out.
namespace tandem::daemon {

/// The record with one more event; its state is the event's.
[[nodiscard]] Record with_event(Record record, LifeEvent event);

/// Which of the regressions that are alive a confirmed faster step concerns.
struct Ending {
  std::size_t which = 0;  ///< of those given
  std::string reason;
  using Basis = FixBasis;
  Basis basis = Basis::size;
};

/// Which of a benchmark's living regressions the improvement concerns: the one whose culprit it says it
/// reverts (message or reverse patch id), else the only one, else the only one whose size fits, margin
/// included; of one partly fixed what is left counts. Nothing if none or more than one fits. Those of other
/// benchmarks and metrics are passed over. What it leaves of that one is not known by this: it is measured.
///
/// The only one is always a candidate, because the measurement decides: back at the cost of before the
/// culprit it is gone, and slower than that it is not. It cannot decide where the commit is faster than
/// before the culprit: a step of 40 % for another reason would end every small regression whose code is still
/// there. Only there the sizes count, and they may differ by half, because one change is seen 5.9 % slower
/// now and 7.6 % an hour later.
[[nodiscard]] std::optional<Ending> ended_by(const std::vector<Record>& alive, const Record& improvement,
                                             const builders::CommitFacts& facts);

/// Whether something that got slower after the regression's culprit and up to `fix`, and stays, lies between
/// the two commits that a FixTrial compares. `positions` gives a commit's place on the branch.
[[nodiscard]] bool is_hidden_by_another(
    const Record& regression, const std::string& fix, const std::vector<Record>& records,
    const std::function<std::optional<std::size_t>(const std::string& commit)>& position);

/// The regression as the measurement leaves it: gone is fixed, and something left is partly fixed with what
/// was measured. Faster than before the culprit is fixed unless the step is of another size. What is hidden
/// is fixed only if the commit was named. Else its state stays, with a note of the faster step. A second
/// measurement that finds the same adds no event; the last one in vain adds a note.
[[nodiscard]] Record after_fix(Record regression, const FixTrial& fix, const Ending& ending);

/// Whether what a faster commit left is still to be measured, and it is time to try again. The pauses grow,
/// and after `most_tries` it is left to the weekly re-tests.
[[nodiscard]] bool is_fix_due(const Record& record, std::int64_t now);

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
