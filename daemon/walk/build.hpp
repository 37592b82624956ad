#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "daemon/walk/context.hpp"

namespace tandem::daemon {

/// Step 2 of the walk: the executables of the commits that are examined, each read from the cache or built
/// once, and what became of those that do not build.
class Builds {
 public:
  Builds(const WalkSettings& settings, const WalkContext& context) : settings_(settings), context_(context) {}

  /// Lets go of what was built for the last commit: it is read from the cache again, and checked.
  void clear();

  /// The commit's executable, or nothing if it does not build; the outcome is stored, unless it may build
  /// later (`unbuilt`). With a stop request nothing is stored and nothing is returned. Throws HostError if no
  /// commit could be built.
  const builders::Executable* build(const builders::Commit& commit, const std::stop_token& stop);

  /// Why the commit could not be built now, for a reason that may pass. Nothing: there is no such reason.
  [[nodiscard]] std::optional<builders::BuildFailure> unbuilt(const std::string& commit) const;

 private:
  const WalkSettings& settings_;
  const WalkContext& context_;
  std::map<std::string, builders::Executable> executables_;  ///< by commit
  std::map<std::string, builders::BuildFailure> unbuilt_;    ///< by commit: what may pass later
};

}  // namespace tandem::daemon
