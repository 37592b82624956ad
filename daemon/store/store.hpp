#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/calibration.hpp"
#include "analysis/screen.hpp"
#include "analysis/verdict.hpp"
#include "daemon/record.hpp"

namespace tandem::daemon::store {

/// What the screen of one benchmark of one commit said. `control` is empty for the first commit of a walk.
struct StoredVerdict {
  std::string commit;
  std::string control;
  std::string benchmark;
  specs::Metric metric;
  std::string outcome;  ///< a name of analysis::Outcome, or "new", "missing"
  std::string note;     ///< a sentence, e.g. why it failed or which commit it is identical to
  analysis::Verdict verdict;
  analysis::ScreenHistory history;  ///< every launch, so that the screen can be continued
  std::uint64_t seed = 0;
  std::int64_t at = 0;
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

/// The daemon's memory: one SQLite file (WAL, foreign keys on, synchronous FULL), one writer, any number of
/// readers.
///
/// Every function is one transaction. The functions that ask for the `newest` give the newest first. Broken
/// ground (disk full, a damaged or newer file) throws Error that names the file. Belongs to one thread.
class Store {
 public:
  enum class Mode { write, read };  ///< read: throws InputError if there is no file
  Store(const std::filesystem::path& file, Mode mode);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// The resume point: the newest commit that was examined to its end.
  [[nodiscard]] std::optional<std::string> last_done(const WatchKey& key) const;
  /// All commits examined to their end, in the order they were examined; one examined again moves to the end.
  [[nodiscard]] std::vector<std::string> done(const WatchKey& key) const;
  void set_done(const WatchKey& key, const std::string& commit, std::int64_t at);
  /// The first commit of the walk, which every control is at or after. It moves only when the branch is
  /// rewritten.
  [[nodiscard]] std::optional<std::string> start(const WatchKey& key) const;
  void set_start(const WatchKey& key, const std::string& commit);

  void save_build(const WatchKey& key, const StoredBuild& build);  ///< replaces the one of the same commit
  [[nodiscard]] std::optional<StoredBuild> build(const WatchKey& key, const std::string& commit) const;
  /// Commits whose builds have this identity, the newest first.
  [[nodiscard]] std::vector<std::string> built_alike(const WatchKey& key, const std::string& identity) const;
  [[nodiscard]] std::vector<StoredBuild> failed_builds(const WatchKey& key, std::size_t newest) const;

  /// The verdict, and if there is one the record with its level: together or not at all. Replaces a verdict
  /// of the same commit, benchmark and metric. Saving a record whose id is known replaces it.
  struct Step {
    StoredVerdict verdict;
    std::vector<Record> records;       ///< new or changed ones
    std::optional<std::string> level;  ///< L(benchmark) moves to this commit
  };
  void save_step(const WatchKey& key, const Step& step);
  [[nodiscard]] std::vector<StoredVerdict> verdicts(const WatchKey& key, const std::string& commit) const;
  [[nodiscard]] std::vector<StoredVerdict> newest_verdicts(const WatchKey& key, std::size_t newest) const;
  /// ln of the screened ratios of the newest `unchanged` verdicts of a benchmark: its null-commit spread.
  [[nodiscard]] std::vector<double> null_effects(const WatchKey& key, const std::string& benchmark,
                                                 const std::string& metric, std::size_t newest) const;
  [[nodiscard]] std::optional<std::string> level(const WatchKey& key, const std::string& benchmark,
                                                 const std::string& metric) const;

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

  /// All records, or those of one kind or state; oldest first.
  struct RecordFilter {
    std::optional<WatchKey> key;
    std::optional<std::string> benchmark;
    std::optional<RecordKind> kind;
    std::optional<RecordState> state;
  };
  [[nodiscard]] std::vector<Record> records(const RecordFilter& filter) const;
  /// By its id or the beginning of it, at least 4 digits. A whole id that is not there gives nothing; a
  /// beginning that fits none or several throws InputError that says which.
  [[nodiscard]] std::optional<Record> record(const std::string& id_prefix) const;

  void add_event(const StoredEvent& event);
  [[nodiscard]] std::vector<StoredEvent> newest_events(std::size_t newest) const;

 private:
  struct Database;
  std::unique_ptr<Database> database_;
};

}  // namespace tandem::daemon::store
