#include "daemon/fake_history.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "specs/foundation/random.hpp"

namespace tandem::tests {
namespace {

using builders::BuildFailure;
using builders::Executable;
using daemon::RecordState;
using runners::RunFailure;
using runners::Side;

// Stores are synced at every step; hundreds of them are quick only where that costs nothing.
const bool in_memory = std::filesystem::is_directory("/dev/shm") && ::setenv("TMPDIR", "/dev/shm", 1) == 0;

constexpr std::int64_t monday = 1'704'672'000;  // 2024-01-08 00:00 UTC
constexpr std::int64_t hour = 3600;

BuildFailure failure_of(const builders::Commit& commit, BuildFailure::Kind kind, const char* sentence) {
  BuildFailure failure;
  failure.commit = commit.id;
  failure.kind = kind;
  failure.sentence = sentence;
  return failure;
}

}  // namespace

FakeCommit at_cost(std::string id, double cost) {
  FakeCommit commit;
  commit.id = std::move(id);
  commit.costs = {{"work", cost}};
  return commit;
}

FakeCommit with_fate(std::string id, FakeCommit::Fate fate) {
  FakeCommit commit;
  commit.id = std::move(id);
  commit.fate = fate;
  return commit;
}

std::variant<Executable, BuildFailure> FakeBuilder::build(const builders::Commit& commit,
                                                          std::stop_token stop) {
  calls.push_back(commit.id);
  if (before_call) before_call();
  if (stop.stop_requested()) return failure_of(commit, BuildFailure::Kind::stopped, "stopped");
  const FakeCommit& fake = commits_.at(commit.id);
  if (fake.fate == FakeCommit::Fate::does_not_build) {
    return failure_of(commit, BuildFailure::Kind::source, "the build script exited with status 1");
  }
  if (fake.fate == FakeCommit::Fate::meets_a_full_disk) {
    return failure_of(commit, BuildFailure::Kind::disk, "no space is left on the device");
  }
  Executable executable;
  executable.commit = commit.id;
  executable.platform = "linux";
  executable.directory = "/builds";
  executable.program = executable.directory / commit.id;
  executable.key = "key of " + commit.id;
  executable.manifest = {{"program", builders::ManifestFile::Kind::program, 1,
                          fake.content.empty() ? "content of " + commit.id : fake.content}};
  executable.fingerprint = executable.manifest.front().sha256;
  if (!layouts) executable.layout_unresolved = "a fake has no layouts";
  return executable;
}

std::variant<builders::Executable, builders::RelinkFailure> FakeBuilder::relink(
    const builders::Executable& executable, std::uint64_t seed, std::stop_token /*stop*/) {
  using builders::RelinkFailure;
  if (!layouts) return RelinkFailure{RelinkFailure::Kind::not_possible, "a fake has no layouts"};
  relinked.emplace_back(executable.commit, seed);
  if (unlinked) {
    if (auto failure = unlinked(executable.commit, seed)) return std::move(*failure);
  }
  builders::Executable layout = executable;
  layout.layout = fmt::format("{:016x}", seed);
  layout.directory = executable.directory / layout.layout;
  layout.program = layout.directory / executable.commit;
  return layout;
}

FakeWalk::FakeWalk(const std::vector<FakeCommit>& history, double margin)
    : store(std::make_unique<daemon::store::Store>(directory.path() / "tandem.db",
                                                   daemon::store::Store::Mode::write)),
      publisher(directory.path()),
      now(monday) {
  static_cast<void>(in_memory);
  set_line(history);

  runner.benchmarks = [this](const std::string& program) {
    std::vector<std::string> names;
    for (const auto& [name, cost] : commits.at(program).costs) names.push_back(name);
    return names;
  };
  runner.log_ratio = [this](const Call& call) {
    return std::log(commits.at(call.treatment).costs.at(call.benchmark)) -
           std::log(commits.at(call.control).costs.at(call.benchmark)) +
           layout_effect(call.treatment, call.treatment_layout) -
           layout_effect(call.control, call.control_layout) + noise_of(call);
  };
  runner.beside = [this](const Call& call) { return beside_of(call); };
  runner.fails = [this](const Call& call) -> std::optional<RunFailure> {
    for (const Side side : {Side::control, Side::treatment}) {
      const FakeCommit& commit = commits.at(side == Side::control ? call.control : call.treatment);
      const bool at_start = commit.fate == FakeCommit::Fate::crashes_at_start;
      const bool in_launch =
          commit.fate == FakeCommit::Fate::crashes_in_launches && call.kind == Call::Kind::launch;
      const bool lacks = call.kind == Call::Kind::launch && runner.protocol == runners::Protocol::slices &&
                         !commit.costs.contains(call.benchmark);
      if (at_start || in_launch || lacks) return crash_of(side);
    }
    return std::nullopt;
  };

  settings.key = {"pebble", "linux"};
  settings.url = "https://example.org/pebble.git";
  settings.tests = daemon::tests_of({}, {margin});
  settings.scratch = directory.path();
  settings.layouts = 4;
}

void FakeWalk::set_line(const std::vector<FakeCommit>& history) {
  std::vector<builders::Commit> all;
  for (const FakeCommit& fake : history) {
    builders::Commit commit;
    commit.id = fake.id;
    commit.subject = fake.subject.empty() ? "Change of " + fake.id : fake.subject;
    commit.first_parent = all.empty() ? "" : all.back().id;
    commit.committer_time =
        monday + fake.days * 24 * hour + static_cast<std::int64_t>(all.size()) * hour / 60;
    all.push_back(commit);
    commits[fake.id] = fake;
  }
  line = daemon::make_line(std::move(all), monday + 365 * 24 * hour);
}

builders::CommitFacts FakeWalk::facts_of(const std::string& commit) const {
  const FakeCommit& fake = commits.at(commit);
  builders::CommitFacts facts;
  facts.patch_id = fake.patch;
  facts.reverse_patch_id = fake.undoes;
  facts.reverts = fake.reverts;
  facts.files = fake.files;
  return facts;
}

double FakeWalk::layout_effect(const std::string& commit, const std::string& layout) const {
  const FakeCommit& fake = commits.at(commit);
  const bool built = layout == "builds";
  constexpr std::uint64_t seeds_of_a_screen = 4;
  double effect = built ? std::log(fake.shipped) : 0;
  if (!built && std::stoull(layout, nullptr, 16) <= seeds_of_a_screen) effect = std::log(fake.first_layouts);
  if (layout_spread > 0) {
    std::mt19937_64 random(tandem::seed_of(commit + "\n" + layout));
    effect += std::normal_distribution<double>(0, layout_spread)(random);
  }
  return effect;
}

double FakeWalk::noise_of(const Call& call) const {
  if (sigma <= 0) return 0;
  std::mt19937_64 random(call.plan.program_seed + (call.plan.first_slot == Side::control ? 1 : 0));
  return std::normal_distribution<double>(0, sigma)(random);
}

std::vector<Beside> FakeWalk::beside_of(const Call& call) const {
  std::vector<Beside> all;
  for (const auto& [name, value] : commits.at(call.treatment).beside) {
    const auto rule = rules.find(name);
    specs::Metric metric{name, "B"};
    if (rule != rules.end()) metric = rule->second;
    const auto& of_control = commits.at(call.control).beside;
    const auto found = of_control.find(name);
    if (found != of_control.end()) all.push_back({metric, found->second, value});
  }
  return all;
}

void FakeWalk::restart() {
  pipeline_ = std::make_unique<daemon::Pipeline>(
      settings, daemon::WalkContext{builder,
                                    runner,
                                    *store,
                                    publisher,
                                    [this] { return now; },
                                    status,
                                    [] {},
                                    {},
                                    [this](const std::string& commit) { return facts_of(commit); },
                                    results});
}

bool FakeWalk::examine_one(std::size_t position, const std::stop_token& stop) {
  if (!pipeline_) restart();
  return pipeline_->examine({line, position, stop}) == daemon::Pipeline::Examined::done;
}

void FakeWalk::examine(const std::vector<std::size_t>& positions) {
  std::vector<std::size_t> chosen = positions;
  for (std::size_t at = 0; positions.empty() && at < line.commits.size(); ++at) chosen.push_back(at);
  for (const std::size_t at : chosen) examine_one(at);
}

std::vector<std::string> FakeWalk::verdicts() const {
  std::vector<std::string> found;
  for (const auto& commit : line.commits) {
    for (const auto& verdict : store->verdicts(settings.key, commit.id)) {
      const std::string control = verdict.control.empty() ? "" : " against " + verdict.control;
      found.push_back(
          fmt::format("{} {} {}{}", verdict.commit, verdict.benchmark, name_of(verdict.outcome), control));
    }
  }
  return found;
}

std::vector<std::string> FakeWalk::records() const {
  std::vector<std::string> found;
  for (const daemon::Record& record : store->records({})) {
    const std::string series = record.metric.name == runner.metric.name
                                   ? record.benchmark
                                   : record.benchmark + " " + record.metric.name;
    std::string text = fmt::format("{} {} {} {} ({}..{}) {:.3f}", name_of(record.kind), name_of(record.state),
                                   series, record.culprit.id, record.confirmation.control,
                                   record.confirmation.treatment, record.ratio.estimate);
    for (const std::string& other : record.co_suspects) text += " or " + other;
    if (record.state == RecordState::fixed) text += " fixed by " + record.life.back().commit;
    if (record.state == RecordState::partly_fixed) {
      text += fmt::format(" {:.3f} left", record.remaining.value_or(0));
    }
    found.push_back(text);
  }
  return found;
}

daemon::Record FakeWalk::record(daemon::RecordKind kind, const std::string& culprit) const {
  auto all = store->records({{}, {}, kind, {}});
  std::erase_if(all, [&](const daemon::Record& one) { return one.culprit.id != culprit; });
  EXPECT_EQ(all.size(), 1u) << name_of(kind) << " of " << culprit;
  return all.empty() ? daemon::Record{} : all.front();
}

std::string FakeWalk::level(const std::string& benchmark, std::string metric) const {
  if (metric.empty()) metric = runner.metric.name;
  auto records = store->records({settings.key, benchmark, {}, {}});
  std::erase_if(records, [&](const daemon::Record& one) { return one.metric.name != metric; });
  const auto at = daemon::level_before(line, line.commits.size(), records);
  return at ? line.commits[*at].id : "";
}

std::vector<std::string> FakeWalk::done() const {
  return store->done(settings.key);
}

void at_call(FakeWalk& walk, std::size_t number, const std::function<void()>& act) {
  const auto count = std::make_shared<std::size_t>(0);
  const auto hook = [=] {
    if (++*count == number) act();
  };
  walk.builder.before_call = hook;
  walk.runner.before_call = hook;
}

}  // namespace tandem::tests
