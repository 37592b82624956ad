#include "daemon/idle/environment.hpp"

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <utility>

#include "specs/foundation/hashes.hpp"

namespace tandem::daemon {
namespace {

constexpr const char* host_facts_name = "host";
constexpr std::size_t mark_digits = 12;

using Fact = std::pair<std::string, std::string>;

std::string said(const std::optional<std::string>& text) {
  return text && !text->empty() ? *text : "unknown";
}

const char* said(const std::optional<bool>& truth) {
  return !truth ? "unknown" : *truth ? "on" : "off";
}

/// A value stays on its line.
std::string line_of(const std::string& name, std::string value) {
  for (char& letter : value) {
    if (letter == '\n' || letter == '\r') letter = ' ';
  }
  return fmt::format("{}={}\n", name, value);
}

std::vector<Fact> facts_of(const std::string& environment) {
  std::vector<Fact> facts;
  std::istringstream lines(environment);
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find('=');
    if (equals != std::string::npos) facts.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return facts;
}

const std::string* value_of(const std::vector<Fact>& facts, const std::string& name) {
  for (const Fact& fact : facts) {
    if (fact.first == name) return &fact.second;
  }
  return nullptr;
}

}  // namespace

std::string environment_of(const runners::MachineFacts& facts, const std::string& toolchain) {
  std::string text = line_of("kernel", facts.kernel.empty() ? "unknown" : facts.kernel);
  text += line_of("processor", said(facts.cpu_model));
  text += line_of("microcode", said(facts.microcode));
  text += line_of("governor", said(facts.governor));
  text += line_of("turbo", said(facts.turbo));
  text += line_of("SMT", said(facts.smt));
  text += line_of("number of processors", std::to_string(facts.processors));
  std::istringstream tools(toolchain);
  for (std::string tool; std::getline(tools, tool);) {
    const auto colon = tool.find(": ");
    if (colon == std::string::npos) continue;
    const std::string name = tool.substr(0, colon);
    text +=
        line_of(name == "libraries" ? "set of linked libraries" : "program " + name, tool.substr(colon + 2));
  }
  return text;
}

std::vector<std::string> environment_changes(const std::string& before, const std::string& now) {
  std::vector<std::string> changes;
  const auto known = facts_of(before);
  for (const auto& [name, value] : facts_of(now)) {
    const std::string* old = value_of(known, name);
    if (old == nullptr || *old == value) continue;
    changes.push_back(fmt::format("the {} changed from {} to {}", name, *old, value));
  }
  return changes;
}

std::string environment_mark(const std::string& environment) {
  return environment.empty() ? std::string() : sha256_of(environment).substr(0, mark_digits);
}

std::string known_environment(const store::Store& store) {
  return store.environment(host_facts_name).value_or("");
}

std::vector<std::string> note_environment(store::Store& store, const std::string& watch,
                                          const std::string& now_facts, std::int64_t at) {
  const std::string before = known_environment(store);
  if (before == now_facts) return {};
  const auto changes = environment_changes(before, now_facts);
  // The events first: a crash in between repeats them, and none is lost.
  for (const std::string& sentence : changes) store.add_event({watch, "environment", sentence, at});
  store.set_environment(host_facts_name, now_facts);
  return changes;
}

}  // namespace tandem::daemon
