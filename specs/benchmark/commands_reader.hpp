#pragma once

#include <string>

#include "specs/benchmark/test_reader.hpp"

namespace tandem::specs {

/// What FAI-PEP's `platform_args` say, as far as this host honours them.
struct PlatformArgs {
  std::optional<Seconds> timeout;
  std::optional<bool> log_output;
  bool ignore_status = false;
  int tries = 1;
  std::map<std::string, std::string> env;
  std::vector<int> cpus;
};

[[nodiscard]] PlatformArgs read_platform_args(const TestView& view, const MergedValue& args);

/// Environment variables with their placeholders replaced.
[[nodiscard]] std::map<std::string, std::string> read_env(const TestView& view, const MergedValue& env);

/// The commands of the test itself, at least one. Without any, programs that list their benchmarks are
/// started as they are, and the old forms of FAI-PEP for Caffe2 and TensorFlow Lite are composed as it does.
[[nodiscard]] std::vector<std::string> read_commands(const TestView& view, Protocol protocol);

/// The commands of a `preprocess` or `postprocess`.
[[nodiscard]] std::vector<HostCommand> read_host_commands(const TestView& view, const MergedValue& process);

/// Processors as taskset writes them: "0f" is 0 to 3.
[[nodiscard]] std::vector<int> cpus_of_mask(std::string_view mask);

/// The value of "cpu-list": a number above 0, or a text such as "0-3,8".
[[nodiscard]] std::vector<int> read_cpu_list(const Node& node);

/// The command that FAI-PEP composes for a test with `inputs` and without commands of its own, or with its
/// old form `"commands": {"caffe2": {FLAG: VALUE}}`; with placeholders. Only Caffe2 and TensorFlow Lite have
/// such a form; others throw ProblemError.
[[nodiscard]] std::string old_command(const TestView& view);

}  // namespace tandem::specs
