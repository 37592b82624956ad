#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "builders/builder.hpp"
#include "builders/repository.hpp"
#include "config/settings.hpp"
#include "daemon/service/building.hpp"

namespace tandem::daemon {

/// Builds of commits by hand, beside a daemon that may be at work in the same state directory: the
/// executables are shared with it.
class CommitBuilds {
 public:
  /// Fetches the branch. Throws InputError, or Error with a sentence if it cannot be fetched.
  CommitBuilds(const config::Settings& settings, const Installation& installation, const Isolation& isolation,
               std::optional<specs::BuildSection> section, const std::stop_token& stop);

  /// By hash, branch or tag. Throws InputError.
  [[nodiscard]] builders::Commit find(const std::string& name) const;

  /// Throws Error with a sentence and the log's last lines if it does not build.
  [[nodiscard]] builders::Executable build(const builders::Commit& commit, const std::string& platform,
                                           const std::stop_token& stop) const;

 private:
  BuildContext context_;
  const config::WatchSettings& watch_;
  std::unique_ptr<builders::Repository> repository_;
  std::shared_ptr<builders::CacheBudget> budget_;  ///< nothing: no limit
};

}  // namespace tandem::daemon
