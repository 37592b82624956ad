#include "runners/pairing/pair_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "runners/host/findings.hpp"
#include "runners/pairing/around_launch.hpp"
#include "runners/pairing/launch_command.hpp"
#include "runners/pairing/program_copies.hpp"
#include "runners/pairing/protocol.hpp"
#include "runners/pairing/shared_page.hpp"
#include "runners/pairing/whole_process.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::runners {
namespace {

/// How long the iterations are timed together: as long as a slice, so that the clock's own cost is small.
constexpr double look_ns = 200'000;
constexpr std::uint64_t most_iterations = std::uint64_t{1} << 40;

std::size_t threads_of(int pid) {
  std::error_code error;
  const std::filesystem::directory_iterator tasks(fmt::format("/proc/{}/task", pid), error);
  return error ? 1 : static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace

const char* name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::slices:
      return "slices";
    case Protocol::observer:
      return "observer lines";
    case Protocol::google_benchmark:
      return "Google Benchmark's JSON";
    case Protocol::benchdnn:
      return "benchdnn's lines";
    case Protocol::command:
      return "command";
  }
  return "";
}

namespace {

RunFailure stopped_while_copying(Side side, std::uint64_t launch) {
  return {side, launch, RunFailure::Reason::stopped, fmt::format("{} was stopped", name_of(side))};
}

}  // namespace

HostPairRunner::HostPairRunner(HostSettings settings) {
  use(std::move(settings));
  clear_leftover_copies(settings_.scratch);
}

void HostPairRunner::use(HostSettings settings) {
  settings_ = std::move(settings);
  if (settings_.environment.empty()) settings_.environment = current_environment();
  if (settings_.scratch.empty()) settings_.scratch = std::filesystem::temp_directory_path();
  if (settings_.foreign == Foreign::yes) let_sandbox_enter(settings_.scratch);
}

std::variant<HostSettings, RunFailure> HostPairRunner::settings_for(const ProgramPair& pair, Side side,
                                                                    std::uint64_t launch) {
  if (pair.cpus.empty()) return settings_;
  if (!topology_) topology_ = read_topology();
  const std::vector<int> allowed = allowed_processors(*topology_);
  for (const int cpu : pair.cpus) {
    if (std::find(allowed.begin(), allowed.end(), cpu) != allowed.end()) continue;
    return RunFailure{side, launch, RunFailure::Reason::not_started,
                      fmt::format("{} must run on processor {}, but this process may use {} only",
                                  name_of(side), cpu, cpu_list(allowed))};
  }
  HostSettings settings = settings_;
  settings.cpus = choose_cpus(*topology_, pair.cpus);
  return settings;
}

std::variant<ProgramFacts, RunFailure> HostPairRunner::inspect(const ProgramPair& pair, Side side,
                                                               std::stop_token stop) try {
  const StopScope scope(stop);
  const auto chosen = settings_for(pair, side, 0);
  if (const auto* failure = std::get_if<RunFailure>(&chosen)) return *failure;
  const auto& settings = std::get<HostSettings>(chosen);
  if (pair.protocol && *pair.protocol != Protocol::slices) return inspect_process(settings, pair, side, stop);
  LaunchPlan plan;
  plan.first_slot = side;
  const ProgramPair same = pair.both(side);
  const ProgramCopies copies(settings.scratch, same, plan);
  const LaunchGround ground{settings, same, plan, copies};
  if (const auto failure = open_slot(ground, 0, stop)) return *failure;
  Conversation conversation(0, Children::Clock::now() + ground.deadline(), stop);
  Children::Options options{settings.output_bytes, Children::Options::Channel::yes, -1};
  try {
    Command command = command_in_slot(ground, 0, pair.commands.back());
    command.cpus = settings.cpus.all;  // it may have threads
    const auto child = conversation.start(side, command, options);
    if (const Finished* ended = conversation.greet_or_await_end(child)) {
      if (!ended_well(*ended, pair.status)) return failure_of(side, 0, *ended, "");
      const auto end = close_slot(ground, 0, *ended, stop);
      if (const auto* failure = std::get_if<RunFailure>(&end)) return *failure;
      return facts_of_output(pair, std::get<SlotEnd>(end), side);
    }
    ProgramFacts facts{Protocol::slices, conversation.list(child), {}};
    facts.metrics.resize(facts.benchmarks.size());
    conversation.quit(child, pair.status);
    const auto after = run_after(ground, 0, stop);
    if (const auto* failure = std::get_if<RunFailure>(&after)) return *failure;
    return facts;
  } catch (const Broken& broken) {
    return broken.failure;
  }
} catch (const Stopped&) {
  return stopped_while_copying(side, 0);
}

std::variant<BenchmarkFacts, RunFailure> HostPairRunner::look_at(const ProgramPair& pair,
                                                                 const std::string& benchmark,
                                                                 std::stop_token stop) try {
  const StopScope scope(stop);
  const auto chosen = settings_for(pair, Side::control, 0);
  if (const auto* failure = std::get_if<RunFailure>(&chosen)) return *failure;
  const auto& settings = std::get<HostSettings>(chosen);
  const LaunchPlan plan;
  const ProgramPair same = pair.both(Side::control);
  const ProgramCopies copies(settings.scratch, same, plan);
  const LaunchGround ground{settings, same, plan, copies};
  if (const auto failure = open_slot(ground, 0, stop)) return *failure;
  const SharedPage page;
  Conversation conversation(0, Children::Clock::now() + ground.deadline(), stop);
  Children::Options options{settings.output_bytes, Children::Options::Channel::yes, page.descriptor()};
  try {
    Command command = command_in_slot(ground, 0, pair.commands.back());
    command.cpus = settings.cpus.all;  // it may have threads
    const auto child = conversation.start(Side::control, command, options);
    BenchmarkFacts facts;
    facts.maps_page = conversation.greet(child, true, 0);
    conversation.select(child, benchmark);
    std::uint64_t iterations = 1;
    auto elapsed = static_cast<double>(conversation.run(child, iterations));
    while (elapsed < look_ns && iterations < most_iterations) {
      iterations *= 2;
      elapsed = static_cast<double>(conversation.run(child, iterations));
    }
    // The fastest of a few: a disturbed slice would make all later ones too short.
    for (int again = 0; again < 4 && elapsed < 1e8; ++again) {
      elapsed = std::min(elapsed, static_cast<double>(conversation.run(child, iterations)));
    }
    facts.iteration_ns = elapsed / static_cast<double>(iterations);
    facts.threads = threads_of(conversation.children().program_pid(child));
    conversation.quit(child, pair.status);
    facts.peak_bytes = conversation.children().finished(child).usage.peak_resident_bytes;
    const auto after = run_after(ground, 0, stop);
    if (const auto* failure = std::get_if<RunFailure>(&after)) return *failure;
    return facts;
  } catch (const Broken& broken) {
    return broken.failure;
  }
} catch (const Stopped&) {
  return stopped_while_copying(Side::control, 0);
}

LaunchResult HostPairRunner::launch(const ProgramPair& pair, const Subject& subject, const LaunchPlan& plan,
                                    std::stop_token stop) try {
  const StopScope scope(stop);
  const auto chosen = settings_for(pair, plan.side_of(0), plan.index);
  if (const auto* failure = std::get_if<RunFailure>(&chosen)) return *failure;
  const auto& settings = std::get<HostSettings>(chosen);
  const SupervisorPlace place(settings.cpus);
  return subject.protocol == Protocol::slices
             ? launch_slices(settings, pair, subject, plan, std::move(stop))
             : launch_processes(settings, pair, subject, plan, std::move(stop));
} catch (const Stopped&) {
  return stopped_while_copying(plan.side_of(0), plan.index);
}

}  // namespace tandem::runners
