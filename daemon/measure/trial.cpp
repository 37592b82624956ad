#include "daemon/measure/trial.hpp"

#include <algorithm>

namespace tandem::daemon {

const Screened* Measured::of(const Candidate& candidate) const {
  const auto found = std::find_if(screened.begin(), screened.end(), [&](const Screened& one) {
    return one.benchmark == candidate.in_program && one.metric.name == candidate.metric.name;
  });
  return found == screened.end() ? nullptr : &*found;
}

analysis::Direction Suspect::direction() const {
  return screened.verdict.outcome == analysis::Outcome::slower ? analysis::Direction::slower
                                                               : analysis::Direction::faster;
}

Trial narrowed(const Trial& trial, std::size_t control, std::vector<Candidate> wanted) {
  Trial one = trial;
  one.control = control;
  one.candidates = std::move(wanted);
  return one;
}

std::optional<Trial> find_trial(const std::vector<Trial>& trials, const std::string& benchmark,
                                std::size_t control) {
  for (const Trial& trial : trials) {
    for (const Candidate& candidate : trial.candidates) {
      if (candidate.name == benchmark) return narrowed(trial, control, {candidate});
    }
  }
  return std::nullopt;
}

}  // namespace tandem::daemon
