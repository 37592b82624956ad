#include "daemon/spec_tests.hpp"

#include <fmt/format.h>

#include "specs/command_line.hpp"

namespace tandem::daemon {
namespace {

std::map<std::string, std::string> values_of(const builders::Executable& executable,
                                             const std::filesystem::path& scratch) {
  std::map<std::string, std::string> values;
  for (const auto& [name, path] : executable.further_programs) values[name] = path.string();
  values["BUILDDIR"] = executable.directory.string();
  for (const char* name : {"TGTDIR", "HOSTDIR", "TEMPDIR"}) values[name] = scratch.string();
  return values;
}

std::optional<runners::Protocol> wish_of(specs::Protocol protocol) {
  switch (protocol) {
    case specs::Protocol::automatic:
      return std::nullopt;
    case specs::Protocol::sdk:
      return runners::Protocol::slices;
    case specs::Protocol::observer:
      return runners::Protocol::observer;
    case specs::Protocol::command:
      return runners::Protocol::command;
    case specs::Protocol::google_benchmark:
      return runners::Protocol::google_benchmark;
    case specs::Protocol::benchdnn:
      return runners::Protocol::benchdnn;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Test> tests_of(const std::vector<specs::BenchmarkSpec>& specs, double margin) {
  std::vector<Test> tests;
  if (specs.empty()) {
    Test own_list;
    own_list.commands = {{"{program}"}};
    own_list.margin = margin;
    tests.push_back(std::move(own_list));
  }
  for (const specs::BenchmarkSpec& spec : specs) {
    Test test;
    test.prefix = spec.identifier;
    for (const std::string& command : spec.commands) test.commands.push_back(specs::split_words(command));
    for (const auto& [name, value] : spec.env) test.environment.push_back(fmt::format("{}={}", name, value));
    if (!spec.observer_identifier.empty()) test.observer_identifiers = {spec.observer_identifier};
    if (spec.timeout) test.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(*spec.timeout);
    test.protocol = wish_of(spec.protocol);
    test.further_metrics = spec.metrics;
    test.golden = spec.golden;
    test.instructions = spec.instructions;
    test.margin = spec.margin.value_or(margin);
    tests.push_back(std::move(test));
  }
  return tests;
}

runners::ProgramPair pair_of(const Test& test, const builders::Executable& control,
                             const builders::Executable& treatment, const std::filesystem::path& scratch) {
  runners::ProgramPair pair;
  pair.control = control.program;
  pair.treatment = treatment.program;
  pair.control_folder = control.directory;
  pair.treatment_folder = treatment.directory;
  pair.commands = test.commands;
  pair.environment = test.environment;
  pair.observer_identifiers = test.observer_identifiers;
  pair.deadline = test.deadline;
  pair.protocol = test.protocol;
  pair.further_metrics = test.further_metrics;
  pair.golden = test.golden;
  pair.instructions = test.instructions;
  pair.control_values = values_of(control, scratch);
  pair.treatment_values = values_of(treatment, scratch);
  return pair;
}

std::optional<std::string> unknown_placeholder(const Test& test, const builders::Executable& executable) {
  auto values = values_of(executable, {});
  values["program"] = {};
  std::string known;
  for (const auto& [name, value] : values) known += (known.empty() ? "" : ", ") + name;
  for (const auto& command : test.commands) {
    for (const std::string& word : command) {
      std::size_t from = 0;
      while (const auto placeholder = specs::next_placeholder(word, from)) {
        if (!values.contains(placeholder->name)) {
          return fmt::format("the placeholder {{{}}} has no value in this build; known are {}",
                             placeholder->name, known);
        }
        from = placeholder->end;
      }
    }
  }
  return std::nullopt;
}

std::string program_name(const Test& test) {
  return test.prefix.empty() ? "program" : test.prefix;
}

std::string full_name(const Test& test, const std::string& benchmark) {
  return test.prefix.empty() ? benchmark : fmt::format("{}/{}", test.prefix, benchmark);
}

}  // namespace tandem::daemon
