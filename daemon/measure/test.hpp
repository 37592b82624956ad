#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "builders/executable.hpp"
#include "runners/pairing/pair_runner.hpp"
#include "specs/benchmark/spec.hpp"
#include "specs/files/model_files.hpp"

namespace tandem::daemon {

/// One entry of what is to be measured on every commit: a test of the spec, or the program's own list.
struct Test {
  std::string prefix;  ///< of its benchmarks' names; empty: the names as the program gives them
  std::vector<std::vector<std::string>> commands;  ///< with "{program}" and other runner's placeholders
  std::vector<std::string> environment;
  std::optional<std::chrono::nanoseconds> deadline;
  std::optional<runners::Protocol> protocol;  ///< nothing: the runner finds out
  std::vector<std::string> further_metrics;   ///< beside time
  std::optional<specs::Golden> golden;
  specs::InstructionCounter instructions = specs::InstructionCounter::automatic;
  double margin = 0.01;
  specs::BenchmarkSpec spec = {};  ///< the rest of what it says; of a program's own list nothing
  /// What further placeholders stand for, the same for both sides: files once they were brought here.
  std::map<std::string, std::string> values = {};
  std::vector<std::filesystem::path> readable = {};  ///< libraries, which no placeholder names
};

/// What the command line adds to every test.
struct TestAdditions {
  double margin = 0.01;                         ///< of tests that have none
  std::map<std::string, std::string> env = {};  ///< a test's own variables win
  std::vector<std::filesystem::path> shared_libs = {};
  std::string arguments = {};  ///< of a program without a spec; specs have them in their commands already
};

/// The tests of a watch: from its spec file, or one that starts the program without arguments. Benchmarks of
/// several models that share an identifier have the model in their names.
[[nodiscard]] std::vector<Test> tests_of(const std::vector<specs::BenchmarkSpec>& specs,
                                         const TestAdditions& additions);

/// Complains of converters that nobody knows.
void check_converters(const std::vector<specs::BenchmarkSpec>& specs, specs::Problems& problems);

/// Where the test may be measured: its own processors, else those of the host. Throws InputError.
[[nodiscard]] runners::CpuChoice cpus_of(const Test& test, const runners::CpuChoice& host);

/// The pair that runs a test on two executables. What a test keeps from launch to launch ({HOSTDIR}) lies
/// below `scratch`, made here.
[[nodiscard]] runners::ProgramPair pair_of(const Test& test, const builders::Executable& control,
                                           const builders::Executable& treatment,
                                           const std::filesystem::path& scratch);

/// Whether the file lies in a directory of the runner: then a program or a command beside it brings it.
[[nodiscard]] bool is_of_the_runner(const specs::FileSpec& file);

/// What a sandbox shows for a library: the folder, or the file with what lies beside it under the same name
/// up to ".so", because programs ask for it by its version.
[[nodiscard]] std::vector<std::filesystem::path> files_of_library(const std::filesystem::path& library);

/// A sentence that names the first placeholder of the test's commands for which the executable has no value.
[[nodiscard]] std::optional<std::string> unknown_placeholder(const Test& test,
                                                             const builders::Executable& executable);

/// Under which name a test is judged whose program did not even list its benchmarks.
[[nodiscard]] std::string program_name(const Test& test);

/// "prefix/name", or the name alone.
[[nodiscard]] std::string full_name(const Test& test, const std::string& benchmark);

/// Brings the files and libraries that a test reads to this machine: afterwards its placeholders have values
/// and its programs find the libraries. Nothing means success; a stop is a failure too.
[[nodiscard]] std::optional<specs::FileFailure> bring_files(Test& test,
                                                            const specs::ModelFileSettings& settings,
                                                            const specs::ShowDownload& show,
                                                            const std::stop_token& stop);

}  // namespace tandem::daemon
