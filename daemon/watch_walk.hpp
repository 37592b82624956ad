#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "builders/repository.hpp"
#include "builders/source.hpp"
#include "config/settings.hpp"
#include "daemon/building.hpp"
#include "daemon/idle_time.hpp"
#include "daemon/loop.hpp"
#include "daemon/pipeline.hpp"
#include "daemon/poller.hpp"

namespace tandem::daemon {

/// What all watches share. It outlives them.
struct WalkGround {
  const config::Settings& settings;
  const Installation& installation;
  const Isolation& isolation;
  const runners::CpuChoice& cpus;
  runners::PairRunner& runner;
  store::Store& store;
  const Publisher& publisher;
  Status& status;
  std::function<void()> show;
};

/// One watch with all its platforms: fetches the branch and walks what is new. Made once, used every round.
class WatchWalk {
 public:
  /// Reads the spec, finds the source and the build scripts. Throws InputError.
  WatchWalk(WalkGround ground, const config::WatchSettings& watch);

  enum class Ended { at_tip, fetch_failed, step_failed, stopped };
  /// One pass to the tip. Failures of the outside are stored as events and shown. A branch that cannot be
  /// fetched is walked as far as it is known, and fetched again after a while that grows.
  ///
  /// Throws InputError before the first pass has gone through; afterwards even that is a failure that is
  /// stored and shown, because a branch may change under a running service.
  Ended walk(const std::stop_token& stop);

  /// One benchmark of the newest commit that builds, if one is due. Failures of the outside are stored as
  /// events and shown.
  [[nodiscard]] IdleTime::Spent calibrate_next(const std::stop_token& stop);

  /// The exit code that this watch alone would give after `ended`.
  [[nodiscard]] int exit_code(Ended ended) const;

  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }

 private:
  struct Platform {
    WatchKey key;
    std::unique_ptr<Building> building;
    std::unique_ptr<QuietRunner> runner;
    std::unique_ptr<Pipeline> pipeline;
    std::unique_ptr<IdleTime> idle;
    std::optional<builders::Commit> newest_good;  ///< examined, and it builds
  };

  Ended pass(const std::stop_token& stop);
  [[nodiscard]] builders::BuildSettings build_settings(const std::string& platform) const;
  /// Whether the branch is as new as it can be had; false: it could not be fetched now.
  bool fetch(const std::stop_token& stop);
  [[nodiscard]] WalkPolicy policy() const;
  void keep_cache_in_budget(const Round& round, std::size_t next);
  Ended walk_platform(Platform& platform, const builders::Repository& repository, const std::string& tip,
                      const std::stop_token& stop);
  void make_pipeline(Platform& platform, const builders::Repository& repository);
  void fail(const char* kind, const std::string& sentence);
  void refresh_open_regressions();
  [[nodiscard]] std::string start_of(const builders::Repository& repository, const std::string& tip) const;

  /// How far the builds may be ahead of the measurements: each costs room in the cache.
  static constexpr std::size_t commits_ahead = 4;

  WalkGround ground_;
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
  bool went_through_ = false;  ///< one pass at least
  std::size_t fetch_failures_ = 0;
  std::chrono::steady_clock::time_point next_fetch_{};
};

}  // namespace tandem::daemon
