#pragma once

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "builders/builder.hpp"
#include "builders/repository.hpp"
#include "builders/source.hpp"
#include "config/settings.hpp"
#include "daemon/loop.hpp"
#include "daemon/pipeline.hpp"
#include "daemon/poller.hpp"

namespace tandem::daemon {

/// One watch with all its platforms: fetches the branch and walks what is new. Made once, used every round.
class WatchWalk {
 public:
  /// Reads the spec, finds the source and the build scripts. Throws InputError.
  WatchWalk(const config::Settings& settings, const config::WatchSettings& watch,
            const Installation& installation, runners::PairRunner& runner, store::Store& store,
            const Publisher& publisher, Status& status, std::function<void()> show);

  enum class Ended { at_tip, fetch_failed, step_failed, stopped };
  /// One pass to the tip. Failures of the outside are stored as events and shown.
  Ended walk(const std::stop_token& stop);

  /// The exit code that this watch alone would give after `ended`.
  [[nodiscard]] int exit_code(Ended ended) const;

  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }

 private:
  struct Platform {
    WatchKey key;
    std::unique_ptr<builders::Builder> builder;
    std::unique_ptr<Pipeline> pipeline;
  };

  Ended walk_platform(Platform& platform, const builders::Repository& repository, const std::string& tip,
                      const std::stop_token& stop);
  void make_pipeline(Platform& platform, const builders::Repository& repository);
  void fail(const char* kind, const std::string& sentence);
  void refresh_open_regressions();
  [[nodiscard]] std::string start_of(const builders::Repository& repository, const std::string& tip) const;

  const config::Settings& settings_;
  const config::WatchSettings& watch_;
  const Installation& installation_;
  runners::PairRunner& runner_;
  store::Store& store_;
  const Publisher& publisher_;
  Status& status_;
  std::function<void()> show_;
  std::filesystem::path mirror_;
  builders::Source source_;
  std::vector<Test> tests_;
  std::vector<Platform> platforms_;
  std::vector<std::string> notices_;
  std::string tip_;
};

}  // namespace tandem::daemon
