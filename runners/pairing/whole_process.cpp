#include "runners/pairing/whole_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "runners/pairing/around_launch.hpp"
#include "runners/pairing/protocol.hpp"
#include "runners/results/google_benchmark.hpp"
#include "runners/results/result_reader.hpp"

namespace tandem::runners {
namespace {

RunFailure unreadable(Side side, const std::string& what) {
  return {side, 0, RunFailure::Reason::protocol, fmt::format("{}: {}", name_of(side), what)};
}

/// Every benchmark once, with the first metric that was printed for it.
ProgramFacts facts_of(Protocol protocol, const std::vector<Series>& all) {
  ProgramFacts facts;
  facts.protocol = protocol;
  std::set<std::string> seen;
  for (const Series& series : all) {
    if (!seen.insert(series.key).second) continue;
    facts.benchmarks.push_back(series.key);
    facts.metrics.push_back(series.metric);
  }
  return facts;
}

std::variant<ProgramFacts, RunFailure> facts_of_list(const Finished& finished, Side side) {
  auto list = read_google_list(finished.output);
  if (const auto* wrong = std::get_if<std::string>(&list)) return unreadable(side, *wrong);
  auto& names = std::get<std::vector<std::string>>(list);
  if (names.empty()) return unreadable(side, "it lists no Google Benchmark of its own");
  ProgramFacts facts{Protocol::google_benchmark, std::move(names), {}};
  facts.metrics.resize(facts.benchmarks.size());
  return facts;
}

}  // namespace

std::variant<ProgramFacts, RunFailure> facts_of_output(const ProgramPair& pair, const SlotEnd& end,
                                                       Side side) {
  const Finished& finished = end.finished;
  if (!ended_well(finished, pair.status)) return failure_of(side, 0, finished, "");
  if (finished.left_behind > 0) return left_behind_by(side, 0, finished.left_behind);
  if (pair.protocol == Protocol::slices) {
    return unreadable(side, "it ended without speaking the slice protocol, which its spec expects (\"sdk\")");
  }
  auto seen = pair.protocol ? Recognised{*pair.protocol, read_results(pair, *pair.protocol, end)}
                            : recognise(pair, end);
  if (const auto* wrong = std::get_if<std::string>(&seen.results)) return unreadable(side, *wrong);
  const auto& series = std::get<std::vector<Series>>(seen.results);
  if (series.empty()) {
    return unreadable(side, fmt::format("it printed nothing that reads as {}, which its spec expects",
                                        expected_form(pair, seen.protocol)));
  }
  ProgramFacts facts = facts_of(seen.protocol, series);
  constexpr double busier_than_one_thread = 1.2;
  const auto seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
  const double busy = seconds(finished.usage.cpu());
  if (busy > busier_than_one_thread * seconds(finished.usage.wall)) facts.threads = 2;
  return facts;
}

std::variant<ProgramFacts, RunFailure> inspect_process(const HostSettings& settings, const ProgramPair& pair,
                                                       Side side, const std::stop_token& stop) {
  LaunchPlan plan;
  plan.first_slot = side;
  const ProgramPair same = pair.both(side);
  const ProgramCopies copies(settings.scratch, same, plan);
  ProcessGround ground{{settings, same, plan, copies}, pair.commands, ProcessGround::Limits::watched};
  const bool listed = pair.protocol == Protocol::google_benchmark;
  if (listed) {
    for (std::string& argument : google_list_arguments())
      ground.commands.back().push_back(std::move(argument));
  }
  if (const auto failure = open_slot(ground, 0, stop)) return *failure;
  auto finished = run_slot(ground, 0, settings.cpus.all, stop);
  if (const auto* failure = std::get_if<RunFailure>(&finished)) return *failure;
  Finished& ended = std::get<Finished>(finished);
  if (listed) {
    const auto after = run_after(ground, 0, stop);
    if (const auto* failure = std::get_if<RunFailure>(&after)) return *failure;
    return facts_of_list(ended, side);
  }
  const auto end = close_slot(ground, 0, std::move(ended), stop);
  if (const auto* failure = std::get_if<RunFailure>(&end)) return *failure;
  return facts_of_output(pair, std::get<SlotEnd>(end), side);
}

Command ProcessGround::command(std::size_t slot, std::size_t number, Scratch scratch) const {
  Command command = command_in_slot(*this, slot, commands.at(number), scratch);
  // A program that speaks the slice protocol would take it for an open channel.
  std::erase_if(command.environment,
                [](const std::string& entry) { return entry.starts_with("TANDEM_FD="); });
  if (limits == Limits::left_alone) leave_undisturbed(command);
  return command;
}

void add_to(Finished& all, const Finished& one) {
  all.how = one.how;
  all.code = one.code;
  all.output += one.output;
  all.errors += one.errors;
  all.usage.wall += one.usage.wall;
  all.usage.user += one.usage.user;
  all.usage.system += one.usage.system;
  all.usage.peak_resident_bytes = std::max(all.usage.peak_resident_bytes, one.usage.peak_resident_bytes);
  all.usage.voluntary_switches += one.usage.voluntary_switches;
  all.usage.involuntary_switches += one.usage.involuntary_switches;
  all.left_behind += one.left_behind;
}

std::variant<Finished, RunFailure> run_slot(const ProcessGround& ground, std::size_t slot,
                                            const std::vector<int>& cpus, const std::stop_token& stop) {
  const Side side = ground.plan.side_of(slot);
  Finished all;
  for (std::size_t number = 0; number < ground.commands.size(); ++number) {
    Command command = ground.command(slot, number);
    command.cpus = cpus;
    const Finished one = run_command(command, {ground.deadline(), ground.settings.output_bytes}, stop);
    if (!ended_well(one, ground.pair.status)) return failure_of(side, ground.plan.index, one, "");
    if (one.left_behind > 0) return left_behind_by(side, ground.plan.index, one.left_behind);
    add_to(all, one);
  }
  return all;
}

}  // namespace tandem::runners
