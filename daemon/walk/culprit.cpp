#include "daemon/walk/culprit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/culprit_search.hpp"
#include "analysis/statistics.hpp"

namespace tandem::daemon {
namespace {

/// Ranges with more culprits than these are rare; what is left over then is not told.
constexpr std::size_t most_steps = 8;

/// The share of a drift that a part of its range must hold to stand for it.
constexpr double most_of_it = 0.8;

/// A metric with a rule of its own is found worse or not: that is known almost surely each time.
constexpr double exact_effect = 1;
constexpr double exact_sigma = 0.05;

/// The same benchmark, suspected of the opposite.
Suspect turned(Suspect suspect) {
  auto& outcome = suspect.screened.verdict.outcome;
  outcome = outcome == analysis::Outcome::slower ? analysis::Outcome::faster : analysis::Outcome::slower;
  suspect.likely_range.reset();
  return suspect;
}

/// ln of the whole change as a cost.
double effect_of(const ConfirmationRecord& whole) {
  return std::log(whole.result.ratio.estimate);
}

analysis::CulpritSearchSettings settings_for(const Suspect& suspect, const ConfirmationRecord& whole) {
  analysis::CulpritSearchSettings settings;
  if (suspect.is_exact()) {
    settings.effect = suspect.direction() == analysis::Direction::slower ? exact_effect : -exact_effect;
    settings.sigma = exact_sigma;
    settings.smallest_effect = exact_effect / 2;
    return settings;
  }
  settings.effect = effect_of(whole);
  settings.smallest_effect = std::min(std::log1p(whole.minimum_effect), std::abs(settings.effect));
  // Units that lie together by luck must not make it too sure.
  settings.sigma =
      std::max(analysis::robust_deviation(whole.units).value_or(0), settings.smallest_effect / 10);
  return settings;
}

/// What lies after the first and up to the second, the second included.
std::vector<std::size_t> range(const Line& line, std::size_t good, std::size_t bad) {
  std::vector<std::size_t> positions;
  for (std::size_t at = good + 1; at < bad; ++at) {
    if (line.leads_to(good, at) && line.leads_to(at, bad)) positions.push_back(at);
  }
  positions.push_back(bad);
  return positions;
}

FoundStep accumulated(std::size_t good, std::size_t bad, const ConfirmationRecord& whole,
                      SearchRecord search) {
  FoundStep step;
  step.kind = FoundStep::Kind::accumulated;
  step.control = good;
  step.culprit = bad;
  step.probability = 0;
  step.search = std::move(search);
  step.confirmation = whole;
  return step;
}

/// The range could not be searched to its end.
FoundStep unconfirmed(std::size_t good, std::size_t bad, ConfirmationRecord trial) {
  FoundStep step;
  step.kind = FoundStep::Kind::unconfirmed;
  step.control = good;
  step.culprit = bad;
  step.probability = 0;
  step.confirmation = std::move(trial);
  return step;
}

/// What the status says as long as this lives.
class StatusWord {
 public:
  explicit StatusWord(std::string& word) : word_(word) {}
  ~StatusWord() { word_.clear(); }
  StatusWord(const StatusWord&) = delete;
  StatusWord& operator=(const StatusWord&) = delete;

 private:
  std::string& word_;
};

}  // namespace

std::string CulpritHunt::identity_at(const Line& line, std::size_t position) const {
  const auto build = context_.store.build(settings_.key, line.commits[position].id);
  return build && build->succeeded ? build->identity : std::string();
}

std::vector<double> CulpritHunt::priors(const Line& line, const std::vector<std::size_t>& candidates) const {
  std::vector<double> weights;
  for (const std::size_t at : candidates) {
    weights.push_back(context_.facts ? builders::culprit_weight(context_.facts(line.commits[at].id)) : 1);
  }
  return weights;
}

std::optional<FoundStep> CulpritHunt::search(const Examination& examination, const Suspect& suspect,
                                             std::size_t good, std::size_t bad,
                                             const ConfirmationRecord& whole) {
  const Line& line = examination.line;
  const auto candidates = range(line, good, bad);
  analysis::CulpritSearch search(settings_for(suspect, whole), priors(line, candidates));
  SearchRecord record;
  record.commits = candidates.size();
  std::vector<std::string> identities(candidates.size());  // of those that were built for it
  const std::string of_good = identity_at(line, good);
  const StatusWord word(context_.status.search);
  while (const auto next = search.next()) {
    const std::size_t at = candidates[*next];
    context_.status.search = fmt::format("{} among {} commits, {} measurements", suspect.candidate.name,
                                         candidates.size(), record.measurements);
    if (identities[*next].empty()) {
      const bool builds = builds_.build(line.commits[at], examination.stop) != nullptr;
      if (examination.stopped()) return std::nullopt;
      if (!builds) {
        search.broken(*next);
        record.broken.push_back(line.commits[at].id);
        continue;
      }
      // What is the same as something known needs no measurement of its own.
      identities[*next] = identity_at(line, at);
      const std::string& mine = identities[*next];
      if (!mine.empty() && mine == of_good) {
        search.same_as(*next, analysis::no_candidate);
        continue;
      }
      const auto twin =
          std::find(identities.begin(), identities.begin() + static_cast<std::ptrdiff_t>(*next), mine);
      const auto earlier = static_cast<std::size_t>(twin - identities.begin());
      if (!mine.empty() && earlier < *next) {
        search.same_as(*next, earlier);
        continue;
      }
      if (mine.empty()) identities[*next] = line.commits[at].id;
    }
    const auto unit = confirmer_.unit(examination, good, at, suspect, ++stream_);
    if (examination.stopped()) return std::nullopt;
    if (const auto* failure = std::get_if<runners::RunFailure>(&unit)) {
      ConfirmationRecord failed = failed_confirmation(suspect, failure->what);
      failed.control = line.commits[good].id;
      failed.treatment = line.commits[at].id;
      failed.minimum_effect = whole.minimum_effect;
      failed.relinked = whole.relinked;
      return unconfirmed(good, bad, std::move(failed));
    }
    if (const auto& value = std::get<std::optional<double>>(unit)) {
      search.measured(*next, *value);
      ++record.measurements;
    } else {
      search.broken(*next);
      record.broken.push_back(line.commits[at].id);
    }
  }
  const auto answer = search.answer();
  if (answer.kind != analysis::CulpritAnswer::Kind::culprit) return accumulated(good, bad, whole, record);
  FoundStep step;
  step.culprit = candidates[answer.culprit];
  step.control = answer.last_good == analysis::no_candidate ? good : candidates[answer.last_good];
  for (const std::size_t one : answer.co_suspects)
    step.co_suspects.push_back(line.commits[candidates[one]].id);
  step.probability = answer.probability / static_cast<double>(1 + step.co_suspects.size());
  step.search = std::move(record);
  return step;
}

std::optional<FoundStep> CulpritHunt::narrowed(const Examination& examination, const Suspect& suspect,
                                               FoundStep step) {
  if (!suspect.likely_range) return step;
  const auto [after, up_to] = *suspect.likely_range;
  const bool inside = after >= step.control && up_to <= step.culprit && after < up_to;
  if (!inside || (after == step.control && up_to == step.culprit)) return step;
  const auto part = confirmer_.confirm(examination, after, up_to, suspect, ++stream_);
  if (examination.stopped()) return std::nullopt;
  if (has_failed(part)) return unconfirmed(step.control, step.culprit, *part);
  if (!is_confirmed(part) || effect_of(*part) / effect_of(step.confirmation) < most_of_it) return step;
  step.control = after;
  step.culprit = up_to;
  step.confirmation = *part;
  return step;
}

std::optional<std::vector<FoundStep>> CulpritHunt::hunt(const Examination& examination,
                                                        const Suspect& suspect, std::size_t good,
                                                        std::size_t bad, const ConfirmationRecord& whole) {
  std::vector<FoundStep> found;
  ConfirmationRecord left = whole;
  const double sign = suspect.direction() == analysis::Direction::slower ? 1 : -1;
  while (found.size() < most_steps) {
    if (range(examination.line, good, bad).size() == 1) {
      found.push_back({FoundStep::Kind::culprit, good, bad, 1, {}, {}, left, suspect.direction()});
      break;
    }
    auto step = search(examination, suspect, good, bad, left);
    if (!step) return std::nullopt;
    if (step->kind == FoundStep::Kind::culprit) {
      const bool is_whole = step->control == good && step->culprit == bad;
      const auto direct =
          is_whole ? std::optional(left)
                   : confirmer_.confirm(examination, step->control, step->culprit, suspect, ++stream_);
      if (examination.stopped()) return std::nullopt;
      if (is_confirmed(direct)) {
        step->confirmation = *direct;
      } else if (has_failed(direct)) {
        step = unconfirmed(good, bad, *direct);
      } else {
        // Luck may look like a small first step. If all of the change lies after it, that is searched.
        const auto ahead = step->culprit == bad
                               ? std::nullopt
                               : confirmer_.confirm(examination, step->culprit, bad, suspect, ++stream_);
        if (examination.stopped()) return std::nullopt;
        if (is_confirmed(ahead) &&
            sign * (effect_of(left) - effect_of(*ahead)) < std::log1p(left.minimum_effect) / 2) {
          good = step->culprit;
          left = *ahead;
          continue;
        }
        step =
            has_failed(ahead) ? unconfirmed(good, bad, *ahead) : accumulated(good, bad, left, step->search);
      }
    }
    if (step->kind == FoundStep::Kind::accumulated) step = narrowed(examination, suspect, *step);
    if (!step) return std::nullopt;
    step->direction = suspect.direction();
    found.push_back(*step);
    if (step->kind != FoundStep::Kind::culprit || step->culprit == bad) break;
    // Is something left of the whole change, or was some of it taken back?
    const double rest = sign * (effect_of(left) - effect_of(step->confirmation));
    if (!suspect.is_exact() && rest < -std::log1p(left.minimum_effect)) {
      const Suspect opposite = turned(suspect);
      const auto back = confirmer_.confirm(examination, step->culprit, bad, opposite, ++stream_);
      if (examination.stopped()) return std::nullopt;
      const auto more = is_confirmed(back) ? hunt(examination, opposite, step->culprit, bad, *back)
                                           : std::vector<FoundStep>{};
      if (!more) return std::nullopt;
      found.insert(found.end(), more->begin(), more->end());
      if (has_failed(back)) found.push_back(unconfirmed(step->culprit, bad, *back));
      break;
    }
    if (!suspect.is_exact() && rest < std::log1p(left.minimum_effect)) break;
    const auto remainder = confirmer_.confirm(examination, step->culprit, bad, suspect, ++stream_);
    if (examination.stopped()) return std::nullopt;
    if (has_failed(remainder)) found.push_back(unconfirmed(step->culprit, bad, *remainder));
    if (!is_confirmed(remainder)) break;
    good = step->culprit;
    left = *remainder;
  }
  return found;
}

}  // namespace tandem::daemon
