#include "runners/results/result_reader.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace tandem::runners {
namespace {

bool found_something(const ReadSeries& results) {
  const auto* series = std::get_if<std::vector<Series>>(&results);
  return series == nullptr || !series->empty();
}

/// A direction that a person gave counts more than what names say, but not against the clock.
void give_direction(std::vector<Series>& all, const ProgramPair& pair, bool any_name) {
  for (Series& series : all) {
    const bool is_time = series.metric.name == specs::Metric{}.name || series.metric.name == "cpu_time";
    if (pair.direction && (any_name || !is_time)) series.metric.direction = *pair.direction;
  }
}

/// What reads a whole process's output; null for a plain command, and where nothing has the name that the
/// spec gives.
const ResultAdapter* adapter_for(const ProgramPair& pair, Protocol protocol) {
  const bool named = protocol == Protocol::observer && !pair.converter.name.empty();
  return named ? find_adapter(pair.converter.name) : find_adapter(protocol);
}

/// What the program printed itself.
ReadSeries read_output(const ProgramPair& pair, Protocol protocol, const SlotEnd& end) {
  if (protocol == Protocol::slices) return std::vector<Series>{};
  if (protocol == Protocol::command) {
    return std::vector<Series>{
        {"command", specs::Metric{}, {static_cast<double>(end.finished.usage.wall.count())}}};
  }
  const ResultAdapter* adapter = adapter_for(pair, protocol);
  if (adapter == nullptr) return fmt::format("there is no converter called \"{}\"", pair.converter.name);
  const bool asks_command = protocol != Protocol::observer && adapter->arguments_of != nullptr;
  return adapter->read(end.finished.output + end.after,
                       asks_command ? adapter->arguments_of(pair.commands.back()) : pair.converter.args);
}

}  // namespace

ReadSeries read_results(const ProgramPair& pair, Protocol protocol, const SlotEnd& end) {
  auto read = read_output(pair, protocol, end);
  if (std::holds_alternative<std::string>(read)) return read;
  auto all = std::get<std::vector<Series>>(std::move(read));
  give_direction(all, pair, protocol == Protocol::observer);
  std::vector<Series> further = end.written;
  const ResultAdapter* adapter = adapter_for(pair, protocol);
  if (adapter == nullptr || !adapter->observer_lines) {
    auto lines = find_adapter(Protocol::observer)->read(end.after, {});
    if (std::holds_alternative<std::string>(lines)) return lines;
    merge(further, std::get<std::vector<Series>>(std::move(lines)));
  }
  give_direction(further, pair, true);
  merge(all, std::move(further));
  return all;
}

Recognised recognise(const ProgramPair& pair, const SlotEnd& end) {
  for (const Protocol protocol : {Protocol::observer, Protocol::google_benchmark, Protocol::benchdnn}) {
    const ResultAdapter* adapter = adapter_for(pair, protocol);
    const bool has_form = adapter != nullptr && adapter->recognises != nullptr;
    if (has_form && !adapter->recognises(end.finished.output)) continue;
    if (!found_something(read_output(pair, protocol, end))) continue;
    return {protocol, read_results(pair, protocol, end)};
  }
  return {Protocol::command, read_results(pair, Protocol::command, end)};
}

std::string expected_form(const ProgramPair& pair, Protocol protocol) {
  if (protocol != Protocol::observer || pair.converter.name.empty()) return name_of(protocol);
  return fmt::format("output for the converter {}", pair.converter.name);
}

std::vector<Sampled> pair_up(std::array<std::vector<Series>, 2> series, const LaunchPlan& plan,
                             const Launch& launch) {
  std::map<std::array<std::string, 3>, Series*> treatments;
  const auto name = [](const Series& one) { return std::array{one.key, one.metric.name, one.metric.unit}; };
  for (Series& one : series[1]) treatments[name(one)] = &one;
  std::array<std::vector<std::string>, 2> tables;
  for (std::size_t side = 0; side < 2; ++side) {
    for (Series& one : series.at(side)) {
      for (std::string& table : one.remarks.custom_output) tables.at(side).push_back(std::move(table));
      one.remarks.custom_output.clear();
    }
  }
  std::vector<Sampled> sampled;
  const std::size_t leading = plan.only ? static_cast<std::size_t>(*plan.only) : 0;
  for (Series& one : series.at(leading)) {
    Sampled both{one.key, one.metric, launch, {}, {}};
    const auto other = treatments.find(name(one));
    (leading == 0 ? both.launch.control : both.launch.treatment) = std::move(one.values);
    (leading == 0 ? both.control_remarks : both.treatment_remarks) = std::move(one.remarks);
    if (!plan.only && other != treatments.end()) {
      both.launch.treatment = std::move(other->second->values);
      both.treatment_remarks = std::move(other->second->remarks);
      treatments.erase(other);
    }
    sampled.push_back(std::move(both));
  }
  for (Series& one : series[1]) {
    if (plan.only || !treatments.contains(name(one))) continue;
    Sampled alone{one.key, one.metric, launch, {}, std::move(one.remarks)};
    alone.launch.treatment = std::move(one.values);
    sampled.push_back(std::move(alone));
  }
  if (!sampled.empty()) {
    sampled.front().control_remarks.custom_output = std::move(tables[0]);
    sampled.front().treatment_remarks.custom_output = std::move(tables[1]);
  }
  return sampled;
}

bool selects_one(const ProgramPair& pair, Protocol protocol) {
  // A program that was only recognised by its output need not understand further arguments.
  const ResultAdapter* adapter = find_adapter(protocol);
  return protocol == Protocol::slices ||
         (pair.protocol == protocol && adapter != nullptr && adapter->run_arguments != nullptr);
}

std::vector<std::vector<std::string>> commands_for(const ProgramPair& pair, const Subject& subject) {
  auto commands = pair.commands;
  if (subject.protocol == Protocol::slices || !selects_one(pair, subject.protocol)) return commands;
  for (std::string& argument : find_adapter(subject.protocol)->run_arguments(subject.benchmark))
    commands.back().push_back(std::move(argument));
  return commands;
}

}  // namespace tandem::runners
