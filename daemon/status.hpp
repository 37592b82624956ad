#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "builders/commit.hpp"

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
  struct OpenRegression {
    std::string id;
    std::string benchmark;
    std::string culprit;
    double ratio = 1;
  };
  struct Noise {
    double sigma = 0;                      ///< of one launch's log-ratio
    double minimum_detectable_effect = 0;  ///< as a share
    std::string pairing = {};              ///< from its calibration; empty: there is none
    std::string unfit = {};                ///< a sentence: its changes are not recorded
  };

  std::string version;
  int pid = 0;
  std::string phase = "starting";  ///< starting, fetching, building, measuring, confirming, calibrating,
                                   ///< waiting, stopped
  std::string watch;
  std::string platform;
  std::string url;
  std::string branch;
  builders::Commit commit;  ///< under examination; empty id: none
  std::string benchmark;
  std::size_t launch = 0;
  std::size_t most_launches = 0;
  std::size_t commits_done = 0;  ///< of this round
  std::size_t commits_left = 0;
  double seconds_left = -1;                ///< of this round, from the commits done; negative: unknown
  std::string isolation;                   ///< what separates builds and benchmarks from the host
  std::vector<LastVerdict> last_verdicts;  ///< newest first
  std::vector<FailedBuild> failed_builds;  ///< newest first
  std::vector<OpenRegression> open_regressions;
  std::map<std::string, Noise> noise_floor;  ///< by benchmark
  std::string unfit;                         ///< of the host, a sentence: nothing is recorded
  std::size_t fetch_failures = 0;            ///< in a row, of the watch whose branch cannot be fetched
  std::int64_t next_fetch_at = 0;            ///< when it is tried again; 0: at the next poll
  std::string builds_ahead;  ///< whether commits are built while others are measured, or why not
  std::string last_error;
  std::int64_t last_error_at = 0;
  std::int64_t updated_at = 0;
};

}  // namespace tandem::daemon
