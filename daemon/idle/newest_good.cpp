#include "daemon/idle/newest_good.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::daemon {

std::optional<std::size_t> newest_good_position(const WalkSteps& steps, const Line& line) {
  const store::Store& store = steps.context.store;
  const auto examined = store.done(steps.settings.key);
  const std::set<std::string> done(examined.begin(), examined.end());
  for (std::size_t at = line.commits.size(); at > 0; --at) {
    const std::string& commit = line.commits[at - 1].id;
    if (!done.contains(commit)) continue;
    const auto build = store.build(steps.settings.key, commit);
    if (build && build->succeeded) return at - 1;
  }
  return std::nullopt;
}

std::string left_alone_key(const char* work, const std::string& benchmark) {
  return fmt::format("{}\n{}", work, benchmark);
}

void leave_alone(const WalkSteps& steps, NewestGood& newest, const char* work, const Trial& trial,
                 const std::string& why) {
  for (const Candidate& one : trial.candidates) newest.left_alone.insert(left_alone_key(work, one.name));
  std::string names = trial.candidates.empty() ? "a benchmark" : trial.candidates.front().name;
  if (trial.candidates.size() > 1) names += fmt::format(" and {} others", trial.candidates.size() - 1);
  steps.context.store.add_event({steps.settings.key.watch, work,
                                 fmt::format("{} of {}: {}", names, newest.commit.substr(0, 12), why),
                                 steps.context.now()});
}

void tell_work(const WalkSteps& steps, std::string sentence) {
  steps.context.status.platform = steps.settings.key.platform;
  steps.context.status.idle_work = std::move(sentence);
  steps.context.show();
}

}  // namespace tandem::daemon
