#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/calibration.hpp"
#include "analysis/screen.hpp"
#include "analysis/verdict.hpp"
#include "daemon/records/record.hpp"
#include "daemon/records/request.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::store {

/// What a benchmark of a commit is: equal where it is the same thing measured in the same way.
struct Definition {
  std::string spec;     ///< of everything that the test gives the program; empty: not known
  std::string version;  ///< that the program says the benchmark has; empty: not known
};
/// What is not known is no difference. Older stores know nothing.
[[nodiscard]] bool same_definition(const Definition& one, const Definition& other);

/// What was said of one benchmark of one commit. `control` is empty for the first commit of a walk.
struct StoredVerdict {
  std::string commit;
  std::string control;
  std::string benchmark;
  specs::Metric metric;
  analysis::Outcome outcome = analysis::Outcome::inconclusive;
  std::string note;  ///< a sentence, e.g. why it failed or which commit it is identical to
  analysis::Verdict verdict;
  analysis::ScreenHistory history;  ///< every launch, so that the screen can be continued
  std::uint64_t seed = 0;
  std::int64_t at = 0;
  Definition definition = {};
};

/// How the build of a commit ended.
struct StoredBuild {
  std::string commit;
  bool succeeded = false;
  std::string kind;      ///< of the failure: "source", "timed_out", …; empty if it succeeded
  std::string sentence;  ///< of the failure
  std::string log;
  std::int64_t at = 0;
  std::string last_lines = {};  ///< of the log, if it failed
  std::string identity = {};    ///< equal for builds that run the same code in the same way; empty: unknown
};

/// A commit that could not be examined, for a reason that may pass.
struct WaitingCommit {
  std::string commit;
  std::string kind;      ///< a name of builders::BuildFailure::Kind
  std::string sentence;  ///< of the last try
  std::size_t tries = 0;
  std::int64_t due = 0;  ///< when it is tried again, seconds since 1970
};

/// Something outside that failed or changed: a fetch, a force-push. Shown in the status.
struct StoredEvent {
  std::string watch;
  std::string kind;
  std::string sentence;
  std::int64_t at = 0;
};

/// How a benchmark is measured on this host.
struct StoredCalibration {
  WatchKey key;
  analysis::Calibration calibration;
};

/// The newest commit of a series, measured against a pinned one: what slow drifts are seen by.
struct StoredPoint {
  std::string benchmark;
  std::string metric;
  std::string span;    ///< how long the anchor is pinned: "week" or "month"
  std::string anchor;  ///< commit
  std::string commit;
  double value = 0;         ///< ln(treatment / control) as a cost
  double deviation = 0;     ///< of that value
  std::string environment;  ///< points of different ones do not belong to one series
  std::int64_t at = 0;
};

/// A screen of a commit against itself, made for the sake of knowing how often equal builds are suspects.
struct NullScreen {
  std::string benchmark;
  analysis::Outcome outcome = analysis::Outcome::inconclusive;
  double evidence = 1;  ///< the largest against "no change"
  std::int64_t at = 0;
};

/// How many screens came to an end since some time and how many of them found a change.
struct ScreenCounts {
  std::size_t screens = 0;         ///< slower, faster, unchanged or inconclusive
  std::size_t suspects = 0;        ///< slower or faster
  std::size_t false_suspects = 0;  ///< of those: not reproduced, or the layout alone
  std::size_t null_screens = 0;    ///< of equal builds
  std::size_t null_suspects = 0;
  std::int64_t first_at = 0;  ///< of the oldest that was counted; 0: none
};

/// A change of a record that may have changed meanwhile: given what it is now, what it shall be. Called
/// within the transaction; whatever it throws ends that, and nothing is saved.
struct RecordChange {
  std::string id;
  std::function<Record(Record)> change;
};

/// The file is ours or was, and what is in it cannot be trusted: SQLite calls it malformed or no database.
struct DamagedStore : HostError {
  using HostError::HostError;
};

/// How much of a walk is kept. Whatever is `needed` stays, whatever its age.
struct Keeping {
  std::vector<std::string> line;  ///< the commits from the start of the walk to its tip, oldest first
  std::set<std::string> needed;   ///< commits that records, controls and anchors rest on
  std::size_t commits = 5000;     ///< of the newest: verdicts and builds
  std::size_t samples = 500;      ///< of the newest: every launch of their screens
  std::size_t logs = 200;         ///< of the newest builds of a platform
};

/// How large the store is.
struct StoreSize {
  std::uint64_t bytes = 0;
  std::uint64_t free_bytes = 0;  ///< of those: pages that hold nothing
  std::size_t commits = 0;       ///< examined ones
  std::size_t verdicts = 0;
  std::size_t builds = 0;
  std::size_t points = 0;
  std::size_t events = 0;
};

/// The daemon's memory: one SQLite file (WAL, foreign keys on, synchronous FULL), one writer, any number of
/// readers.
///
/// Every function is one transaction. The functions that ask for the `newest` give the newest first. A host
/// that fails (disk full, a newer file) throws Error that names the file; a damaged file throws DamagedStore.
/// Belongs to one thread.
class Store {
 public:
  enum class Mode { write, read };  ///< read: throws InputError if there is no file
  Store(const std::filesystem::path& file, Mode mode);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Drawn when the file was made.
  [[nodiscard]] std::string id() const;
  enum class Soundness { sound, not_finished };
  /// Looks through the file for damage, at most so long. Throws DamagedStore.
  [[nodiscard]] Soundness check(std::chrono::milliseconds at_most) const;

  /// When commits that are dated in the future were first seen.
  [[nodiscard]] std::map<std::string, std::int64_t> future_commits() const;
  /// Keeps what is known of a commit already.
  void note_future_commits(const std::vector<std::string>& commits, std::int64_t seen_at);

  /// Drops of one watch and platform what is older than `keeping` says: verdicts, builds, launches of
  /// screens, points of drifts, and commits that are off the line. Returns the commits of the builds whose
  /// logs are too old; the caller removes them.
  std::set<std::string> forget_old(const WatchKey& key, const Keeping& keeping);
  [[nodiscard]] StoreSize size() const;
  /// Gives pages that hold nothing back to the disk if that is a quarter of the file, at least 8 MiB, and the
  /// disk has room for the copy that it takes. False: it did not pay, or another process was reading.
  bool compact();

  /// The resume point: the newest commit that was examined to its end.
  [[nodiscard]] std::optional<std::string> last_done(const WatchKey& key) const;
  /// All commits examined to their end, in the order they were examined; one examined again moves to the end.
  [[nodiscard]] std::vector<std::string> done(const WatchKey& key) const;
  void set_done(const WatchKey& key, const std::string& commit, std::int64_t at);
  /// Replaces the one of the same commit; `set_done` ends it.
  void save_waiting_commit(const WatchKey& key, const WaitingCommit& waiting);
  /// Oldest first.
  [[nodiscard]] std::vector<WaitingCommit> waiting_commits(const WatchKey& key) const;
  /// The first commit of the walk, which every control is at or after. It moves only when the branch is
  /// rewritten.
  [[nodiscard]] std::optional<std::string> start(const WatchKey& key) const;
  void set_start(const WatchKey& key, const std::string& commit);

  void save_build(const WatchKey& key, const StoredBuild& build);  ///< replaces the one of the same commit
  [[nodiscard]] std::optional<StoredBuild> build(const WatchKey& key, const std::string& commit) const;
  /// Commits whose builds have this identity, the newest first.
  [[nodiscard]] std::vector<std::string> built_alike(const WatchKey& key, const std::string& identity) const;
  [[nodiscard]] std::vector<StoredBuild> failed_builds(const WatchKey& key, std::size_t newest) const;

  /// The verdict and the records that came of it: together or not at all. Replaces a verdict
  /// of the same commit, benchmark and metric. Saving a record whose id is known replaces it.
  struct Step {
    StoredVerdict verdict;
    std::vector<Record> records;  ///< new ones
    std::vector<RecordChange> changes = {};
    std::vector<Request> requests = {};  ///< what is to be done for them; the store gives the ids
  };
  /// Returns the records that `changes` made.
  std::vector<Record> save_step(const WatchKey& key, const Step& step);
  /// New records and changes of known ones without a verdict, together or not at all; as above. `requests`
  /// are read after the changes were made: a change may add one to those given.
  std::vector<Record> save_records(const std::vector<Record>& records,
                                   const std::vector<RecordChange>& changes,
                                   const std::vector<Request>& requests = {});
  [[nodiscard]] std::vector<StoredVerdict> verdicts(const WatchKey& key, const std::string& commit) const;
  [[nodiscard]] std::vector<StoredVerdict> newest_verdicts(const WatchKey& key, std::size_t newest) const;
  /// ln of the screened ratios of the newest `unchanged` verdicts of a benchmark: its null-commit spread.
  [[nodiscard]] std::vector<double> null_effects(const WatchKey& key, const std::string& benchmark,
                                                 const std::string& metric, std::size_t newest) const;

  /// Replaces the one of the same benchmark.
  void save_calibration(const WatchKey& key, const analysis::Calibration& calibration);
  [[nodiscard]] std::optional<analysis::Calibration> calibration(const WatchKey& key,
                                                                 const std::string& benchmark) const;
  /// Of one scope, or of all; oldest first.
  [[nodiscard]] std::vector<StoredCalibration> calibrations(const std::optional<WatchKey>& key = {}) const;
  /// The spreads of a benchmark's newest screens of this metric since then, by their medians.
  [[nodiscard]] std::vector<double> newest_sigmas(const WatchKey& key, const std::string& benchmark,
                                                  const std::string& metric, std::int64_t since,
                                                  std::size_t newest) const;

  /// The margin that the benchmark's newest screen was judged with; nothing: it had none.
  [[nodiscard]] std::optional<double> newest_margin(const WatchKey& key, const std::string& benchmark,
                                                    const std::string& metric) const;
  [[nodiscard]] ScreenCounts screen_counts(std::int64_t since) const;
  /// Those that are 60 days older are forgotten.
  void add_null_screen(const WatchKey& key, const NullScreen& screen);

  /// Replaces, in its place, the one of the same series, anchor, commit and environment.
  void add_point(const WatchKey& key, const StoredPoint& point);
  /// Of one series, oldest first: the newest so many, or all.
  [[nodiscard]] std::vector<StoredPoint> points(const WatchKey& key, const std::string& benchmark,
                                                const std::string& metric, const std::string& span,
                                                std::optional<std::size_t> newest = {}) const;
  /// Whether there is one of the same series, anchor, commit and environment.
  [[nodiscard]] bool has_point(const WatchKey& key, const StoredPoint& point) const;

  /// Facts of the surroundings as they were last seen, by name; nothing: never seen.
  [[nodiscard]] std::optional<std::string> environment(const std::string& name) const;
  void set_environment(const std::string& name, const std::string& facts);

  /// Every watch and platform that was ever walked.
  [[nodiscard]] std::vector<WatchKey> scopes() const;

  std::int64_t add_request(const Request& request);  ///< returns its id
  void update_request(const Request& request);       ///< state, progress and answer
  /// The same if it still waits, which a person may have ended meanwhile; else nothing, and false.
  [[nodiscard]] bool update_waiting_request(const Request& request);
  /// For the start of the daemon: what a crash left running waits again; the third time it has failed.
  void let_running_requests_wait();
  [[nodiscard]] std::optional<Request> request(std::int64_t id) const;
  /// Those that wait, of one watch or of all, oldest first.
  [[nodiscard]] std::vector<Request> waiting_requests(const std::optional<std::string>& watch = {}) const;
  [[nodiscard]] std::vector<Request> newest_requests(std::size_t newest) const;

  /// All records, or those of one kind or state; oldest first.
  struct RecordFilter {
    std::optional<WatchKey> key;
    std::optional<std::string> benchmark;
    std::optional<RecordKind> kind;
    std::optional<RecordState> state;
  };
  /// Those whose state is alive.
  [[nodiscard]] std::vector<Record> living(const std::optional<WatchKey>& key = {}) const;
  [[nodiscard]] std::vector<Record> records(const RecordFilter& filter) const;
  /// By its id or the beginning of it, at least 4 digits. A whole id that is not there gives nothing; a
  /// beginning that fits none or several throws InputError that says which.
  [[nodiscard]] std::optional<Record> record(const std::string& id_prefix) const;

  void add_event(const StoredEvent& event);
  [[nodiscard]] std::vector<StoredEvent> newest_events(std::size_t newest) const;
  [[nodiscard]] std::vector<StoredEvent> newest_events_of(const std::vector<std::string>& kinds,
                                                          std::size_t newest) const;

 private:
  struct Database;
  std::unique_ptr<Database> database_;
};

}  // namespace tandem::daemon::store
