#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/benchmark/build_section.hpp"
#include "specs/benchmark/metric.hpp"
#include "specs/files/file_spec.hpp"
#include "specs/json/problem.hpp"

namespace tandem::specs {

class JsonDocument;

using Seconds = std::chrono::duration<double>;

/// How a program hands over its samples. `automatic`: the runner asks and listens.
enum class Protocol { automatic, sdk, observer, command, google_benchmark, benchdnn };
inline constexpr std::array protocol_names = {"auto",    "sdk", "observer", "command", "google_benchmark",
                                              "benchdnn"};

/// One test of a benchmark file, ready to run but for what only the runner knows: one of its shapes, with one
/// value of each of its parameters.
///
/// `commands` still hold the runner's placeholders, which get their values before every launch.
struct BenchmarkSpec {
  std::string model;
  std::string format;     ///< of the model; with its name, where its files are cached
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
  ConverterSpec converter;  ///< of what the program prints; an empty name: the protocol's own
  std::vector<std::string> statistics;
  std::vector<std::string>
      metrics;                   ///< beside time (specs/benchmark/metric.hpp); empty: what comes by itself
  std::optional<Golden> golden;  ///< with the metric "error"
  InstructionCounter instructions = InstructionCounter::automatic;
  std::string pairing = "auto";        ///< a pairing's name, or auto
  std::optional<Direction> direction;  ///< of its metrics; nothing: as their names say
  std::vector<std::string> tags;
  std::vector<FileSpec> files;            ///< of the model and of the test, what is read and what is written
  std::vector<FileSpec> libraries;        ///< shared libraries that the program loads
  std::vector<HostCommand> model_before;  ///< once, before the first launch
  std::vector<HostCommand> before;        ///< before every launch of a side
  std::vector<HostCommand> after;         ///< after it; what they print belongs to its results
  std::vector<HostCommand> model_after;   ///< once, after the last launch
  int repeat = 1;                         ///< launches at least, each with an {INDEX} of its own, from 0
  std::optional<Seconds> cooldown;        ///< before the next benchmark
  std::vector<int> cpus;                  ///< where it must run; empty: the runner chooses
  bool log_output = false;                ///< what the program prints is shown
  bool ignore_status = false;             ///< a program that exits with another status than 0 is sound
  std::string file;
  Position where;  ///< of the test in `file`
};

/// What the command line knows about the specs.
struct SpecOptions {
  std::string command_args = {};  ///< added to every command with {program}, after the model's own
  std::map<std::string, std::string> string_map = {};
  std::vector<std::string> programs = {};  ///< names built beside {program}, usable as placeholders
  std::string framework = {};              ///< a model of another framework is a problem; empty: not checked
};

struct LoadedSpecs {
  std::vector<BenchmarkSpec> benchmarks;
  std::vector<Problem> ignored;  ///< fields of FAI-PEP that are accepted and have no effect, one notice each
  /// Flags of the command line by name, without dashes; a flag that is really given wins.
  std::vector<std::pair<std::string, std::string>> default_args;
  std::optional<BuildSection> build;  ///< what the generic frameworks build, if a file says so
};

/// Reads a benchmark file `{"model": …, "tests": […]}` or a suite `{"meta": …, "benchmarks": [files]}`, whose
/// paths are relative to the suite. No two benchmarks may have the same model, metric and identifier.
[[nodiscard]] LoadedSpecs load_benchmarks(const std::filesystem::path& file, const SpecOptions& options,
                                          Problems& problems);
[[nodiscard]] LoadedSpecs load_benchmarks(const std::filesystem::path& file, const SpecOptions& options = {});

/// The same of a file that was read.
[[nodiscard]] LoadedSpecs read_benchmarks(const JsonDocument& document, const SpecOptions& options,
                                          Problems& problems);

}  // namespace tandem::specs
