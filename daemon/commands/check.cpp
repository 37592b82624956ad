#include <fmt/format.h>

#include "config/config_file.hpp"
#include "daemon/commands/commands.hpp"
#include "specs/benchmark/fields.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/terminal.hpp"
#include "specs/json/document.hpp"
#include "specs/json/problem.hpp"

namespace tandem::daemon::commands {
namespace {

using specs::CheckedFile;
using specs::Problem;
using specs::Problems;

/// A configuration has "watch"; one without it is known by its other keys.
bool is_config(const specs::Node& root) {
  if (root.kind() != specs::Kind::object) return false;
  const bool is_spec = root.has("model") || root.has("tests") || root.has("benchmarks") || root.has("meta");
  return root.has("watch") || (!is_spec && (root.has("state_dir") || root.has("interval")));
}

bool is_config(const std::filesystem::path& file) {
  try {
    Problems any(Problems::Mode::collect);
    return is_config(specs::JsonDocument::load(file, any).root());
  } catch (const InputError&) {
    return false;  // the reader of the file says why
  }
}

CheckedFile checked(const std::filesystem::path& file, const specs::SpecOptions& options) {
  CheckedFile result;
  result.file = file.string();
  Problems problems(Problems::Mode::collect);
  if (is_config(file)) {
    result.kind = "config";
    static_cast<void>(config::load_config(file, problems));
  } else {
    specs::LoadedSpecs loaded = specs::load_benchmarks(file, options, problems);
    result.benchmarks = problems.empty() ? loaded.benchmarks.size() : 0;
    result.notices = std::move(loaded.ignored);
  }
  result.problems = problems.found();
  return result;
}

std::string counted(std::size_t count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

void print_text(const std::vector<CheckedFile>& files) {
  for (const CheckedFile& file : files) {
    for (const Problem& problem : file.problems) show("{}\n", problem.text());
    if (file.problems.size() >= Problems::most) {
      show("{}: there may be more than these {} problems\n", file.file, Problems::most);
    }
    for (Problem notice : file.notices) {
      notice.message = "notice: " + notice.message;
      show("{}\n", notice.text());
    }
  }
  show("{}, {}\n", counted(files.size(), "file"), counted(count_problems(files), "problem"));
}

}  // namespace

int run_check_command(const CheckOptions& options) {
  if (options.schema) {
    if (!options.schema->empty() && *options.schema != "benchmark") {
      throw InputError(
          fmt::format("there is no schema \"{}\"; write --schema or --schema benchmark", *options.schema));
    }
    show("{}", specs::benchmark_schema());
    return 0;
  }
  if (options.files.empty()) throw InputError("no file is given; write tandem check FILE…");
  std::vector<CheckedFile> files;
  for (const auto& file : options.files) files.push_back(checked(file, options.options));
  if (options.format == Format::json) {
    show("{}", json_of(files));
  } else {
    print_text(files);
  }
  return count_problems(files) == 0 ? 0 : 2;
}

}  // namespace tandem::daemon::commands
