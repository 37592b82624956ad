#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/build_section.hpp"
#include "specs/further_metrics.hpp"
#include "specs/problem.hpp"

namespace tandem::specs {

using Seconds = std::chrono::duration<double>;

/// How a program hands over its samples. `automatic`: the runner asks and listens.
enum class Protocol { automatic, sdk, observer, command, google_benchmark, benchdnn };

/// As in specs: "auto", "sdk", "observer", "command", "google_benchmark", "benchdnn".
[[nodiscard]] const char* name_of(Protocol protocol);

/// One test of a benchmark file, ready to run but for what only the runner knows.
///
/// `commands` still hold the runner's placeholders; `resolve_command` (specs/command_line.hpp) turns one into
/// words.
struct BenchmarkSpec {
  std::string model;
  std::string framework;  ///< empty: any
  std::string group;
  std::string metric;      ///< FAI-PEP's label: "delay", "accuracy", …
  std::string identifier;  ///< {ID} replaced by the place of the test in its file
  std::optional<int> iter;
  std::optional<int> warmup;
  std::vector<std::string> commands;  ///< at least one
  std::map<std::string, std::string> env;
  std::optional<Seconds> timeout;  ///< from the test, else its model, else the suite
  std::optional<double> margin;    ///< as a fraction: 0.01 is 1 %
  Protocol protocol = Protocol::automatic;
  std::string converter;            ///< FAI-PEP's converter name; empty: the protocol's own
  std::string observer_identifier;  ///< what starts a result line; empty: any known one
  std::vector<std::string> statistics;
  std::vector<std::string> metrics;  ///< beside time (specs/further_metrics.hpp); empty: what comes by itself
  std::optional<Golden> golden;      ///< with the metric "error"
  InstructionCounter instructions = InstructionCounter::automatic;
  std::string file;
  Position where;  ///< of the test in `file`
};

/// What the command line knows about the specs.
struct SpecOptions {
  std::map<std::string, std::string> string_map;
  std::vector<std::string> programs;  ///< names built beside {program}, usable as placeholders
  std::string framework;              ///< a model of another framework is a problem; empty: not checked
};

struct LoadedSpecs {
  std::vector<BenchmarkSpec> benchmarks;
  std::vector<Problem> ignored;  ///< fields of FAI-PEP that are accepted and have no effect, one notice each
  std::optional<BuildSection> build;  ///< what the generic frameworks build, if a file says so
};

/// Reads a benchmark file `{"model": …, "tests": […]}` or a suite `{"meta": …, "benchmarks": [files]}`, whose
/// paths are relative to the suite. No two benchmarks may have the same model, metric and identifier.
[[nodiscard]] LoadedSpecs load_benchmarks(const std::filesystem::path& file, const SpecOptions& options,
                                          Problems& problems);
[[nodiscard]] LoadedSpecs load_benchmarks(const std::filesystem::path& file, const SpecOptions& options = {});

/// The same from a text that is already in memory; `file` is its name.
[[nodiscard]] LoadedSpecs parse_benchmarks(std::string text, const std::filesystem::path& file,
                                           const SpecOptions& options, Problems& problems);

}  // namespace tandem::specs
