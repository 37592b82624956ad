#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "builders/builder.hpp"
#include "builders/commit.hpp"
#include "config/settings.hpp"
#include "daemon/measure/run_samples.hpp"
#include "daemon/measure/test.hpp"
#include "daemon/records/run_record.hpp"
#include "daemon/records/status.hpp"
#include "daemon/store/store.hpp"
#include "daemon/walk/control.hpp"
#include "daemon/walk/publish.hpp"
#include "runners/pairing/pair_runner.hpp"

// What every step of the walk is given.
namespace tandem::daemon {

/// How one platform of a watch is walked.
struct WalkSettings {
  WatchKey key;
  std::string url;
  config::ControlRule control = config::ControlRule::week;
  std::string base_commit;  ///< its id; empty: none
  std::vector<Test> tests;
  std::size_t max_launches = 66;
  std::size_t layouts = 8;                                          ///< per side, that a screen draws from
  enum class Records { confirm, none } records = Records::confirm;  ///< none: stored, never confirmed
  std::filesystem::path scratch;
  runners::CpuChoice cpus = {};  ///< decides which arrangements are possible
  /// Of one commit; what is left over waits for idle time.
  std::chrono::duration<double> confirmation_time = std::chrono::hours{1};
};

/// One measurement of a test as reporters are told of it.
struct TrialResults {
  const Test& test;
  TestRun run;
  builders::Commit control;
  builders::Commit treatment;
  /// FAI-PEP's run types: a screen, a confirmation, a confirmation that found the treatment slower.
  enum class Type { benchmark, verify, regress } type = Type::benchmark;
  std::string benchmark = {};  ///< of a confirmation: the one that it is about, as the program names it
};

/// What the steps work with. All of it outlives them.
struct WalkContext {
  builders::Builder& builder;
  runners::PairRunner& runner;
  store::Store& store;
  const Publisher& publisher;
  std::function<std::int64_t()> now;  ///< seconds since 1970 UTC
  Status& status;
  std::function<void()> show;  ///< the status has changed; called between launches only
  /// What calibrations hold for (runners::host_identity); nothing: they hold anywhere.
  std::function<std::string()> host = {};
  /// What a commit changes; nothing: unknown of all.
  std::function<builders::CommitFacts(const std::string& commit)> facts = {};
  std::function<void(const TrialResults&)> results = {};  ///< nothing: nobody wants to know
};

/// One commit of a line that is being examined, and the wish to stop.
struct Examination {
  const Line& line;
  std::size_t position = 0;
  std::stop_token stop = {};

  [[nodiscard]] const builders::Commit& commit() const { return line.commits.at(position); }
  [[nodiscard]] const builders::Commit& commit_at(std::size_t at) const { return line.commits.at(at); }
  [[nodiscard]] const std::string& id() const { return commit().id; }
  [[nodiscard]] const std::string& id_at(std::size_t at) const { return commit_at(at).id; }
  [[nodiscard]] bool stopped() const { return stop.stop_requested(); }
};

}  // namespace tandem::daemon
