#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/store/store.hpp"
#include "daemon/walk/control.hpp"
#include "daemon/walk/publish.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::daemon {

/// A commit whose submodules cannot be fetched is tried until the pauses between its tries add up to this, at
/// least once a day: a server may be away for a weekend, or a token for a week. Other commits are given up
/// after `most_tries`.
inline constexpr std::chrono::hours longest_outage{14 * 24};

/// Why a commit could not be examined now.
struct PutOff {
  std::string kind;  ///< a name of builders::BuildFailure::Kind
  std::string sentence;
};

/// Notes one more try of the commit. After the last one it is a failed build of that kind, and done; a person
/// may still queue it. A try before it was due, by a pass by hand, does not count.
enum class Later { waits, given_up };
Later put_off(store::Store& store, const WatchKey& key, const std::string& commit, const PutOff& why,
              std::chrono::duration<double> interval, std::int64_t now);

/// Commits of the line that wait and may be tried now, by position.
enum class Pauses { kept, ignored };  ///< ignored: one pass by hand tries them all
[[nodiscard]] std::vector<std::size_t> due_commits(const std::vector<store::WaitingCommit>& waiting,
                                                   const Line& line, std::int64_t now, Pauses pauses);

/// Whether the commit was given up for a reason that was not its own doing.
[[nodiscard]] bool was_given_up(const store::Store& store, const WatchKey& key, const std::string& commit);

/// A commit that was examined after later ones is no longer suspected together with those: either it has a
/// record of its own now, which takes the place of theirs, or it is innocent.
void settle_co_suspects(store::Store& store, const Publisher& publisher, const WatchKey& key,
                        const std::string& commit, std::int64_t now);

}  // namespace tandem::daemon
