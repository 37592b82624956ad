#include "daemon/walk/identical.hpp"

#include <fmt/format.h>

#include "builders/identity/identity.hpp"
#include "specs/foundation/hashes.hpp"

namespace tandem::daemon {
namespace {

std::string identity_in(const store::Store& store, const WatchKey& key, const std::string& commit) {
  const auto build = store.build(key, commit);
  return build && build->succeeded ? build->identity : std::string();
}

/// What could not be said of a commit cannot be said of its twin either.
bool was_decided(const store::Store& store, const WatchKey& key, const std::string& commit,
                 const std::string& benchmark, const std::string& metric) {
  for (const store::StoredVerdict& verdict : store.verdicts(key, commit)) {
    if (verdict.benchmark == benchmark && verdict.metric.name == metric) {
      return verdict.outcome != analysis::Outcome::inconclusive && !analysis::is_failure(verdict.outcome);
    }
  }
  return false;
}

/// Everything that the test gives a program: commands, environment, what is read from it.
void add_definition(Sha256& hash, const Test& test) {
  for (const auto& command : test.commands) {
    hash.add_field("command");
    for (const std::string& word : command) hash.add_field(word);
  }
  hash.add_field("environment");
  for (const std::string& variable : test.environment) hash.add_field(variable);
  // FAI-PEP's two ways of naming an observer's lines are one.
  if (const auto identifier = test.spec.converter.args.find("identifier");
      identifier != test.spec.converter.args.end())
    hash.add_field(identifier->second);
  if (test.spec.converter.name.find("json") == std::string::npos) hash.add_field(test.spec.converter.name);
  hash.add_field(test.protocol ? name_of(*test.protocol) : "");
  for (const std::string& metric : test.further_metrics) hash.add_field(metric);
  if (test.golden) {
    const specs::Golden& golden = *test.golden;
    hash.add_field(fmt::format("{} {} {:g} {:g} {}", golden.file.string(), golden.output,
                               golden.absolute.value_or(-1), golden.relative.value_or(-1),
                               static_cast<int>(golden.type)));
  }
  for (const auto* commands :
       {&test.spec.model_before, &test.spec.before, &test.spec.after, &test.spec.model_after}) {
    for (const specs::HostCommand& command : *commands) hash.add_field(command.text);
  }
  for (const specs::FileSpec& file : test.spec.files)
    hash.add_field(fmt::format("{} {} {} {}", file.key, file.location, file.md5, file.sha256));
}

}  // namespace

std::string identity_of(const builders::Executable& executable, const std::vector<Test>& tests) {
  Sha256 hash;
  hash.add_field(executable.fingerprint.empty() ? builders::fingerprint(executable) : executable.fingerprint);
  for (const Test& test : tests) {
    hash.add_field(test.prefix);
    add_definition(hash, test);
  }
  return hash.finish();
}

store::Definition definition_of(const Test& test) {
  constexpr std::size_t digits = 16;
  Sha256 hash;
  add_definition(hash, test);
  return {hash.finish().substr(0, digits), {}};
}

std::optional<std::string> same_as_judged(const store::Store& store, const WatchKey& key,
                                          const IdentityQuestion& question) {
  const std::string mine = identity_in(store, key, question.commit);
  if (mine.empty()) return std::nullopt;
  const std::string controls = identity_in(store, key, question.control);
  if (controls == mine) return "to the control";
  if (!question.before.empty() && identity_in(store, key, question.before) == mine &&
      was_decided(store, key, question.before, question.benchmark, question.metric)) {
    return fmt::format("to {}", question.before);
  }
  for (const std::string& other : store.built_alike(key, mine)) {
    if (other == question.commit) continue;
    for (const store::StoredVerdict& verdict : store.verdicts(key, other)) {
      const bool quiet =
          verdict.outcome == analysis::Outcome::unchanged || verdict.outcome == analysis::Outcome::identical;
      if (verdict.benchmark != question.benchmark || verdict.metric.name != question.metric) continue;
      if (!quiet || verdict.control.empty()) continue;
      const bool same_control = verdict.control == question.control ||
                                (!controls.empty() && identity_in(store, key, verdict.control) == controls);
      if (same_control)
        return fmt::format("to {}, {} against the same control", other, analysis::name_of(verdict.outcome));
    }
  }
  return std::nullopt;
}

}  // namespace tandem::daemon
