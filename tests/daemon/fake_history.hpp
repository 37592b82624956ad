#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "builders/builder.hpp"
#include "daemon/control_rule.hpp"
#include "daemon/fake_runner.hpp"
#include "daemon/pipeline.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::tests {

/// A commit as a test writes it down.
struct FakeCommit {
  std::string id;
  std::map<std::string, double> costs = {{"work", 1.0}};  ///< of each benchmark; their quotient is the ratio
  std::string content = {};                               ///< of what is built; empty: like no other commit
  enum class Fate {
    runs,
    does_not_build,
    meets_a_full_disk,
    crashes_at_start,
    crashes_in_launches
  } fate = Fate::runs;
  std::int64_t days = 0;  ///< after the Monday on which the history begins
  std::string subject = {};
};

/// A short way to write a commit with one benchmark, "work".
[[nodiscard]] FakeCommit at_cost(std::string id, double cost);
[[nodiscard]] FakeCommit with_fate(std::string id, FakeCommit::Fate fate);

/// Builds nothing: looks up in the history what would come of it.
class FakeBuilder final : public builders::Builder {
 public:
  explicit FakeBuilder(const std::map<std::string, FakeCommit>& commits) : commits_(commits) {}
  [[nodiscard]] std::variant<builders::Executable, builders::BuildFailure> build(
      const builders::Commit& commit, std::stop_token stop) override;
  [[nodiscard]] std::variant<builders::Executable, std::string> relink(const builders::Executable& executable,
                                                                       std::uint64_t seed,
                                                                       std::stop_token stop) override;

  std::function<void()> before_call;  ///< may ask for a stop, or throw
  std::vector<std::string> calls;
  bool layouts = false;                                         ///< whether what it builds can be relinked
  std::vector<std::pair<std::string, std::uint64_t>> relinked;  ///< commit and seed of each call

 private:
  const std::map<std::string, FakeCommit>& commits_;
};

/// A pipeline over a scripted history, with a real store and publisher in a directory of its own.
class FakeWalk {
 public:
  explicit FakeWalk(const std::vector<FakeCommit>& history, double margin = 0.01);

  /// Examines these positions; all of the line if none are given.
  void examine(const std::vector<std::size_t>& positions = {});
  /// One position; false if it was stopped.
  bool examine_one(std::size_t position, const std::stop_token& stop = {});
  /// A new pipeline, as after the end of the process; the store stays.
  void restart();

  /// What the store holds, one line each: "c2 work slower against c0".
  [[nodiscard]] std::vector<std::string> verdicts() const;
  /// "regression open work c2 (c1..c2) 1.100", with " or c1" for co-suspects and "fixed by c3".
  [[nodiscard]] std::vector<std::string> records() const;
  [[nodiscard]] std::string level(const std::string& benchmark = "work") const;
  [[nodiscard]] std::vector<std::string> done() const;

  daemon::PipelineSettings settings;  ///< takes effect with the next pipeline
  TemporaryDirectory directory;
  std::map<std::string, FakeCommit> commits;
  daemon::Line line;
  FakeBuilder builder{commits};
  FakeRunner runner;
  std::unique_ptr<daemon::store::Store> store;
  daemon::Publisher publisher;
  daemon::Status status;

 private:
  std::unique_ptr<daemon::Pipeline> pipeline_;
};

}  // namespace tandem::tests
