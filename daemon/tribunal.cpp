#include "daemon/tribunal.hpp"

#include <algorithm>
#include <limits>

#include "analysis/statistics.hpp"
#include "daemon/confirming.hpp"
#include "daemon/life.hpp"
#include "daemon/report/record_report.hpp"
#include "runners/random.hpp"

namespace tandem::daemon {
namespace {

using analysis::ConfirmationOutcome;
using builders::Executable;

/// Where nothing can be relinked the bar is four times the spread over commits without effect. Until five of
/// those were seen, the spread that other layouts of one source typically show is assumed.
constexpr double assumed_null_spread = 0.005;
constexpr std::size_t fewest_null_commits = 5;
constexpr std::size_t null_commits = 30;

bool confirmed(const std::optional<ConfirmationRecord>& record) {
  return record && record->result.outcome == ConfirmationOutcome::confirmed;
}

analysis::Direction direction_of(const Suspect& suspect) {
  return suspect.screened.verdict.outcome == analysis::Outcome::slower ? analysis::Direction::slower
                                                                       : analysis::Direction::faster;
}

bool relinked(const Suspect& suspect) {
  return !suspect.layout.starts_with("unresolved");
}

constexpr std::uint64_t first_fresh_seed = std::uint64_t{1} << 32;

}  // namespace

/// What the second trial found: the pair that was confirmed, and between which commits.
struct Tribunal::Finding {
  RecordKind kind = RecordKind::not_reproduced;
  std::size_t control = 0;  ///< of the confirmation
  std::size_t culprit = 0;
  std::vector<std::string> co_suspects;
  ConfirmationRecord confirmation;
};

bool Tribunal::settle(const Line& line, std::size_t position, const Suspect& suspect,
                      const std::stop_token& stop) {
  auto finding = find(line, position, suspect, stop);
  if (!finding) return false;
  const Record record = record_of(line, position, suspect, *finding);
  const std::string& commit = line.commits[position].id;

  store::Store::Step step;
  step.verdict = bench_.verdict_of(commit, line.commits[suspect.control].id, suspect.candidate,
                                   suspect.screened, suspect.seed);
  if (is_step(finding->kind)) step.level = commit;
  const auto known =
      workshop_.store.records({settings_.key, suspect.candidate.name, std::nullopt, std::nullopt});
  const bool repeated =
      std::any_of(known.begin(), known.end(), [&](const Record& one) { return one.id == record.id; });
  if (!repeated) step.records.push_back(record);
  if (record.kind == RecordKind::improvement) {
    auto open =
        workshop_.store.records({settings_.key, suspect.candidate.name, std::nullopt, RecordState::open});
    if (const auto ended = ended_by(open, record, {})) {
      open[ended->which].remaining = ended->remaining;
      step.records.push_back(
          with_event(std::move(open[ended->which]),
                     {ended->state, workshop_.now(), "tandem", ended->reason, record.culprit.id}));
    }
  }
  for (const Record& one : step.records) {
    workshop_.publisher.publish(one, report::record_json(one), report::record_markdown(one));
  }
  workshop_.store.save_step(settings_.key, step);
  bench_.tell_verdict(step.verdict);
  return true;
}

/// The culprit is confirmed against the nearest earlier commit that builds. If only the long way from the
/// control shows a change, it has accumulated; if not even that, it was not reproduced.
std::optional<Tribunal::Finding> Tribunal::find(const Line& line, std::size_t position,
                                                const Suspect& suspect, const std::stop_token& stop) {
  const std::size_t parent =
      std::max(suspect.control, bench_.nearest_before(line, position, suspect.candidate.name).value_or(0));
  Finding finding;
  finding.control = parent;
  finding.culprit = position;
  auto near = confirm(line, parent, position, suspect, 1, stop);
  if (!near) return std::nullopt;
  const bool slower = suspect.screened.verdict.outcome == analysis::Outcome::slower;
  finding.confirmation = *near;
  if (confirmed(near)) {
    finding.kind = slower ? RecordKind::regression : RecordKind::improvement;
    narrow(line, suspect, finding, stop);
    return stop.stop_requested() ? std::nullopt : std::optional(finding);
  }
  if (parent == suspect.control) {
    if (shipped_layout_alone(*near, direction_of(suspect))) finding.kind = RecordKind::layout;
    return finding;
  }
  auto far = confirm(line, suspect.control, position, suspect, 2, stop);
  if (!far) return std::nullopt;
  finding.confirmation = *far;
  finding.control = suspect.control;
  if (confirmed(far)) {
    finding.kind = RecordKind::accumulated;
  } else if (shipped_layout_alone(*far, direction_of(suspect))) {
    finding.kind = RecordKind::layout;
  }
  return finding;
}

/// Commits that the walk stepped over lie between the two: halves the range until one is left. Those that do
/// not build or do not run stay co-suspects. If no single step reaches the bar, the range has accumulated.
void Tribunal::narrow(const Line& line, const Suspect& suspect, Finding& finding,
                      const std::stop_token& stop) {
  const Finding whole = finding;
  std::vector<std::size_t> between;
  for (std::size_t at = finding.control + 1; at < finding.culprit; ++at) {
    if (line.leads_to(finding.control, at) && line.leads_to(at, finding.culprit)) between.push_back(at);
  }
  std::uint64_t stream = 16;
  while (!between.empty() && !stop.stop_requested()) {
    const std::size_t middle = between[between.size() / 2];
    const auto tried = bench_.build(line.commits[middle], stop) == nullptr
                           ? std::nullopt
                           : confirm(line, finding.control, middle, suspect, ++stream, stop);
    if (stop.stop_requested()) return;
    if (!tried || tried->units.empty()) {
      finding.co_suspects.push_back(line.commits[middle].id);
      std::erase(between, middle);
    } else if (confirmed(tried)) {
      finding.culprit = middle;
      finding.confirmation = *tried;
      std::erase_if(between, [&](std::size_t at) { return !line.leads_to(at, middle); });
    } else {
      finding.control = middle;
      std::erase_if(between, [&](std::size_t at) { return at == middle || line.leads_to(at, middle); });
    }
  }
  // Only what lies between the last good commit and the culprit is still under suspicion.
  std::erase_if(finding.co_suspects, [&](const std::string& id) {
    const auto at = line.position(id);
    return !at || *at <= finding.control || *at >= finding.culprit;
  });
  std::sort(finding.co_suspects.begin(), finding.co_suspects.end(),
            [&](const auto& one, const auto& other) { return line.position(one) < line.position(other); });
  const auto& last = finding.confirmation;
  if (last.control == line.commits[finding.control].id && last.treatment == line.commits[finding.culprit].id)
    return;
  if (const auto direct = confirm(line, finding.control, finding.culprit, suspect, ++stream, stop); direct) {
    finding.confirmation = *direct;
    if (confirmed(direct)) return;
    finding = whole;
    finding.kind = RecordKind::accumulated;
  }
}

std::optional<ConfirmationRecord> Tribunal::confirm(const Line& line, std::size_t control,
                                                    std::size_t treatment, const Suspect& suspect,
                                                    std::uint64_t stream, const std::stop_token& stop) {
  const Executable* one = bench_.build(line.commits[control], stop);
  const Executable* other = bench_.build(line.commits[treatment], stop);
  if (one == nullptr || other == nullptr) return std::nullopt;
  ConfirmationTask task;
  const auto built = pair_of(*suspect.test, *one, *other, settings_.scratch);
  const bool fresh = relinked(suspect) && one->layout_unresolved.empty() && other->layout_unresolved.empty();
  std::vector<Executable> linked;  // held as long as their unit runs
  if (fresh) {
    task.as_built = built;
    task.pair = [&](std::uint64_t unit) -> std::variant<runners::ProgramPair, std::string> {
      // Never a seed of the screen: those are small.
      runners::Random seeds(task.seed ^ (unit + 1) * 0xd1342543de82ef95);
      auto control_layout = bench_.layouts().fresh(*one, seeds.next() | first_fresh_seed, stop);
      if (auto* why = std::get_if<std::string>(&control_layout)) return std::move(*why);
      auto treatment_layout = bench_.layouts().fresh(*other, seeds.next() | first_fresh_seed, stop);
      if (auto* why = std::get_if<std::string>(&treatment_layout)) return std::move(*why);
      linked = {std::get<Executable>(std::move(control_layout)),
                std::get<Executable>(std::move(treatment_layout))};
      return pair_of(*suspect.test, linked[0], linked[1], settings_.scratch);
    };
  } else {
    task.pair = [&](std::uint64_t) -> std::variant<runners::ProgramPair, std::string> { return built; };
  }
  task.subject = suspect.subject;
  task.benchmark = suspect.candidate.in_program;
  task.metric = suspect.candidate.metric;
  task.suspected = direction_of(suspect);
  task.statistic =
      suspect.screened.verdict.decided_by_total ? analysis::Statistic::total : analysis::Statistic::median;
  task.minimum_effect = bar(suspect, fresh);
  task.seed = suspect.seed + (stream << 32);
  auto result = confirm_suspect(
      workshop_.runner, task,
      [&](const ScreeningProgress& progress) { bench_.tell_progress(progress, suspect.candidate.name); },
      stop);
  if (stop.stop_requested()) return std::nullopt;
  ConfirmationRecord record;
  if (auto* measured = std::get_if<ConfirmationRecord>(&result)) {
    record = std::move(*measured);
  } else {
    // A program that fails in its second trial has not confirmed anything.
    record.minimum_effect = task.minimum_effect;
    record.result.outcome = ConfirmationOutcome::not_reproduced;
    record.result.ratio = {1.0, 0.0, std::numeric_limits<double>::infinity(), 1.0};
    record.result.next_look = 0;
  }
  record.control = line.commits[control].id;
  record.treatment = line.commits[treatment].id;
  record.relinked = fresh;
  return record;
}

double Tribunal::bar(const Suspect& suspect, bool fresh) const {
  if (fresh) return analysis::minimum_effect(suspect.test->margin);
  const auto effects = workshop_.store.null_effects(settings_.key, suspect.candidate.name,
                                                    suspect.screened.metric.name, null_commits);
  const double spread = effects.size() >= fewest_null_commits
                            ? analysis::robust_deviation(effects).value_or(0)
                            : assumed_null_spread;
  return analysis::minimum_effect(suspect.test->margin, spread);
}

Record Tribunal::record_of(const Line& line, std::size_t position, const Suspect& suspect,
                           const Finding& finding) const {
  Record record;
  record.kind = finding.kind;
  const bool slower = suspect.screened.verdict.outcome == analysis::Outcome::slower;
  const bool lives =
      finding.kind == RecordKind::regression || (finding.kind == RecordKind::accumulated && slower);
  record.state = lives ? RecordState::open : RecordState::noted;
  record.key = settings_.key;
  record.url = settings_.url;
  record.benchmark = suspect.candidate.name;
  record.metric = suspect.screened.metric;
  record.protocol = suspect.subject.protocol;
  record.margin = suspect.test->margin;
  record.control = line.commits[suspect.control];
  record.treatment = line.commits[position];
  record.culprit = line.commits[finding.culprit];
  record.culprit_probability = 1.0 / static_cast<double>(1 + finding.co_suspects.size());
  record.co_suspects = finding.co_suspects;
  record.ratio = metric_ratio(finding.confirmation.result.ratio, record.metric.direction);
  record.screen = suspect.screened.verdict;
  record.confirmation = finding.confirmation;
  record.confirmation.result.ratio = record.ratio;
  record.layout = !finding.confirmation.relinked && relinked(suspect)
                      ? "unresolved: the commits of the confirmation could not be relinked"
                  : relinked(suspect)
                      ? suspect.layout + " in the screen, new ones in every unit of the confirmation"
                      : suspect.layout;
  record.host = runners::read_machine_facts();
  record.id = record_id(record.key, record.benchmark, record.metric.name, record.culprit.id);
  record.incident = record_id(record.key, {}, {}, record.treatment.id);
  record.life.push_back({record.state, workshop_.now(), "tandem",
                         lives ? "confirmed on fresh launches" : name_of(record.kind), record.culprit.id});
  const Executable* control = bench_.build(line.commits[finding.control], {});
  const Executable* culprit = bench_.build(line.commits[finding.culprit], {});
  if (control != nullptr && culprit != nullptr) {
    record.control_build = control->key;
    record.treatment_build = culprit->key;
    record.reproduce = {"tandem", "compare", control->program.string(), culprit->program.string()};
    const auto& command = suspect.test->commands.back();
    if (suspect.subject.protocol == runners::Protocol::slices) {
      record.reproduce.insert(record.reproduce.end(), {"--filter", suspect.candidate.in_program});
    }
    if (command.size() > 1 && command.front() == "{program}") {
      record.reproduce.push_back("--");
      record.reproduce.insert(record.reproduce.end(), command.begin() + 1, command.end());
    }
  }
  return record;
}

}  // namespace tandem::daemon
