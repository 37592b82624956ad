#include "runners/fuzzed.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runners/host/fix.hpp"
#include "runners/host/machine_facts.hpp"
#include "runners/host/topology.hpp"
#include "runners/pairing/further_metrics.hpp"
#include "runners/results/adapter.hpp"

namespace tandem::runners::tests {
namespace {

std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

void expect(bool sound) {
  if (!sound) std::abort();
}

/// What every adapter promises about what it read.
void expect_sound(const char* adapter, std::string_view text,
                  const ResultAdapter::Arguments& arguments = {}) {
  const ReadSeries result = find_adapter(adapter)->read(text, arguments);
  if (const auto* wrong = std::get_if<std::string>(&result)) return expect(!wrong->empty());
  for (const Series& series : std::get<std::vector<Series>>(result)) {
    expect(!series.values.empty());
    for (const double value : series.values) expect(std::isfinite(value));
    for (const auto& [name, value] : series.remarks.summary) expect(std::isfinite(value));
  }
}

}  // namespace

void fuzz_observer_lines(const std::uint8_t* bytes, std::size_t size) {
  expect_sound("observer", text_of(bytes, size), {{"identifier", "PyTorchObserver"}});
  expect_sound("observer", text_of(bytes, size));
  expect_sound("json_converter", text_of(bytes, size));
}

void fuzz_google_benchmark(const std::uint8_t* bytes, std::size_t size) {
  expect_sound("google_benchmark", text_of(bytes, size));
  const ResultAdapter& google = *find_adapter("google_benchmark");
  const auto list = google.read_list(text_of(bytes, size));
  if (const auto* names = std::get_if<std::vector<std::string>>(&list)) {
    for (const std::string& name : *names) expect(!name.empty() && google.run_arguments(name).size() == 2);
  }
}

/// The first line is the template that the command line asks for.
void fuzz_benchdnn_lines(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view output = text_of(bytes, size);
  expect_sound("benchdnn", output);
  expect_sound("benchdnn", output, {{"template", std::string(output.substr(0, output.find('\n')))}});
}

void fuzz_tflite_lines(const std::uint8_t* bytes, std::size_t size) {
  expect_sound("tflite", text_of(bytes, size));
}

void fuzz_golden_output(const std::uint8_t* bytes, std::size_t size) {
  using Type = specs::Golden::Type;
  for (const Type type : {Type::text, Type::float32, Type::float64}) {
    const auto result = read_numbers(text_of(bytes, size), type);
    if (const auto* wrong = std::get_if<std::string>(&result)) {
      expect(!wrong->empty());
      continue;
    }
    const auto& numbers = std::get<std::vector<double>>(result);
    const std::vector<double> golden(numbers.size(), 1.0);
    const OutputError same = compare_output(numbers, numbers, {});
    const OutputError other = compare_output(golden, numbers, {});
    expect(same.absolute == 0 && same.relative == 0);
    expect(!std::isnan(other.absolute) && !std::isnan(other.relative));
  }
}

void fuzz_instruction_count(const std::uint8_t* bytes, std::size_t size) {
  using specs::InstructionCounter;
  const auto perf = InstructionTool{InstructionCounter::perf, {}}.total_in(text_of(bytes, size));
  const auto callgrind = InstructionTool{InstructionCounter::callgrind, {}}.total_in(text_of(bytes, size));
  expect(size != 0 || (!perf && !callgrind));
}

/// The journal of tandem platform, which root writes back from, a list of processors, /proc/cpuinfo.
void fuzz_platform_text(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(text_of(bytes, size));
  for (const HostChange& change : read_journal(text, "tandem-platform 1 boot\n")) {
    expect(is_setting_file(change.file) && change.file.find("..") == std::string::npos);
    expect(!change.before.empty() && change.before.find_first_of("\n\t /;$") == std::string::npos);
  }
  const auto cpus = parse_cpu_list(text);
  expect(std::is_sorted(cpus.begin(), cpus.end()));
  expect(cpus.empty() || (cpus.front() >= 0 && cpus.back() < 65536));
  expect(present_in(read_isa(text)).size() <= 21);
}

}  // namespace tandem::runners::tests
