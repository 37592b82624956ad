// What Bench notes when a program cannot be measured: which side is to blame, and for which benchmarks.
#include "daemon/walk/bench.hpp"
#include "daemon/walk/one_sided.hpp"

namespace tandem::daemon {

using builders::Executable;
using runners::RunFailure;

std::string Bench::failure_name(const runners::ProgramPair& pair, const runners::Subject& subject,
                                const RunFailure& failure, const std::stop_token& stop) const {
  return analysis::name_of(blame(workshop_.runner, pair, subject, failure, stop));
}

void Bench::save_failed_start(const Line& line, std::size_t position, const Executable& treatment,
                              const Test& test, const RunFailure& failure, const std::stop_token& stop) {
  const std::string& commit = line.commits[position].id;
  const std::string name = program_name(test);
  const std::string prefix = full_name(test, "");
  // What the program would have listed is known from the commit before.
  std::vector<Trial> known;
  const auto parent = line.position(line.commits[position].first_parent);
  for (const auto& before : parent ? workshop_.store.verdicts(settings_.key, line.commits[*parent].id)
                                   : std::vector<store::StoredVerdict>{}) {
    if (!before.benchmark.starts_with(prefix) || before.outcome == "missing") continue;
    const Candidate candidate{before.benchmark.substr(prefix.size()), before.benchmark, before.metric};
    if (const auto control = control_for(line, position, test, candidate)) {
      known.push_back({&test, {}, {candidate}, control, 1});
    }
  }
  std::string outcome = "failed";
  if (!known.empty()) {
    const Trial& first = known.front();
    const Executable* control = build(line.commits[*first.control], stop);
    if (stop.stop_requested()) return;
    if (control != nullptr) {
      RunFailure of_treatment = failure;  // only that side was looked at
      of_treatment.side = runners::Side::treatment;
      outcome = failure_name(pair_of(test, *control, treatment, settings_.scratch), {}, of_treatment, stop);
    }
  }
  if (stop.stop_requested()) return;
  if (outcome == "failed") {
    save_without_screen(commit, {}, nullptr, {name, name, {}}, outcome, failure.what);
    return;
  }
  for (const Trial& trial : known) {
    save_without_screen(commit, line.commits[*trial.control].id, &test, trial.candidates.front(), outcome,
                        failure.what);
  }
}

}  // namespace tandem::daemon
