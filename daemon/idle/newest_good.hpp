#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "daemon/walk/steps.hpp"

// What the steps of idle time have in common.
namespace tandem::daemon {

/// The newest commit that was examined and builds, with what its programs list, and what failed since it is.
struct NewestGood {
  std::string commit;
  std::vector<Trial> trials;              ///< against no control yet
  std::set<std::string> left_alone = {};  ///< by left_alone_key
};

/// How a step of idle time ended; `nothing`: there was none to make.
enum class IdleStep { nothing, made, stopped };

/// The position of the newest commit of the line that was examined and builds; nothing: there is none.
[[nodiscard]] std::optional<std::size_t> newest_good_position(const WalkSteps& steps, const Line& line);

/// One kind of work on one benchmark.
[[nodiscard]] std::string left_alone_key(const char* work, const std::string& benchmark);

/// Says in an event that some work failed for these benchmarks; it is not tried again with this commit.
void leave_alone(const WalkSteps& steps, NewestGood& newest, const char* work, const Trial& trial,
                 const std::string& why);

/// The status says what is done at the tip while it is done.
void tell_work(const WalkSteps& steps, std::string sentence);

}  // namespace tandem::daemon
