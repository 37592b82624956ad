#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "runners/host/cpu_choice.hpp"
#include "runners/host/topology.hpp"
#include "runners/pairing/plan.hpp"
#include "runners/pairing/samples.hpp"
#include "runners/process/sandbox.hpp"
#include "specs/benchmark/metric.hpp"
#include "specs/files/file_spec.hpp"

namespace tandem::runners {

/// Two executables and how each is started: argument lists in which "{program}" stands for the executable.
struct ProgramPair {
  std::filesystem::path control;
  std::filesystem::path treatment;
  std::vector<std::vector<std::string>> commands = {{"{program}"}};  ///< in turn; slices use the last
  std::vector<std::string> environment = {};                         ///< added to the runner's
  std::map<std::string, std::string> control_values = {};  ///< what further "{names}" stand for, by side
  std::map<std::string, std::string> treatment_values = {};
  specs::ConverterSpec converter = {};  ///< with `observer`: what reads its output; no name: observer lines
  std::optional<std::chrono::nanoseconds> deadline = {};  ///< of one launch; nothing: the runner's
  /// The values that name a directory to write in. Each launch has a fresh one of its own for each side: in a
  /// sandbox under that path, where what the other values name can be read only; else under another one. A
  /// value may begin with such a name, "{TGTDIR}/out.txt", or with its path.
  std::set<std::string> scratch_names = {"TGTDIR", "HOSTDIR", "TEMPDIR"};
  /// Where all files of an executable lie, copied together with the program; empty: the program alone. Values
  /// that name something in it mean the copy.
  std::filesystem::path control_folder = {};
  std::filesystem::path treatment_folder = {};
  std::optional<Protocol> protocol = {};          ///< as the spec wishes; nothing: found out
  std::vector<std::string> further_metrics = {};  ///< beside time; empty: those that cost nothing
  std::optional<specs::Golden> golden = {};
  specs::InstructionCounter instructions = specs::InstructionCounter::automatic;
  /// Run by each side around every launch, and around each look at a program; never measured, on any
  /// processor, with the same directories and environment. What `after` prints is read with the program's own
  /// output; it is not run where the program failed.
  std::vector<specs::HostCommand> before = {};
  std::vector<specs::HostCommand> after = {};
  /// The same once in every `repeat` launches: before the first of them and after the last.
  std::vector<specs::HostCommand> before_first = {};
  std::vector<specs::HostCommand> after_last = {};
  /// Files with results that the program leaves; read after `after`, each by its converter. Their locations
  /// begin with one of the scratch or kept directories.
  std::vector<specs::FileSpec> written = {};
  std::uint64_t repeat = 1;  ///< {INDEX} is the launch's number modulo this
  /// Whether the environment says which side it is: AIBENCH_TREATMENT_GROUP, 1 for the treatment, as FAI-PEP
  /// does.
  bool tell_side = false;
  /// The values that name a directory which is kept from one launch to the next, to write in; made if it is
  /// not there. They count even if they are scratch names too.
  std::set<std::string> kept_names = {};
  /// Files and folders that programs read without a value that names them, such as libraries; a sandbox shows
  /// them at their own paths.
  std::vector<std::filesystem::path> readable = {};
  /// Whether a status other than 0 is a failure.
  enum class Status { must_be_zero, any } status = Status::must_be_zero;
  std::filesystem::path log_file = {};             ///< what all commands print is added to it as well
  std::vector<int> cpus = {};                      ///< where it must run; empty: as the runner chooses
  std::optional<specs::Direction> direction = {};  ///< of what it prints; nothing: as the names say

  [[nodiscard]] const std::filesystem::path& folder_of(Side side) const {
    return side == Side::control ? control_folder : treatment_folder;
  }
  [[nodiscard]] const std::filesystem::path& of(Side side) const {
    return side == Side::control ? control : treatment;
  }
  /// The same side twice: for a look at one program, and for an A/A.
  [[nodiscard]] ProgramPair both(Side side) const {
    ProgramPair same = *this;
    same.control = same.treatment = of(side);
    same.control_folder = same.treatment_folder = folder_of(side);
    same.control_values = same.treatment_values = side == Side::control ? control_values : treatment_values;
    return same;
  }
};

/// What one look at a program shows.
struct ProgramFacts {
  Protocol protocol = Protocol::command;
  std::vector<std::string> benchmarks;  ///< a plain command has one, called "command"
  std::vector<specs::Metric> metrics;   ///< of each benchmark
  /// Of a whole process: more than one if it used more processor time than time passed. Sliced programs are
  /// looked at benchmark by benchmark.
  std::size_t threads = 1;
};

/// What a launch measures.
struct Subject {
  Protocol protocol = Protocol::slices;
  std::string benchmark;  ///< the one that is selected; whole processes give all of theirs at once
  SliceShape shape;       ///< of `slices`; its pairing counts for whole processes too
};

/// The samples of one benchmark from one launch, as times or other values in the metric's unit. What only one
/// side printed has no values of the other.
struct Sampled {
  std::string benchmark;
  specs::Metric metric;
  Launch launch;
  Remarks control_remarks = {};
  Remarks treatment_remarks = {};
};

using LaunchResult = std::variant<std::vector<Sampled>, RunFailure>;

/// Runs the two sides of a pair next to each other. A failure of a program is a value; `Error` means that
/// this host cannot start any (no room for copies, no descriptors).
class PairRunner {
 public:
  virtual ~PairRunner() = default;

  /// Starts one side once, finds out how it can be measured and which benchmarks it has.
  [[nodiscard]] virtual std::variant<ProgramFacts, RunFailure> inspect(const ProgramPair& pair, Side side,
                                                                       std::stop_token stop) = 0;
  /// Runs one benchmark of the control alone for a moment: what slices have to be cut from (`shape_for`).
  [[nodiscard]] virtual std::variant<BenchmarkFacts, RunFailure> look_at(const ProgramPair& pair,
                                                                         const std::string& benchmark,
                                                                         std::stop_token stop) = 0;
  [[nodiscard]] virtual LaunchResult launch(const ProgramPair& pair, const Subject& subject,
                                            const LaunchPlan& plan, std::stop_token stop) = 0;
};

struct HostSettings {
  std::filesystem::path scratch;  ///< for fresh copies; must allow execution
  CpuChoice cpus = choose_cpus();
  std::vector<std::string> environment;                          ///< of the programs; empty: the caller's
  std::chrono::nanoseconds deadline = std::chrono::seconds{60};  ///< of one launch
  std::size_t output_bytes = std::size_t{4} << 20;
  /// Nothing: programs run on the host itself. Its mounts are what programs may read beside their own files;
  /// its limits are watched often while a program is looked at, and once a second while it is measured.
  std::optional<Sandbox> sandbox;
  Foreign foreign = Foreign::no;  ///< whether the programs are somebody else's; only without a sandbox
  ForeignLimits foreign_limits = {};
};

/// The real one: processes on this host, in the pairing that the subject asks for.
class HostPairRunner final : public PairRunner {
 public:
  /// Removes the copies that killed processes left in the scratch directory.
  explicit HostPairRunner(HostSettings settings);
  /// For all that is started from now on.
  void use(HostSettings settings);
  [[nodiscard]] std::variant<ProgramFacts, RunFailure> inspect(const ProgramPair& pair, Side side,
                                                               std::stop_token stop) override;
  [[nodiscard]] std::variant<BenchmarkFacts, RunFailure> look_at(const ProgramPair& pair,
                                                                 const std::string& benchmark,
                                                                 std::stop_token stop) override;
  [[nodiscard]] LaunchResult launch(const ProgramPair& pair, const Subject& subject, const LaunchPlan& plan,
                                    std::stop_token stop) override;

 private:
  /// The settings as this pair needs them: with its own processors, if it names some.
  [[nodiscard]] HostSettings settings_for(const ProgramPair& pair, Side side, std::uint64_t launch);

  HostSettings settings_;
  std::optional<Topology> topology_;  ///< read when a pair first names processors
};

}  // namespace tandem::runners
