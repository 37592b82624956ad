#include "daemon/walk/verdict_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/records/wording.hpp"
#include "daemon/report/comparison_report.hpp"
#include "daemon/walk/identical.hpp"

namespace tandem::daemon {

store::StoredVerdict VerdictLog::without_screen(const std::string& commit, const std::string& control,
                                                const Test* test, const Candidate& candidate,
                                                analysis::Outcome outcome, std::string note) const {
  store::StoredVerdict verdict;
  verdict.commit = commit;
  verdict.control = control;
  verdict.benchmark = candidate.name;
  verdict.metric = candidate.metric;
  verdict.outcome = outcome;
  verdict.note = std::move(note);
  verdict.at = context_.now();
  if (test != nullptr) verdict.definition = definition_of(*test);
  return verdict;
}

store::StoredVerdict VerdictLog::of_screen(const std::string& commit, const std::string& control,
                                           const Test& test, const Candidate& candidate,
                                           const Screened& screened, const analysis::Margin& margin,
                                           std::uint64_t seed) const {
  auto verdict = without_screen(commit, control, &test, candidate, screened.verdict.outcome,
                                report::verdict_sentence(screened));
  verdict.metric = screened.metric;
  if (margin.value > test.margin && screened.rule == Screened::Rule::evidence) {
    verdict.note += fmt::format("; margin {}: {}", report::percentage(margin.value), margin.why);
  }
  verdict.verdict = screened.verdict;
  verdict.history = screened.history;
  verdict.seed = seed;
  verdict.definition.version = screened.version;
  return verdict;
}

void VerdictLog::save(const store::StoredVerdict& verdict) const {
  context_.store.save_step(settings_.key, {verdict, {}});
  show(verdict);
}

void VerdictLog::save_held_back() {
  for (const store::StoredVerdict& verdict : held_back_) save(verdict);
  held_back_.clear();
}

void VerdictLog::note_margin(const Candidate& candidate, const analysis::Margin& margin) const {
  const auto before = context_.store.newest_margin(settings_.key, candidate.name, candidate.metric.name);
  if (!before || margin.value >= *before * (1 - 1e-6)) return;
  context_.store.add_event(
      {settings_.key.watch, "margin",
       fmt::format("the margin of {} goes from {} down to {}: {}", candidate.name,
                   report::percentage(*before), report::percentage(margin.value), margin.why),
       context_.now()});
}

void VerdictLog::show(const store::StoredVerdict& verdict) const {
  constexpr std::size_t most_shown = 20;
  Status& status = context_.status;
  const std::string series = report::series_name(verdict.benchmark, verdict.metric);
  status.last_verdicts.insert(status.last_verdicts.begin(), {settings_.key.platform, verdict.commit, series,
                                                             name_of(verdict.outcome), verdict.note});
  status.last_verdicts.resize(std::min(status.last_verdicts.size(), most_shown));
  // Of the metrics beside the time only those of observers, whose names hold them, are measured for their own
  // sake.
  if (verdict.verdict.launches > 0 && series == verdict.benchmark) {
    Status::Noise& noise = status.noise_floor[verdict.benchmark];
    noise.sigma = verdict.verdict.sigma;
    noise.minimum_detectable_effect = verdict.verdict.minimum_detectable_effect;
  }
  context_.show();
}

void VerdictLog::show_progress(const ScreeningProgress& progress, const std::string& benchmark) const {
  Status& status = context_.status;
  status.phase = progress.phase == ScreeningProgress::Phase::confirming ? "confirming" : "measuring";
  status.benchmark = benchmark;
  status.launch = progress.launch;
  status.most_launches = progress.most;
  context_.show();
}

}  // namespace tandem::daemon
