#include "runners/pair_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "runners/conversation.hpp"
#include "runners/launch_command.hpp"
#include "runners/program_copies.hpp"
#include "runners/shared_page.hpp"
#include "runners/whole_process.hpp"

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

HostPairRunner::HostPairRunner(HostSettings settings) : settings_(std::move(settings)) {
  if (settings_.environment.empty()) settings_.environment = current_environment();
  if (settings_.scratch.empty()) settings_.scratch = std::filesystem::temp_directory_path();
  clear_leftover_copies(settings_.scratch);
}

std::variant<ProgramFacts, RunFailure> HostPairRunner::inspect(const ProgramPair& pair, Side side,
                                                               std::stop_token stop) {
  if (pair.protocol && *pair.protocol != Protocol::slices)
    return inspect_process(settings_, pair, side, stop);
  const LaunchPlan plan;
  const ProgramPair same = pair.both(side);
  const ProgramCopies copies(settings_.scratch, same, plan);
  Conversation conversation(0, Children::Clock::now() + pair.deadline.value_or(settings_.deadline),
                            std::move(stop));
  Children::Options options{settings_.output_bytes, Children::Options::Channel::yes, -1};
  try {
    Command command = command_in_slot(settings_, same, plan, 0, pair.commands.back(), copies);
    command.cpus = settings_.cpus.all;  // it may have threads
    const auto child = conversation.start(side, command, options);
    if (const Finished* ended = conversation.greet_or_await_end(child))
      return facts_of_output(pair, *ended, side);
    ProgramFacts facts{Protocol::slices, conversation.list(child), {}};
    facts.metrics.resize(facts.benchmarks.size());
    conversation.quit(child);
    return facts;
  } catch (const Broken& broken) {
    return broken.failure;
  }
}

std::variant<BenchmarkFacts, RunFailure> HostPairRunner::look_at(const ProgramPair& pair,
                                                                 const std::string& benchmark,
                                                                 std::stop_token stop) {
  const LaunchPlan plan;
  const ProgramPair same = pair.both(Side::control);
  const ProgramCopies copies(settings_.scratch, same, plan);
  const SharedPage page;
  Conversation conversation(0, Children::Clock::now() + pair.deadline.value_or(settings_.deadline),
                            std::move(stop));
  Children::Options options{settings_.output_bytes, Children::Options::Channel::yes, page.descriptor()};
  try {
    Command command = command_in_slot(settings_, same, plan, 0, pair.commands.back(), copies);
    command.cpus = settings_.cpus.all;  // it may have threads
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
    conversation.quit(child);
    facts.peak_bytes = conversation.children().finished(child).usage.peak_resident_bytes;
    return facts;
  } catch (const Broken& broken) {
    return broken.failure;
  }
}

LaunchResult HostPairRunner::launch(const ProgramPair& pair, const Subject& subject, const LaunchPlan& plan,
                                    std::stop_token stop) {
  const SupervisorPlace place(settings_.cpus);
  return subject.protocol == Protocol::slices
             ? launch_slices(settings_, pair, subject, plan, std::move(stop))
             : launch_processes(settings_, pair, subject, plan, std::move(stop));
}

}  // namespace tandem::runners
