#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "specs/benchmark/readers.hpp"

namespace tandem::specs {
namespace {

/// One file as the command line names it, or as a suite lists it.
enum class Place { given, listed };

std::string flag_value(const Node& node) {
  if (node.kind() == Kind::null) return "";
  if (node.kind() == Kind::boolean) return "";
  if (node.kind() != Kind::array) return node.scalar_text();
  std::string joined;
  for (const Node& item : node.items()) joined.append(joined.empty() ? "" : ",").append(item.scalar_text());
  return joined;
}

/// Flags of the command line. Only the file that the command line names has a say.
void read_default_args(const CheckedObject& root, Place place, LoadedSpecs& specs) {
  const auto args = root.find("default_args");
  if (!args) return;
  if (place == Place::listed) {
    add_notice(specs.ignored,
               args->problem("is accepted and has no effect: only the file that is given to the command "
                             "line sets its flags"));
    return;
  }
  for (const Member& member : args->members()) {
    if (member.value.kind() == Kind::boolean && !member.value.as_bool())
      continue;  // a flag that is not given
    const std::size_t name = std::min(member.key.find_first_not_of('-'), member.key.size());
    specs.default_args.emplace_back(member.key.substr(name), flag_value(member.value));
  }
}

std::optional<CheckedObject> read_meta(const Node& root, Problems& problems, LoadedSpecs& specs) {
  std::optional<CheckedObject> meta;
  const auto node = root.find("meta");
  if (node) problems.attempt([&] { meta.emplace(*node, meta_kind(), problems, specs.ignored); });
  return meta;
}

/// A benchmark file under the meta of its suite, or under its own.
void read_benchmark(const Node& root, Place place, const std::optional<CheckedObject>& meta,
                    const SpecOptions& options, Problems& problems, SpecsSoFar& so_far) {
  const CheckedObject checked(root, benchmark_kind(), problems, so_far.specs.ignored,
                              {"model", "tests", "meta", "build"});
  read_default_args(checked, place, so_far.specs);
  if (const auto own = root.find("meta"); own && place == Place::listed) {
    add_notice(so_far.specs.ignored, own->problem("is accepted and has no effect: that of the suite counts"));
  }
  if (!root.has("model") || !root.has("tests")) return;  // said already
  read_model_and_tests(root, meta, options, problems, so_far);
}

/// One entry of a suite: a benchmark file, or a problem at the entry's place.
void read_entry(const Node& entry, const std::optional<CheckedObject>& meta,
                const std::filesystem::path& folder, const SpecOptions& options, Problems& problems,
                SpecsSoFar& so_far) {
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
  read_benchmark(root, Place::listed, meta, options, problems, so_far);
}

void read_suite(const Node& root, const std::filesystem::path& file, const SpecOptions& options,
                Problems& problems, SpecsSoFar& so_far) {
  const CheckedObject checked(root, suite_kind(), problems, so_far.specs.ignored,
                              {"meta", "benchmarks", "build"});
  read_default_args(checked, Place::given, so_far.specs);
  keep_build_section(root, problems, so_far.specs.build);
  const auto meta = read_meta(root, problems, so_far.specs);
  const Node entries = root.at("benchmarks");
  if (entries.items().empty()) entries.fail("is an empty array; write at least one benchmark file");
  for (const Node& entry : entries.items()) {
    problems.attempt([&] { read_entry(entry, meta, file.parent_path(), options, problems, so_far); });
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

void read_document(const JsonDocument& document, const SpecOptions& options, Problems& problems,
                   SpecsSoFar& so_far) {
  const Node root = document.root();
  if (root.has("benchmarks")) {
    read_suite(root, document.file(), options, problems, so_far);
  } else {
    const auto meta = read_meta(root, problems, so_far.specs);
    read_benchmark(root, Place::given, meta, options, problems, so_far);
  }
  if (problems.empty()) check_names_are_unique(so_far.specs, problems);
}

}  // namespace

LoadedSpecs read_benchmarks(const JsonDocument& document, const SpecOptions& options, Problems& problems) {
  SpecsSoFar so_far;
  problems.attempt([&] { read_document(document, options, problems, so_far); });
  return std::move(so_far.specs);
}

LoadedSpecs load_benchmarks(const std::filesystem::path& file, const SpecOptions& options,
                            Problems& problems) {
  LoadedSpecs specs;
  problems.attempt([&] { specs = read_benchmarks(JsonDocument::load(file, problems), options, problems); });
  return specs;
}

LoadedSpecs load_benchmarks(const std::filesystem::path& file, const SpecOptions& options) {
  Problems problems(Problems::Mode::stop_at_first);
  return load_benchmarks(file, options, problems);
}

}  // namespace tandem::specs
