#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "builders/builder.hpp"
#include "daemon/fake_runner.hpp"
#include "daemon/records/life.hpp"
#include "daemon/walk/control.hpp"
#include "daemon/walk/pipeline.hpp"
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
  std::string patch = {};                     ///< its patch id
  std::string undoes = {};                    ///< the patch id of the change that it is the opposite of
  std::vector<std::string> reverts = {};      ///< as its message says
  std::vector<std::string> files = {};        ///< that it touches
  std::map<std::string, double> beside = {};  ///< further metrics of every benchmark, in their units
  double shipped = 1;        ///< what the layout as built costs more than the others, as a factor
  double first_layouts = 1;  ///< the same of those with the seeds 1 to 4
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
  [[nodiscard]] std::variant<builders::Executable, builders::RelinkFailure> relink(
      const builders::Executable& executable, std::uint64_t seed, std::stop_token stop) override;

  void drop_layout(builders::Executable layout) override { dropped.push_back(layout.program); }

  std::function<void()> before_call;  ///< may ask for a stop, or throw
  std::vector<std::string> calls;
  bool layouts = false;  ///< whether what it builds can be relinked
  /// Whether a link fails, and how; asked of what can be relinked.
  std::function<std::optional<builders::RelinkFailure>(const std::string& commit, std::uint64_t seed)>
      unlinked;
  std::vector<std::string> dropped;                             ///< programs of layouts that were dropped
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
  /// A force-push: the line is this one from now on, and records are carried over as the watch does it.
  void rewrite(const std::vector<FakeCommit>& history);
  /// A person says this about the only record of the culprit.
  void say(daemon::Wish wish, const std::string& culprit, const std::string& reason = "so it is");
  /// What the store knows from now on of the noise of a launch, and of other layouts.
  void calibrate(const std::string& benchmark, double noise, std::optional<double> spread = {});
  /// Answers the requests that wait, as the watch does it.
  std::vector<std::string> serve(const std::stop_token& stop = {});

  /// What the store holds, one line each: "c2 work slower against c0".
  [[nodiscard]] std::vector<std::string> verdicts() const;
  /// "regression open work c2 (c1..c2) 1.100", with " or c1" for co-suspects and "fixed by c3", or
  /// "1.050 left" of what is partly fixed. A metric beside the usual one follows its benchmark's name.
  [[nodiscard]] std::vector<std::string> records() const;
  /// The only record of this kind and culprit; the test fails if there is not exactly one.
  [[nodiscard]] daemon::Record record(daemon::RecordKind kind, const std::string& culprit) const;
  /// L(benchmark) after the last commit of the line; empty: none.
  [[nodiscard]] std::string level(const std::string& benchmark = "work", std::string metric = {}) const;
  [[nodiscard]] std::vector<std::string> done() const;

  daemon::WalkSettings settings;  ///< takes effect with the next pipeline
  TemporaryDirectory directory;
  std::map<std::string, FakeCommit> commits;
  daemon::Line line;
  FakeBuilder builder{commits};
  FakeRunner runner;
  std::unique_ptr<daemon::store::Store> store;
  daemon::Publisher publisher;
  daemon::Status status;
  std::int64_t now;          ///< the clock: stands until it is moved
  double sigma = 0;          ///< of one launch
  double layout_spread = 0;  ///< every linking of a commit is off by its own luck
  std::function<void(const daemon::TrialResults&)> results;  ///< told of every trial, if set before the first
  std::map<std::string, specs::Metric> rules;  ///< how metrics that commits have beside are judged, by name

 private:
  void set_line(const std::vector<FakeCommit>& history);
  [[nodiscard]] builders::CommitFacts facts_of(const std::string& commit) const;
  [[nodiscard]] double layout_effect(const std::string& commit, const std::string& layout) const;
  [[nodiscard]] double noise_of(const Call& call) const;
  [[nodiscard]] std::vector<Beside> beside_of(const Call& call) const;

  std::unique_ptr<daemon::Pipeline> pipeline_;
};

/// Counts the calls of the walk's builder and runner together and does something at one of them.
void at_call(FakeWalk& walk, std::size_t number, const std::function<void()>& act);

}  // namespace tandem::tests
