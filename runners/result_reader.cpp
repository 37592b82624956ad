#include "runners/result_reader.hpp"

#include <fmt/format.h>

#include "runners/benchdnn_lines.hpp"
#include "runners/google_benchmark.hpp"
#include "runners/observer_lines.hpp"

namespace tandem::runners {
namespace {

bool found_something(const ReadSeries& results) {
  const auto* series = std::get_if<std::vector<Series>>(&results);
  return series == nullptr || !series->empty();
}

}  // namespace

ReadSeries read_results(const ProgramPair& pair, Protocol protocol, const Finished& finished) {
  switch (protocol) {
    case Protocol::observer:
      return read_observer_lines(finished.output, pair.observer_identifiers);
    case Protocol::google_benchmark:
      return read_google_benchmark(finished.output);
    case Protocol::benchdnn:
      return read_benchdnn_lines(finished.output, benchdnn_template(pair.commands.back()));
    case Protocol::slices:
    case Protocol::command:
      break;
  }
  return std::vector<Series>{
      {"command", specs::Metric{}, {static_cast<double>(finished.usage.wall.count())}}};
}

Recognised recognise(const ProgramPair& pair, const Finished& finished) {
  for (const Protocol protocol : {Protocol::observer, Protocol::google_benchmark, Protocol::benchdnn}) {
    // Any text with commas could be taken for benchdnn's lines.
    if (protocol == Protocol::benchdnn && !is_benchdnn_output(finished.output)) continue;
    if (auto results = read_results(pair, protocol, finished); found_something(results))
      return {protocol, std::move(results)};
  }
  return {Protocol::command, read_results(pair, Protocol::command, finished)};
}

bool selects_one(const ProgramPair& pair, Protocol protocol) {
  return protocol == Protocol::slices ||
         (protocol == Protocol::google_benchmark && pair.protocol == Protocol::google_benchmark);
}

std::vector<std::vector<std::string>> commands_for(const ProgramPair& pair, const Subject& subject) {
  auto commands = pair.commands;
  // A program that was only recognised by its output need not understand further arguments.
  if (subject.protocol == Protocol::google_benchmark && selects_one(pair, subject.protocol)) {
    for (std::string& argument : google_run_arguments(subject.benchmark))
      commands.back().push_back(std::move(argument));
  }
  return commands;
}

}  // namespace tandem::runners
