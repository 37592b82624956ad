#include "specs/benchmark_spec.hpp"

#include <fmt/format.h>

#include <tuple>

#include "specs/json_document.hpp"
#include "specs/model_reader.hpp"
#include "specs/nearest.hpp"

namespace tandem::specs {
namespace {

/// One entry of a suite: a benchmark file, or a problem at the entry's place.
void read_entry(const Node& entry, const std::optional<Node>& meta, const std::filesystem::path& folder,
                const SpecOptions& options, Problems& problems, LoadedSpecs& specs) {
  const std::filesystem::path file = (folder / read_name(entry)).lexically_normal();
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    entry.fail(
        fmt::format("there is no file {}; write a path relative to this suite", in_quotes(file.string())));
  }
  const Node root = JsonDocument::load(file, problems).root();
  if (root.has("benchmarks")) {
    entry.fail(fmt::format("{} is a suite itself; list its benchmark files here", in_quotes(file.string())));
  }
  read_model_and_tests(root, meta, options, problems, specs);
}

void read_suite(const Node& root, const std::filesystem::path& file, const SpecOptions& options,
                Problems& problems, LoadedSpecs& specs) {
  root.expect_keys({"meta", "benchmarks", "build", "default_args"}, problems);
  note_ignored(root, {"default_args"}, specs);
  keep_build_section(root, problems, specs.build);
  const auto meta = root.find("meta");
  if (meta) static_cast<void>(meta->members());
  const Node entries = root.at("benchmarks");
  if (entries.items().empty()) entries.fail("is an empty array; write at least one benchmark file");
  for (const Node& entry : entries.items()) {
    problems.attempt([&] { read_entry(entry, meta, file.parent_path(), options, problems, specs); });
  }
}

/// Reports are filed by these three names, so two benchmarks that share them would be taken for one.
void check_names_are_unique(const LoadedSpecs& specs, Problems& problems) {
  std::map<std::tuple<std::string, std::string, std::string>, const BenchmarkSpec*> seen;
  for (const BenchmarkSpec& spec : specs.benchmarks) {
    const auto [first, added] = seen.try_emplace({spec.model, spec.metric, spec.identifier}, &spec);
    if (added) continue;
    problems.add(
        {spec.file, spec.where, "",
         fmt::format("model {}, metric {} and identifier {} are those of the benchmark at {}; give this one "
                     "an identifier of its own, for example with {{ID}}",
                     in_quotes(spec.model), in_quotes(spec.metric), in_quotes(spec.identifier),
                     place(first->second->file, first->second->where))});
  }
}

LoadedSpecs read_document(const JsonDocument& document, const std::filesystem::path& file,
                          const SpecOptions& options, Problems& problems) {
  LoadedSpecs specs;
  const Node root = document.root();
  if (root.has("benchmarks")) {
    read_suite(root, file, options, problems, specs);
  } else {
    read_model_and_tests(root, root.find("meta"), options, problems, specs);
  }
  if (problems.empty()) check_names_are_unique(specs, problems);
  return specs;
}

}  // namespace

const char* name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::automatic:
      return "auto";
    case Protocol::sdk:
      return "sdk";
    case Protocol::observer:
      return "observer";
    case Protocol::command:
      return "command";
    case Protocol::google_benchmark:
      return "google_benchmark";
    case Protocol::benchdnn:
      return "benchdnn";
  }
  return "auto";
}

LoadedSpecs parse_benchmarks(std::string text, const std::filesystem::path& file, const SpecOptions& options,
                             Problems& problems) {
  LoadedSpecs specs;
  problems.attempt([&] {
    specs =
        read_document(JsonDocument::parse(std::move(text), file.string(), problems), file, options, problems);
  });
  return specs;
}

LoadedSpecs load_benchmarks(const std::filesystem::path& file, const SpecOptions& options,
                            Problems& problems) {
  LoadedSpecs specs;
  problems.attempt(
      [&] { specs = read_document(JsonDocument::load(file, problems), file, options, problems); });
  return specs;
}

LoadedSpecs load_benchmarks(const std::filesystem::path& file, const SpecOptions& options) {
  Problems problems(Problems::Mode::stop_at_first);
  return load_benchmarks(file, options, problems);
}

}  // namespace tandem::specs
