#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "builders/commit.hpp"
#include "runners/process/sandbox.hpp"

namespace tandem::daemon {

/// What the daemon is doing and what it last found: `status.json`, published by rename between launches.
struct Status {
  struct LastVerdict {
    std::string platform;
    std::string commit;
    std::string benchmark;
    std::string outcome;
    std::string sentence;
  };
  struct FailedBuild {
    std::string platform;
    std::string commit;
    std::string kind;
    std::string sentence;
    std::string log;
    std::string last_lines;  ///< of the log
  };
  /// A commit that could not be examined, for a reason that may pass: it is tried again.
  struct WaitingCommit {
    std::string watch;
    std::string platform;
    std::string commit;
    std::string kind;
    std::string sentence;
    std::size_t tries = 0;
    std::int64_t due = 0;  ///< when it is tried again
  };
  struct OpenRegression {
    std::string id;
    std::string benchmark;
    std::string culprit;
    double ratio = 1;  ///< treatment / control; not finite: the control was 0
  };
  /// A suspect that could not be linked or launched again, so that nothing is known of it.
  struct Unconfirmed {
    std::string id;
    std::string benchmark;
    std::string commit;
    std::string sentence;
    std::size_t tries = 0;
    std::size_t most_tries = 0;  ///< after these it is left as it is
  };
  struct Noise {
    double sigma = 0;                      ///< of one launch's log-ratio
    double minimum_detectable_effect = 0;  ///< as a share
    std::string pairing = {};              ///< from its calibration; empty: there is none
    std::string unfit = {};                ///< a sentence: its changes are not recorded
  };
  /// How many records a month are expected to be false, and from what that is known.
  struct FalseRecords {
    double per_month = 0;
    double at_most = 0;  ///< with 95 % confidence in the suspect rate
    double tests_per_month = 0;
    double suspect_rate = 0;        ///< of screens where nothing had changed
    std::size_t screens = 0;        ///< in the last 30 days, those of equal builds included
    std::size_t null_screens = 0;   ///< of those: of equal builds, or no change that held
    std::size_t null_suspects = 0;  ///< of those: slower or faster all the same
  };
  struct Change {
    std::int64_t at = 0;
    std::string sentence;
  };
  /// Where a benchmark stands against a pinned commit.
  struct Drift {
    std::string watch;
    std::string platform;
    std::string benchmark;
    std::string span;    ///< "week" or "month"
    std::string anchor;  ///< commit
    std::string commit;
    double cost_ratio = 1;  ///< above 1 is worse
  };
  struct Waiting {
    std::int64_t id = 0;
    std::string kind;
    std::string watch;
    std::string commit;
    std::string by;
    std::int64_t at = 0;
  };

  /// What the state directory takes and by which rule it is bounded.
  struct Storage {
    std::string what;  ///< "database", "build logs", …
    std::uint64_t bytes = 0;
    std::string rule;
  };

  std::string version;
  int pid = 0;
  std::string process = {};        ///< which process of that number: equal as long as it lives
  std::string phase = "starting";  ///< starting, fetching, building, measuring, confirming, calibrating,
                                   ///< waiting, stopped
  std::string watch;
  std::string platform;
  std::string url;
  std::string branch;
  builders::Commit commit;  ///< under examination; empty id: none
  std::string benchmark;
  std::string search;  ///< how far the search for a culprit is; empty: there is none
  std::size_t launch = 0;
  std::size_t most_launches = 0;
  std::size_t commits_done = 0;  ///< of this round
  std::size_t commits_left = 0;
  double seconds_left = -1;                 ///< of this round, from the commits done; negative: unknown
  std::string isolation;                    ///< what separates builds and benchmarks from the host
  runners::IsolationFacts isolation_facts;  ///< the same, for the records
  std::vector<LastVerdict> last_verdicts;   ///< newest first
  std::vector<FailedBuild> failed_builds;   ///< newest first
  std::vector<WaitingCommit> waiting_commits;
  std::vector<OpenRegression> open_regressions;
  std::vector<Unconfirmed> unconfirmed;
  std::map<std::string, Noise> noise_floor;  ///< by benchmark
  std::string unfit;                         ///< of the host, a sentence: nothing is recorded
  std::size_t fetch_failures = 0;            ///< in a row, of the watch whose branch cannot be fetched
  std::int64_t next_fetch_at = 0;            ///< when it is tried again; 0: at the next poll
  std::string builds_ahead;  ///< whether commits are built while others are measured, or why not
  std::string idle_work;     ///< what is done at the tip; empty: nothing, or the walk
  FalseRecords false_records;
  std::vector<Change> environment_changes;  ///< newest first
  std::vector<Change> notices;              ///< of drifts and margins, newest first
  std::vector<Drift> drift;
  std::vector<Waiting> requests;  ///< that wait, oldest first
  std::vector<std::string> kept;  ///< sentences: what the start found out of order, and left or set aside
  std::vector<Storage> storage;
  std::string last_error;
  std::int64_t last_error_at = 0;
  std::int64_t updated_at = 0;
};

/// Told whenever the status has changed, between launches only.
using ShowStatus = std::function<void(const Status&)>;

}  // namespace tandem::daemon
