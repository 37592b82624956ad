#pragma once

#include <cstdint>
#include <string>

#include "daemon/records/record.hpp"

namespace tandem::daemon {

/// The name shown for what the daemon itself puts off. It is no more than a name: a service that runs as the
/// user of this name serves people's requests too.
inline constexpr const char* asked_by_tandem = "tandem";

/// What a person asks the daemon for, or the daemon puts off until it has time. Kept in the store until it is
/// answered; the answer stays.
struct Request {
  /// measure: the commit against its control, or against `against`; bisect: the culprit after `against` up to
  /// `commit`; rerun: the record's confirmation once more; confirm: a suspect that was postponed.
  enum class Kind { measure, bisect, rerun, confirm };
  /// Who wants it: people come before the walk, what the daemon put off is done when there is time.
  enum class Origin { person, tandem };
  enum class State { waiting, running, done, failed };

  std::int64_t id = 0;  ///< given by the store
  Kind kind = Kind::measure;
  WatchKey key;           ///< an empty platform: every platform of the watch
  std::string commit;     ///< as a person writes it: hash, beginning of one, branch or tag
  std::string against;    ///< the same; empty: the control of the watch's rule
  std::string benchmark;  ///< empty: all
  std::string record;     ///< id of the report, of `rerun` and `confirm`
  std::string by;
  Origin origin = Origin::person;
  std::int64_t at = 0;
  State state = State::waiting;
  std::string progress;  ///< a sentence while it runs
  std::string answer;    ///< what came of it, lines for a person; empty until the end
  int code = 0;          ///< the exit code of the design that the answer stands for
  int attempts = 0;      ///< counted by the store: how often the daemon ended while it worked on this
};

[[nodiscard]] const char* name_of(Request::Kind kind);
[[nodiscard]] const char* name_of(Request::Origin origin);
[[nodiscard]] const char* name_of(Request::State state);

}  // namespace tandem::daemon
