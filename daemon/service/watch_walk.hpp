#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "builders/cache/budget.hpp"
#include "builders/repository.hpp"
#include "builders/source.hpp"
#include "config/settings.hpp"
#include "daemon/idle/idle_time.hpp"
#include "daemon/records/run_record.hpp"
#include "daemon/service/building.hpp"
#include "daemon/service/installation.hpp"
#include "daemon/service/request_handler.hpp"
#include "daemon/walk/late_commits.hpp"
#include "daemon/walk/pipeline.hpp"
#include "daemon/walk/poller.hpp"

namespace tandem::daemon {

/// What all watches share. It outlives them.
struct WatchContext {
  const config::Settings& settings;
  const Installation& installation;
  const Isolation& isolation;
  const runners::CpuChoice& cpus;
  runners::PairRunner& runner;
  store::Store& store;
  const Publisher& publisher;
  Status& status;
  std::function<void()> show;
  /// Of every trial; nothing: there are no reporters. Called between launches only.
  std::function<void(const RunRecord&)> report = {};
  std::filesystem::path scratch = {};
  std::shared_ptr<builders::CacheBudget> budget = {};  ///< of the executable cache; nothing: no limit
  std::function<void()> try_isolation = {};            ///< may change the isolation
};

/// Reads everything of a watch that can be wrong without a state directory: its spec, its source and its
/// build scripts. Makes nothing. Throws InputError.
void check_watch(const config::Settings& settings, const Installation& installation,
                 const config::WatchSettings& watch);

/// The exit code of the design for a platform whose walk got to this tip: 1 a regression is open; else 4 the
/// tip was not built or measured, or a suspect in it could not be confirmed; else 3 it is inconclusive, or a
/// suspect in it waits for its confirmation; else 0.
[[nodiscard]] int code_of_tip(const store::Store& store, const WatchKey& key, const std::string& tip);

/// Open regressions whose commit could not be read when they were found get their patch id: without it they
/// would be lost when the branch is rewritten. `patch_of` throws Error if it cannot be read now either.
void give_missing_patches(store::Store& store, const Publisher& publisher, const WatchKey& key,
                          const std::function<std::string(const std::string& commit)>& patch_of);

/// One watch with all its platforms: fetches the branch and walks what is new. Made once, used every round.
class WatchWalk {
 public:
  /// Reads the spec, finds the source and the build scripts. Throws InputError.
  WatchWalk(WatchContext context, const config::WatchSettings& watch);

  enum class Ended { at_tip, fetch_failed, step_failed, stopped };
  /// One pass to the tip. Failures of the outside are stored as events and shown. A branch that cannot be
  /// fetched is walked as far as it is known, and fetched again after a while that grows.
  ///
  /// Throws InputError before the first pass has gone through; afterwards even that is a failure that is
  /// stored and shown, because a branch may change under a running service.
  Ended walk(const std::stop_token& stop);

  /// One step of idle work at the newest commit that builds, if there is any.
  [[nodiscard]] IdleTime::Spent spend_idle_step(const std::stop_token& stop);

  /// Fetches, unless it is to wait after a failure, and says whether there is a new commit, or one that the
  /// last pass did not get to.
  [[nodiscard]] bool has_news(const std::stop_token& stop);

  /// Answers what people ask of this watch. What is interrupted by a stop waits again; a branch that cannot
  /// be fetched leaves it waiting. What tandem put off itself is idle work.
  void serve_requests(const std::stop_token& stop);
  /// One of them; it is given its answer, unless it waits again.
  void serve(Request& request, const std::stop_token& stop);

  /// One pass by hand has no idle time: what is due of what tandem put off is served before it ends, and
  /// nothing more is begun after the time that a commit's confirmations may take.
  void serve_what_is_due(const std::stop_token& stop);

  /// The exit code that this watch alone would give after `ended`.
  [[nodiscard]] int exit_code(Ended ended) const;

  /// Builds from now on in the isolation that is in force, which has changed. Between commits only.
  void take_isolation();

  [[nodiscard]] const std::string& name() const { return watch_.name; }
  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }

 private:
  struct Platform {
    WatchKey key;
    std::unique_ptr<Building> building;
    std::unique_ptr<runners::PairRunner> runner;
    std::unique_ptr<Pipeline> pipeline;
    std::unique_ptr<IdleTime> idle;
    std::unique_ptr<RequestHandler> requests;
    std::optional<Line> line;                    ///< of the last round
    std::string settled_tip;                     ///< for which records were carried over
    std::map<std::string, std::string> patches;  ///< patch id by commit, of the line
    std::int64_t forgot_at = 0;                  ///< when old data was last dropped
  };

  Ended pass(const std::stop_token& stop);
  /// Whether the branch is as new as it can be had; false: it could not be fetched now.
  bool fetch(const std::stop_token& stop);
  [[nodiscard]] WalkPolicy policy() const;
  void keep_mirror_small(const std::stop_token& stop);
  /// What is queued and what open regressions rest on stays in the cache; never called during a launch.
  void keep_cache_in_budget(const std::vector<builders::Commit>& queued = {});
  /// The commit could not be examined: it is tried again later.
  void put_off_commit(Platform& platform, const builders::Commit& commit, const PutOff& why);
  /// No commit is to blame: the walk rests for a while that grows.
  void rest_after_host_failure();
  [[nodiscard]] bool has_due_commits() const;
  void show_waiting_commits();
  Ended walk_platform(Platform& platform, const std::stop_token& stop);
  /// The line from the start of the walk to the tip, with what of it is to be examined.
  Round plan(Platform& platform);
  void make_building(Platform& platform);
  void make_pipeline(Platform& platform);
  /// Nothing is known of a commit whose objects are damaged.
  [[nodiscard]] builders::CommitFacts facts_of(const std::string& commit) const;
  /// What a rewritten branch took away, or has under another name. Where the mirror cannot be read, nothing
  /// is changed and the next round tries again.
  void carry_records_over(Platform& platform);
  void settle_records(Platform& platform);
  /// The files that the specs name. False: they cannot be had now. Throws InputError if they never can.
  bool bring_files(const std::stop_token& stop);
  void report(const TrialResults& results, const std::string& platform) const;
  /// Whether there is a mirror to work with; it is opened again, as the fetch left it.
  bool open_mirror();
  /// One of those that tandem put off; false: there is none.
  bool serve_own_request(const std::stop_token& stop);
  /// A suspect that could not be confirmed is tried again after a pause.
  [[nodiscard]] bool is_due(const Request& request) const;
  [[nodiscard]] std::optional<Answer> answer(const Request& request, const std::stop_token& stop);
  /// Writes what could not be written of requests that were served.
  void save_answers();
  /// Drops what is older than the settings say, of a platform whose line is known.
  void forget_old(Platform& platform);
  void fail(const char* kind, const std::string& sentence);
  void refresh_open_regressions();
  [[nodiscard]] std::string start_of() const;

  /// How far the builds may be ahead of the measurements: each costs room in the cache.
  static constexpr std::size_t commits_ahead = 4;

  WatchContext context_;
  const config::Settings& settings_;
  const config::WatchSettings& watch_;
  store::Store& store_;
  Status& status_;
  std::filesystem::path mirror_;
  builders::Source source_;
  std::vector<Test> tests_;
  std::optional<specs::BuildSection> build_section_;
  std::vector<Platform> platforms_;
  std::vector<std::string> notices_;
  std::string tip_;
  std::unique_ptr<builders::Repository> repository_;  ///< the lines of the platforms ask it
  /// Opened before: lines of this pass may still ask them.
  std::vector<std::unique_ptr<builders::Repository>> earlier_repositories_;
  bool went_through_ = false;             ///< one pass at least
  bool at_tip_ = false;                   ///< the last pass got there
  bool files_are_here_ = false;           ///< all that the specs name
  std::set<std::int64_t> put_off_;        ///< own requests that met a host failure since the last pass
  std::vector<Request> unsaved_answers_;  ///< requests whose last write failed
  std::size_t host_failures_ = 0;         ///< in a row
  std::chrono::steady_clock::time_point next_walk_{};
  std::size_t fetch_failures_ = 0;
  std::chrono::steady_clock::time_point next_fetch_{};
};

}  // namespace tandem::daemon
