#include "daemon/likeness.hpp"

#include <fmt/format.h>

#include "builders/hashes.hpp"
#include "builders/identity.hpp"

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
    if (verdict.benchmark == benchmark && verdict.metric.name == metric)
      return verdict.outcome != "inconclusive" && verdict.outcome != "failed" &&
             !verdict.outcome.ends_with("_fails");
  }
  return false;
}

}  // namespace

std::string identity_of(const builders::Executable& executable, const std::vector<Test>& tests) {
  builders::Sha256 hash;
  hash.add_field(executable.fingerprint.empty() ? builders::fingerprint(executable) : executable.fingerprint);
  for (const Test& test : tests) {
    hash.add_field(test.prefix);
    for (const auto& command : test.commands) {
      hash.add_field("command");
      for (const std::string& word : command) hash.add_field(word);
    }
    hash.add_field("environment");
    for (const std::string& variable : test.environment) hash.add_field(variable);
    for (const std::string& identifier : test.observer_identifiers) hash.add_field(identifier);
    hash.add_field(test.protocol ? name_of(*test.protocol) : "");
    for (const std::string& metric : test.further_metrics) hash.add_field(metric);
    if (test.golden) {
      const specs::Golden& golden = *test.golden;
      hash.add_field(fmt::format("{} {} {:g} {:g} {}", golden.file.string(), golden.output,
                                 golden.absolute.value_or(-1), golden.relative.value_or(-1),
                                 static_cast<int>(golden.type)));
    }
  }
  return hash.finish();
}

std::optional<std::string> judged_alike(const store::Store& store, const WatchKey& key,
                                        const LikenessQuestion& question) {
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
      const bool quiet = verdict.outcome == "unchanged" || verdict.outcome == "identical";
      if (verdict.benchmark != question.benchmark || verdict.metric.name != question.metric) continue;
      if (!quiet || verdict.control.empty()) continue;
      const bool same_control = verdict.control == question.control ||
                                (!controls.empty() && identity_in(store, key, verdict.control) == controls);
      if (same_control) return fmt::format("to {}, {} against the same control", other, verdict.outcome);
    }
  }
  return std::nullopt;
}

}  // namespace tandem::daemon
