#include "evaluation/evidence/culprit/tally.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::evaluation {

Judged judge(const History& history, const Finding& finding) {
  if (finding.said == Finding::Said::undecided) return Judged::undecided;
  if (history.steps == Steps::none) {
    return finding.said == Finding::Said::no_culprit ? Judged::exact : Judged::wrong;
  }
  if (finding.said == Finding::Said::no_culprit) return Judged::not_named;
  const auto& others = finding.co_suspects;
  if (finding.culprit == history.first) return others.empty() ? Judged::exact : Judged::among;
  const bool is_other = std::find(others.begin(), others.end(), history.first) != others.end();
  return is_other ? Judged::among : Judged::wrong;
}

void Tally::add(Judged judged, std::size_t made) {
  ++all;
  measurements.push_back(static_cast<double>(made));
  switch (judged) {
    case Judged::exact:
      ++exact;
      break;
    case Judged::among:
      ++among;
      break;
    case Judged::wrong:
      ++wrong;
      break;
    case Judged::withdrawn:
      ++withdrawn;
      break;
    case Judged::not_named:
      ++not_named;
      break;
    case Judged::undecided:
      ++undecided;
      break;
  }
}

void Tally::add(const Tally& other) {
  all += other.all;
  exact += other.exact;
  among += other.among;
  wrong += other.wrong;
  withdrawn += other.withdrawn;
  not_named += other.not_named;
  undecided += other.undecided;
  measurements.insert(measurements.end(), other.measurements.begin(), other.measurements.end());
}

std::string name_of(const Rule& rule) {
  if (rule.kind == Rule::Kind::tandem) return "Tandem";
  return rule.repeats == 1 ? "bisection" : fmt::format("bisection, median of {}", rule.repeats);
}

Tally simulate(const HistoryPlan& plan, const Rule& rule, std::size_t histories, std::uint64_t seed) {
  Tally tally;
  tandem::Random seeds(seed);
  for (std::size_t round = 0; round < histories; ++round) {
    analysis::Noise noise(seeds.next());
    const History history = draw(plan, noise);
    const auto known = known_from_confirmation(history, noise);
    if (rule.kind == Rule::Kind::bisection) {
      const Finding finding = bisect(history, known.effect, rule.repeats, noise);
      tally.add(judge(history, finding), finding.measurements);
      continue;
    }
    const Finding finding = search(history, known, noise);
    Judged judged = judge(history, finding);
    if (finding.said == Finding::Said::culprit && !is_confirmed(history, finding, noise)) {
      judged = judged == Judged::wrong ? Judged::withdrawn : Judged::not_named;
    }
    tally.add(judged, finding.measurements);
  }
  return tally;
}

}  // namespace tandem::evaluation
