#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "builders/builder.hpp"
#include "builders/commit.hpp"
#include "daemon/records/status.hpp"
#include "daemon/store/store.hpp"
#include "daemon/walk/control.hpp"
#include "daemon/walk/publish.hpp"
#include "daemon/walk/run_samples.hpp"
#include "daemon/walk/spec_tests.hpp"
#include "runners/pairing/pair_runner.hpp"

namespace tandem::daemon {

class Bench;

struct PipelineSettings {
  WatchKey key;
  std::string url;
  enum class Control { week, parent, fixed, tag } control = Control::week;
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

/// One trial of a test as reporters are told of it.
struct TrialResults {
  const Test& test;
  TestRun run;
  builders::Commit control;
  builders::Commit treatment;
  /// FAI-PEP's run types: a screen, a confirmation, a confirmation that found the treatment slower.
  enum class Type { benchmark, verify, regress } type = Type::benchmark;
  std::string benchmark = {};  ///< of a confirmation: the one that it is about, as the program names it
};

/// What the pipeline works with. All of it outlives the pipeline.
struct Workshop {
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

/// The walk of one commit through build, screen, confirmation and report, as the design's table has it.
///
/// Everything found is in the store when `examine` returns. It can be interrupted anywhere and repeated: what
/// is stored is not measured again. A failure of a commit is a value in the store; one that may pass is left
/// to the caller (`put_off`), and the commit is not done. `HostError` means broken ground; any other
/// exception is about this commit.
class Pipeline {
 public:
  enum class Examined { done, stopped, put_off };

  Pipeline(PipelineSettings settings, Workshop workshop);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Throws InputError if every commit is to be compared with a base that does not lie on the line.
  void expect_base_on(const Line& line) const;

  [[nodiscard]] Examined examine(const Line& line, std::size_t position, const std::stop_token& stop);
  /// Why the last commit was put off.
  [[nodiscard]] const builders::BuildFailure& why_put_off() const { return why_put_off_; }

  /// What idle time works with.
  [[nodiscard]] Bench& bench() { return *bench_; }

 private:
  PipelineSettings settings_;
  Workshop workshop_;
  std::unique_ptr<Bench> bench_;
  builders::BuildFailure why_put_off_;
};

}  // namespace tandem::daemon
