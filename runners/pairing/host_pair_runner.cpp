#include "runners/pairing/pair_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "runners/pairing/around_launch.hpp"
#include "runners/pairing/further_metrics.hpp"
#include "runners/pairing/protocol.hpp"
#include "runners/pairing/slices.hpp"
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

/// Runs `work` with everything that can fail in it as a value.
template <class Result, class Work>
std::variant<Result, RunFailure> as_value(Side side, std::uint64_t launch, const std::stop_token& stop,
                                          Work&& work) {
  const StopScope scope(stop);
  try {
    return work();
  } catch (const LaunchFailed& failed) {
    return failed.failure;
  } catch (const Stopped&) {
    return RunFailure{side, launch, RunFailure::Reason::stopped,
                      fmt::format("{} was stopped", name_of(side))};
  }
}

LaunchPlan plan_for_a_look(Side side) {
  LaunchPlan plan;
  plan.first_slot = side;
  return plan;
}

/// One program that is started alone, in slot 0, to be looked at.
struct Look {
  Look(const HostSettings& settings, const ProgramPair& given, Side looked_at, const std::stop_token& stopped)
      : side(looked_at),
        stop(stopped),
        plan(plan_for_a_look(side)),
        pair(given.both(side)),
        copies(settings.scratch, pair, plan),
        context{settings, pair, plan, copies} {
    open_slot(context, 0, stop);
  }

  [[nodiscard]] Conversation converse() const {
    return Conversation(0, Children::Clock::now() + context.deadline(), stop);
  }
  std::size_t start(Conversation& conversation, int page) const {
    Command command = command_in_slot(context, 0, pair.commands.back());
    command.cpus = context.settings.cpus.all;  // it may have threads
    return conversation.start(side, command,
                              {context.settings.output_bytes, Children::Options::Channel::yes, page});
  }

  Side side;
  const std::stop_token& stop;
  LaunchPlan plan;
  ProgramPair pair;
  ProgramCopies copies;
  LaunchContext context;
};

LaunchFailed unreadable(Side side, const std::string& what) {
  return {{side, 0, RunFailure::Reason::protocol, fmt::format("{}: {}", name_of(side), what)}};
}

ProgramFacts facts_of_list(const ResultAdapter& adapter, const Finished& finished, Side side) {
  auto list = adapter.read_list(finished.output);
  if (const auto* wrong = std::get_if<std::string>(&list)) throw unreadable(side, *wrong);
  auto& names = std::get<std::vector<std::string>>(list);
  if (names.empty()) throw unreadable(side, "it lists no benchmark of its own");
  ProgramFacts facts{*adapter.protocol, std::move(names), {}};
  facts.metrics.resize(facts.benchmarks.size());
  return facts;
}

/// What a program shows that ended by itself; its protocol is recognised by its output, or is that of the
/// spec.
ProgramFacts facts_of_output(const Look& look, Finished finished) {
  expect_good_end(look.side, 0, finished, look.pair.status, "");
  const SlotEnd end = close_slot(look.context, 0, std::move(finished), look.stop);
  const auto wished = look.pair.protocol;
  if (wished == Protocol::slices) {
    throw unreadable(look.side,
                     "it ended without speaking the slice protocol, which its spec expects (\"sdk\")");
  }
  auto seen = wished ? Recognised{*wished, read_results(look.pair, *wished, end)} : recognise(look.pair, end);
  if (const auto* wrong = std::get_if<std::string>(&seen.results)) throw unreadable(look.side, *wrong);
  const auto& all = std::get<std::vector<Series>>(seen.results);
  if (all.empty()) {
    throw unreadable(look.side, fmt::format("it printed nothing that reads as {}, which its spec expects",
                                            expected_form(look.pair, seen.protocol)));
  }
  ProgramFacts facts;
  facts.protocol = seen.protocol;
  // Every benchmark once, with the first metric that was printed for it.
  std::set<std::string> met;
  for (const Series& series : all) {
    if (!met.insert(series.key).second) continue;
    facts.benchmarks.push_back(series.key);
    facts.metrics.push_back(series.metric);
  }
  constexpr double busier_than_one_thread = 1.2;
  const auto seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
  const ResourceUsage& usage = end.finished.usage;
  if (seconds(usage.cpu()) > busier_than_one_thread * seconds(usage.wall)) facts.threads = 2;
  return facts;
}

/// Of a program of which the spec says that it is a whole process: its commands are run once, without a
/// channel. One that can list its benchmarks is only asked for them.
ProgramFacts inspect_process(const Look& look) {
  ProcessLaunch launch{look.context, look.pair.commands, ProcessLaunch::Limits::watched};
  const ResultAdapter* adapter = find_adapter(*look.pair.protocol);
  const bool lists = adapter != nullptr && adapter->list_argument != nullptr;
  if (lists) launch.commands.back().emplace_back(adapter->list_argument);
  Finished finished = run_slot(launch, 0, look.context.settings.cpus.all, look.stop);
  if (!lists) return facts_of_output(look, std::move(finished));
  run_after(look.context, 0, look.stop);
  return facts_of_list(*adapter, finished, look.side);
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

HostSettings HostPairRunner::settings_for(const ProgramPair& pair, Side side, std::uint64_t launch) {
  if (pair.cpus.empty()) return settings_;
  if (!topology_) topology_ = read_topology();
  const std::vector<int> allowed = allowed_processors(*topology_);
  for (const int cpu : pair.cpus) {
    if (std::find(allowed.begin(), allowed.end(), cpu) != allowed.end()) continue;
    throw LaunchFailed{{side, launch, RunFailure::Reason::not_started,
                        fmt::format("{} must run on processor {}, but this process may use {} only",
                                    name_of(side), cpu, cpu_list(allowed))}};
  }
  HostSettings settings = settings_;
  settings.cpus = choose_cpus(*topology_, pair.cpus);
  return settings;
}

std::variant<ProgramFacts, RunFailure> HostPairRunner::inspect(const ProgramPair& pair, Side side,
                                                               std::stop_token stop) {
  return as_value<ProgramFacts>(side, 0, stop, [&] {
    const HostSettings settings = settings_for(pair, side, 0);
    const Look look(settings, pair, side, stop);
    if (pair.protocol && *pair.protocol != Protocol::slices) return inspect_process(look);
    Conversation conversation = look.converse();
    const auto child = look.start(conversation, -1);
    if (const Finished* ended = conversation.greet_or_await_end(child)) return facts_of_output(look, *ended);
    ProgramFacts facts{Protocol::slices, conversation.list(child), {}};
    facts.metrics.resize(facts.benchmarks.size());
    conversation.quit(child, pair.status);
    run_after(look.context, 0, stop);
    return facts;
  });
}

std::variant<BenchmarkFacts, RunFailure> HostPairRunner::look_at(const ProgramPair& pair,
                                                                 const std::string& benchmark,
                                                                 std::stop_token stop) {
  return as_value<BenchmarkFacts>(Side::control, 0, stop, [&] {
    const HostSettings settings = settings_for(pair, Side::control, 0);
    const Look look(settings, pair, Side::control, stop);
    const SharedPage page;
    Conversation conversation = look.converse();
    const auto child = look.start(conversation, page.descriptor());
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
    run_after(look.context, 0, stop);
    return facts;
  });
}

LaunchResult HostPairRunner::launch(const ProgramPair& pair, const Subject& subject, const LaunchPlan& plan,
                                    std::stop_token stop) {
  return as_value<std::vector<Sampled>>(plan.side_of(0), plan.index, stop, [&] {
    const HostSettings settings = settings_for(pair, plan.side_of(0), plan.index);
    const SupervisorPlace place(settings.cpus);
    const bool sliced = subject.protocol == Protocol::slices;
    auto sampled = (sliced ? launch_slices : launch_processes)(settings, pair, subject, plan, stop);
    // A sliced side alone is run to see what it takes without the other, and for nothing else.
    if (sliced && plan.only) return sampled;
    add_unknown(sampled, further_metrics({settings, pair, subject, plan, sampled.front().launch}, stop));
    return sampled;
  });
}

}  // namespace tandem::runners
