#include "tests/specs/example/instruction_count.hpp"

#include <fmt/format.h>

#include <chrono>
#include <regex>

#include "runners/process/process.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::specs::example {

namespace {

using runners::Children;

constexpr int iterations = 10;

/// All instructions of one run of the program that does every benchmark and `twice` for twice as long.
double whole_run(const std::filesystem::path& program, const std::vector<std::string>& benchmarks,
                 const std::string& twice) {
  runners::Command command;
  command.argv = {"/usr/bin/env", "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                  program.string()};
  command.environment = runners::current_environment();
  command.environment.emplace_back("TANDEM_SEED=7");
  command.environment.push_back(fmt::format("TANDEM_FD={}", Children::channel_descriptor));
  Children children;
  Children::Options options;
  options.channel = Children::Options::Channel::yes;
  const auto child = children.start(command, options);
  children.send(child, "hello 1");
  for (const auto& benchmark : benchmarks) {
    children.send(child, "select " + benchmark);
    children.send(child, fmt::format("run {}", benchmark == twice ? 2 * iterations : iterations));
  }
  children.send(child, "quit");

  const auto deadline = Children::Clock::now() + std::chrono::minutes{2};
  std::size_t timed = 0;
  while (children.running(child)) {
    const auto event = children.wait(deadline, {});
    if (event.kind == Children::Event::Kind::line && event.line.starts_with("time ")) ++timed;
    if (event.kind == Children::Event::Kind::deadline) children.end(child, runners::Finished::How::timed_out);
  }
  const auto& finished = children.finished(child);
  std::smatch match;
  const std::regex collected(R"(Collected : (\d+))");
  if (!finished.succeeded() || timed != benchmarks.size() ||
      !std::regex_search(finished.errors, match, collected)) {
    throw Error(fmt::format("{} under valgrind {} after {} benchmarks: {}", program.string(),
                            runners::describe(finished), timed, finished.errors));
  }
  return std::stod(match[1]);
}

}  // namespace

InstructionCounts count_instructions(const std::filesystem::path& program,
                                     const std::vector<std::string>& benchmarks) {
  const double once = whole_run(program, benchmarks, "");
  InstructionCounts counts;
  for (const auto& benchmark : benchmarks) {
    counts[benchmark] = (whole_run(program, benchmarks, benchmark) - once) / iterations;
  }
  return counts;
}

}  // namespace tandem::specs::example
