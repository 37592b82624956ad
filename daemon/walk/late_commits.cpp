#include "daemon/walk/late_commits.hpp"

#include <algorithm>

#include "builders/build_failure.hpp"
#include "daemon/records/life.hpp"
#include "daemon/walk/publish.hpp"

namespace tandem::daemon {

using builders::BuildFailure;

namespace {

/// Whether a commit that was tried so often is given up.
bool is_enough(const std::string& kind, std::size_t tries, std::chrono::duration<double> interval) {
  if (kind != builders::name_of(BuildFailure::Kind::fetch)) return tries >= most_tries;
  std::chrono::seconds waited{0};
  for (std::size_t before = 1; before < tries && waited < longest_outage; ++before) {
    waited += pause_after(before, interval);
  }
  return waited >= longest_outage;
}

}  // namespace

Later put_off(store::Store& store, const WatchKey& key, const std::string& commit, const PutOff& why,
              std::chrono::duration<double> interval, std::int64_t now) {
  store::WaitingCommit waiting;
  for (store::WaitingCommit& one : store.waiting_commits(key)) {
    if (one.commit == commit) waiting = std::move(one);
  }
  waiting.commit = commit;
  waiting.kind = why.kind;
  waiting.sentence = why.sentence;
  const bool counts = waiting.tries == 0 || now >= waiting.due;
  if (counts) {
    ++waiting.tries;
    waiting.due = now + pause_after(waiting.tries, interval).count();
  }
  if (!counts || !is_enough(why.kind, waiting.tries, interval)) {
    store.save_waiting_commit(key, waiting);
    return Later::waits;
  }
  store::StoredBuild build;
  build.commit = commit;
  build.kind = why.kind;
  build.sentence = why.sentence;
  build.at = now;
  store.save_build(key, build);
  store.set_done(key, commit, now);
  return Later::given_up;
}

std::vector<std::size_t> due_commits(const std::vector<store::WaitingCommit>& waiting, const Line& line,
                                     std::int64_t now, Pauses pauses) {
  std::vector<std::size_t> due;
  for (const store::WaitingCommit& one : waiting) {
    const auto position = line.position(one.commit);
    if (position && (pauses == Pauses::ignored || one.due <= now)) due.push_back(*position);
  }
  std::sort(due.begin(), due.end());
  return due;
}

bool was_given_up(const store::Store& store, const WatchKey& key, const std::string& commit) {
  const auto build = store.build(key, commit);
  if (!build || build->succeeded) return false;
  return build->kind == builders::name_of(BuildFailure::Kind::fetch) ||
         build->kind == builders::name_of(BuildFailure::Kind::too_large) ||
         build->kind == builders::name_of(BuildFailure::Kind::unexpected);
}

void settle_co_suspects(store::Store& store, const Publisher& publisher, const WatchKey& key,
                        const std::string& commit, std::int64_t now) {
  const auto records = store.records({key, {}, {}, {}});
  const auto verdicts = store.verdicts(key, commit);
  for (const Record& record : records) {
    const auto named = std::find(record.co_suspects.begin(), record.co_suspects.end(), commit);
    if (named == record.co_suspects.end() || !is_alive(record.state)) continue;
    const auto same_series = [&](const std::string& benchmark, const std::string& metric) {
      return benchmark == record.benchmark && metric == record.metric.name;
    };
    const bool guilty = std::any_of(records.begin(), records.end(), [&](const Record& one) {
      return one.culprit.id == commit && is_step(one.kind) && same_series(one.benchmark, one.metric.name) &&
             one.kind == record.kind && one.state != RecordState::superseded;
    });
    const bool innocent = std::any_of(verdicts.begin(), verdicts.end(), [&](const auto& one) {
      return same_series(one.benchmark, one.metric.name) &&
             (one.outcome == analysis::Outcome::unchanged || one.outcome == analysis::Outcome::identical);
    });
    if (!guilty && !innocent) continue;
    const auto change = [&, guilty](Record one) {
      if (!is_alive(one.state)) return one;
      if (guilty) {
        return with_event(std::move(one), {RecordState::superseded, now, "tandem",
                                           "an earlier commit, examined later, made the change", commit});
      }
      const double share = static_cast<double>(one.co_suspects.size() + 1);
      std::erase(one.co_suspects, commit);
      one.culprit_probability =
          std::min(1.0, one.culprit_probability * share / static_cast<double>(one.co_suspects.size() + 1));
      return one;
    };
    store.save_records({}, {published(publisher, {record.id, change})});
  }
}

}  // namespace tandem::daemon
