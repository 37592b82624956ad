#include <fmt/format.h>

#include <algorithm>

#include "runners/pairing/further_metrics.hpp"
#include "runners/pairing/protocol.hpp"
#include "runners/pairing/whole_process.hpp"
#include "runners/results/result_reader.hpp"
#include "specs/foundation/numbers.hpp"

namespace tandem::runners {
namespace {

using specs::InstructionCounter;

/// Callgrind slows programs down some fifty times.
constexpr int callgrind_patience = 60;

/// Digits, with or without commas between the thousands.
std::optional<std::uint64_t> count_in(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != ',') digits += c;
  }
  return number_from<std::uint64_t>(digits);
}

/// Runs `tool` around one side and keeps what it says.
class Counting {
 public:
  Counting(const InstructionTool& tool, const LaunchContext& context, std::size_t slot,
           const std::stop_token& stop)
      : tool_(tool),
        context_(context),
        slot_(slot),
        side_(context.plan.side_of(slot)),
        deadline_(context.deadline() * (tool.kind == InstructionCounter::callgrind ? callgrind_patience : 1)),
        stop_(stop) {}

  double whole(const Subject& subject) const {
    const ProcessLaunch launch{context_, commands_for(context_.pair, subject)};
    double sum = 0;
    for (std::size_t number = 0; number < launch.commands.size(); ++number) {
      const Command command = under_tool(launch.command(slot_, number));
      sum += total(run_command(command, {deadline_, context_.settings.output_bytes}, stop_));
    }
    return sum;
  }

  double per_iteration(const Subject& subject) const {
    const std::uint64_t iterations = std::max<std::uint64_t>(1, subject.shape.iterations);
    return (slices(subject, {1, iterations}) - slices(subject, {1})) / static_cast<double>(iterations);
  }

 private:
  [[nodiscard]] Command under_tool(Command command) const {
    auto argv = tool_.prefix();
    argv.insert(argv.end(), command.argv.begin(), command.argv.end());
    command.argv = std::move(argv);
    return command;
  }

  [[nodiscard]] double slices(const Subject& subject, const std::vector<std::uint64_t>& runs) const {
    Conversation conversation(context_.plan.index, Children::Clock::now() + deadline_, stop_);
    const Children::Options options{context_.settings.output_bytes, Children::Options::Channel::yes, -1};
    const auto child = conversation.start(
        side_, under_tool(command_in_slot(context_, slot_, context_.pair.commands.back())), options);
    conversation.greet(child, false, slot_);
    conversation.select(child, subject.benchmark);
    for (const std::uint64_t iterations : runs) static_cast<void>(conversation.run(child, iterations));
    conversation.quit(child, context_.pair.status);
    return total(conversation.children().finished(child));
  }

  [[nodiscard]] double total(const Finished& finished) const {
    const char* name = tool_.kind == InstructionCounter::perf ? "perf" : "callgrind";
    const std::uint64_t launch = context_.plan.index;
    if (!ended_well(finished, context_.pair.status))
      throw LaunchFailed{failure_of(side_, launch, finished, fmt::format("under {}", name))};
    const auto count = tool_.total_in(finished.errors);
    if (!count) {
      throw LaunchFailed{{side_, launch, RunFailure::Reason::protocol,
                          fmt::format("{} ended under {}, which did not say how many instructions it took",
                                      name_of(side_), name)}};
    }
    return static_cast<double>(*count);
  }

  const InstructionTool& tool_;
  const LaunchContext& context_;
  std::size_t slot_;
  Side side_;
  std::chrono::nanoseconds deadline_;
  const std::stop_token& stop_;
};

}  // namespace

std::vector<std::string> InstructionTool::prefix() const {
  if (kind == InstructionCounter::perf) return {path.string(), "stat", "-x,", "-e", "instructions:u", "--"};
  return {path.string(), "--tool=callgrind", "--callgrind-out-file=/dev/null"};
}

std::optional<std::uint64_t> InstructionTool::total_in(std::string_view errors) const {
  std::optional<std::uint64_t> total;
  for_each_line(errors, [&](std::string_view line, std::size_t /*number*/) {
    if (kind == InstructionCounter::perf) {
      // VALUE,UNIT,EVENT,…
      const auto unit = line.find(',');
      const auto event = unit == std::string_view::npos ? unit : line.find(',', unit + 1);
      if (event != std::string_view::npos && line.substr(event + 1).starts_with("instructions:u,"))
        total = count_in(line.substr(0, unit));
    } else if (line.starts_with("==")) {
      constexpr std::string_view label = " Collected : ";
      if (const auto at = line.find(label); at != std::string_view::npos)
        total = count_in(line.substr(at + label.size()));
    }
    return true;
  });
  return total;
}

std::variant<InstructionTool, std::string> find_instruction_tool(InstructionCounter wish,
                                                                 const std::vector<std::string>& environment,
                                                                 const std::stop_token& stop) {
  if (wish != InstructionCounter::callgrind) {
    if (const auto perf = find_program("perf", environment)) {
      const InstructionTool tool{InstructionCounter::perf, *perf};
      Command trial;
      trial.argv = tool.prefix();
      trial.argv.emplace_back("/bin/true");
      trial.environment = environment;
      if (tool.total_in(run_command(trial, {std::chrono::seconds{10}, 100'000}, stop).errors)) return tool;
    }
    if (wish == InstructionCounter::perf) {
      return "perf cannot count instructions on this host: it is missing, forbidden "
             "(kernel.perf_event_paranoid), or the processor has no counters for us; write \"instructions\": "
             "\"callgrind\"";
    }
  }
  if (const auto valgrind = find_program("valgrind", environment))
    return InstructionTool{InstructionCounter::callgrind, *valgrind};
  return "instructions cannot be counted on this host: perf does not count and valgrind is missing; install "
         "valgrind";
}

double count_instructions(const InstructionTool& tool, const LaunchContext& context, const Subject& subject,
                          std::size_t slot, const std::stop_token& stop) {
  const Counting counting(tool, context, slot, stop);
  return subject.protocol == Protocol::slices ? counting.per_iteration(subject) : counting.whole(subject);
}

}  // namespace tandem::runners
