#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "builders/repository.hpp"
#include "config/settings.hpp"
#include "daemon/walk/control.hpp"

namespace tandem::daemon {

/// Where a walk begins and how long its steps are.
struct WalkPolicy {
  std::string commit;    ///< the first commit; empty: `window` commits back
  std::size_t step = 1;  ///< every step-th commit; the newest always
  std::size_t window = 50;
  config::Walk commits = config::Walk::first_parent;
  config::CatchUp catch_up = config::CatchUp::every;  ///< newest: nothing else when behind
  std::string tags = {};  ///< which tags count as controls, with * and ?; empty: none
};

/// What is to be examined now: positions on the line, oldest first. The line may ask the repository it was
/// made from, which must live as long.
struct Round {
  Line line;
  std::vector<std::size_t> todo;
  std::string notice;  ///< a sentence if the branch was rewritten; empty: nothing unusual
};

/// The first commit of a new walk: `policy.commit`, or so many first parents back. Throws InputError if it is
/// not on the branch.
[[nodiscard]] std::string first_commit(const builders::Repository& repository, const std::string& tip,
                                       const WalkPolicy& policy);

/// The line from `start` to `tip` and what of it was not examined yet. After a force-push the walk goes on
/// from where the old and the new branch part, or begins anew if they have nothing in common.
[[nodiscard]] Round plan_round(const builders::Repository& repository, const std::string& tip,
                               const std::string& start, const std::set<std::string>& done,
                               const WalkPolicy& policy, std::int64_t now, const FirstSeen& seen = {});

/// Every step-th position after the last one done, and the newest. Where all commits are walked, those of a
/// branch that was merged later lie between examined ones: then every step-th one that was not examined.
[[nodiscard]] std::vector<std::size_t> positions_to_examine(const Line& line,
                                                            const std::set<std::string>& done,
                                                            const WalkPolicy& policy);

}  // namespace tandem::daemon
