#include "specs/model_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/command_line.hpp"
#include "specs/metrics_reader.hpp"
#include "specs/nearest.hpp"
#include "specs/placeholders.hpp"

namespace tandem::specs {
namespace {

constexpr int most_iterations = 1'000'000'000;
constexpr double longest_timeout = 366.0 * 24 * 3600;
constexpr std::size_t most_benchmarks = 10'000;
constexpr std::size_t most_commands = 100;                         // of one test
constexpr std::size_t most_command_bytes = std::size_t{16} << 20;  // of all benchmarks together

// Fields of FAI-PEP that load and change nothing. `category`, `description`, `kind` and `format` describe the
// model and need no notice; all other fields of a model are free.
const Keys model_ignored = {"files",      "libraries",   "cooldown", "repeat", "platform_args",
                            "preprocess", "postprocess", "platform", "app"};
const Keys test_ignored = {"inputs",      "input_files",   "output_files",    "files",      "preprocess",
                           "postprocess", "platform_args", "cpu-list",        "log_output", "profiler",
                           "degrade",     "method",        "collection_time", "monsoon",    "voltage"};
const Keys test_read = {"metric",          "identifier",      "iter",     "warmup",  "commands",
                        "command",         "arguments",       "env",      "timeout", "statistics",
                        "OMP_NUM_THREADS", "MKL_NUM_THREADS", "protocol", "margin",  "metrics",
                        "golden",          "instructions"};
const Keys protocols = {"auto", "sdk", "observer", "command", "google_benchmark", "benchdnn"};

/// A field of the test, else of its model, else of the suite.
std::optional<Node> nearest_field(const PlaceholderScope& scope, std::string_view key) {
  if (auto found = scope.test.find(key)) return found;
  if (auto found = scope.model.find(key)) return found;
  return scope.meta ? scope.meta->find(key) : std::nullopt;
}

/// FAI-PEP writes -1 for "not said".
std::optional<int> read_count(const Node& node, int least) {
  const auto value = node.as_integer(-1, most_iterations);
  if (value == -1) return std::nullopt;
  if (value < least)
    node.fail(fmt::format("found {}; expected -1 or a whole number of at least {}", value, least));
  return static_cast<int>(value);
}

Seconds read_timeout(const Node& node) {
  const double seconds = node.as_number(0.001, longest_timeout);
  return Seconds{seconds};
}

std::map<std::string, std::string> read_env(const Node& node) {
  std::map<std::string, std::string> env;
  for (const Member& member : node.members()) {
    if (member.key.empty() || member.key.find_first_of(std::string_view("=\0", 2)) != std::string::npos) {
      member.value.fail("is not a name of an environment variable; write a name without \"=\"");
    }
    std::string value = member.value.scalar_text();
    if (value.find('\0') != std::string::npos) member.value.fail("holds a NUL character; remove it");
    env.emplace(member.key, std::move(value));
  }
  return env;
}

/// "mean", "stdev", "MAD", "cv" or a percentile "p0" to "p100", with decimals as in "p99.9".
std::string read_statistic(const Node& node) {
  std::string name = node.as_string();
  for (const char* known : {"mean", "stdev", "MAD", "cv"}) {
    if (name == known) return name;
  }
  const std::string_view digits = std::string_view(name).substr(std::min<std::size_t>(1, name.size()));
  const bool shaped = name.starts_with("p") && !digits.empty() && digits.size() <= 8 &&
                      digits.front() != '.' && digits.back() != '.' &&
                      std::count(digits.begin(), digits.end(), '.') <= 1 &&
                      digits.find_first_not_of("0123456789.") == std::string_view::npos;
  if (!shaped || std::stod(std::string(digits)) > 100) {
    node.fail(fmt::format(
        "found {}; expected \"mean\", \"stdev\", \"MAD\", \"cv\" or a percentile such as \"p50\" or "
        "\"p99.9\"",
        node.found()));
  }
  return name;
}

/// One command: its placeholders replaced, the model's extra arguments added, and known to split into words.
std::string read_command(const Node& node, const std::string& written, const PlaceholderScope& scope) {
  std::string command = expand_placeholders(node, written, scope);
  if (written.find("{program}") != std::string::npos) {
    auto extra = scope.model.find("command_args");
    if (!extra && scope.meta) extra = scope.meta->find("command_args");
    if (extra) command.append(1, ' ').append(expand_placeholders(*extra, extra->as_string(), scope));
  }
  if (command.find('\0') != std::string::npos) node.fail("holds a NUL character; remove it");
  try {
    if (split_words(command).empty()) node.fail("is an empty command; write a program and its arguments");
  } catch (const ProblemError&) {
    throw;
  } catch (const InputError& error) {
    node.fail(error.what());
  }
  return command;
}

std::vector<std::string> read_commands(const PlaceholderScope& scope, Protocol protocol) {
  const Node& test = scope.test;
  std::vector<Node> written;
  for (const char* key : {"commands", "command", "arguments"}) {
    if (const auto node = test.find(key)) written.push_back(*node);
  }
  if (written.size() > 1) {
    written[1].fail("stands beside another command; keep one of \"commands\", \"command\" and \"arguments\"");
  }
  std::vector<std::string> commands;
  if (const auto list = test.find("commands")) {
    if (list->kind() == Kind::object) {
      list->fail(
          "found an object, the form that FAI-PEP expands for one framework; expected an array of strings "
          "such "
          "as \"{program} --iter {iter}\"");
    }
    const std::vector<Node> items = list->items();
    if (items.size() > most_commands) {
      list->fail(fmt::format("holds {} commands; write at most {}", items.size(), most_commands));
    }
    for (const Node& item : items) commands.push_back(read_command(item, item.as_string(), scope));
    if (commands.empty()) list->fail("is an empty array; write at least one command");
  } else if (const auto command = test.find("command")) {
    commands.push_back(read_command(*command, command->as_string(), scope));
  } else if (const auto arguments = test.find("arguments")) {
    commands.push_back(read_command(*arguments, "{program} " + arguments->as_string(), scope));
  } else if (protocol == Protocol::sdk || protocol == Protocol::google_benchmark) {
    commands.push_back(read_command(test, "{program}", scope));
  } else {
    test.fail("has no command; add \"commands\": [\"{program} …\"], or \"protocol\": \"sdk\"");
  }
  if (const auto extra = scope.string_map.find("pep_extra_args");
      commands.size() == 1 && extra != scope.string_map.end()) {
    commands.front() += " " + extra->second;
  }
  return commands;
}

void read_converter(const Node& model, Problems& problems, BenchmarkSpec& spec) {
  const auto converter = model.find("converter");
  if (!converter) return;
  converter->expect_keys({"name", "args"}, problems);
  spec.converter = read_name(converter->at("name"));
  if (const auto args = converter->find("args")) {
    if (const auto identifier = args->find("identifier")) spec.observer_identifier = read_name(*identifier);
  }
}

BenchmarkSpec read_test(const PlaceholderScope& scope, Problems& problems) {
  const Node& test = scope.test;
  BenchmarkSpec spec;
  spec.file = test.file();
  spec.where = test.position();
  Keys allowed = test_read;
  allowed.insert(allowed.end(), test_ignored.begin(), test_ignored.end());
  test.expect_keys(allowed, problems);

  const auto field = [&](const std::optional<Node>& node, auto&& read) {
    if (node) problems.attempt([&] { read(*node); });
  };
  problems.attempt([&] { spec.model = read_name(scope.model.at("name")); });
  problems.attempt([&] { spec.metric = read_name(test.at("metric")); });
  problems.attempt([&] {
    spec.identifier = read_name(test.at("identifier"));
    const std::string id = std::to_string(scope.id);
    for (std::size_t at = 0; (at = spec.identifier.find("{ID}", at)) != std::string::npos; at += id.size()) {
      spec.identifier.replace(at, 4, id);
    }
  });
  field(scope.model.find("framework"), [&](const Node& node) { spec.framework = read_name(node); });
  field(nearest_field(scope, "group"), [&](const Node& node) { spec.group = node.as_string(); });
  field(test.find("iter"), [&](const Node& node) { spec.iter = read_count(node, 1); });
  field(test.find("warmup"), [&](const Node& node) { spec.warmup = read_count(node, 0); });
  field(nearest_field(scope, "timeout"), [&](const Node& node) { spec.timeout = read_timeout(node); });
  field(nearest_field(scope, "margin"), [&](const Node& node) { spec.margin = node.as_number(0.0001, 1.0); });
  field(nearest_field(scope, "protocol"), [&](const Node& node) {
    const std::string name = node.as_choice(protocols);
    const auto place = std::find(protocols.begin(), protocols.end(), name) - protocols.begin();
    spec.protocol = static_cast<Protocol>(place);
  });
  field(test.find("env"), [&](const Node& node) { spec.env = read_env(node); });
  for (const char* threads : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
    field(test.find(threads), [&](const Node& node) {
      if (const auto count = node.as_integer(-1, 65536); count > 0)
        spec.env.emplace(threads, std::to_string(count));
    });
  }
  field(test.find("statistics"), [&](const Node& node) {
    for (const Node& item : node.items()) spec.statistics.push_back(read_statistic(item));
  });
  read_metrics(test, problems, spec);
  problems.attempt([&] { read_converter(scope.model, problems, spec); });
  problems.attempt([&] { spec.commands = read_commands(scope, spec.protocol); });
  return spec;
}

std::size_t command_bytes(const BenchmarkSpec& spec) {
  std::size_t sum = 0;
  for (const std::string& command : spec.commands) sum += command.size();
  return sum;
}

}  // namespace

void note_ignored(const Node& object, const Keys& fields, LoadedSpecs& specs) {
  for (const std::string_view key : fields) {
    if (const auto node = object.find(key))
      specs.ignored.push_back(node->problem("is accepted and has no effect"));
  }
}

std::string read_name(const Node& node) {
  std::string text = node.as_string();
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (text.empty()) node.fail("is empty; write a name");
  if (std::any_of(text.begin(), text.end(), is_control)) node.fail("holds a control character; remove it");
  return text;
}

void read_model_and_tests(const Node& root, const std::optional<Node>& meta, const SpecOptions& options,
                          Problems& problems, LoadedSpecs& specs) {
  root.expect_keys({"model", "tests", "build", "meta", "default_args"}, problems);
  note_ignored(root, {"default_args"}, specs);
  const Node model = root.at("model");
  const Node tests = root.at("tests");
  note_ignored(model, model_ignored, specs);
  keep_build_section(root, problems, specs.build);
  // The other fields of a model are free; only an object can be meant.
  if (const auto build = model.find("build"); build && build->kind() == Kind::object) {
    keep_build_section(model, problems, specs.build);
  }
  const std::vector<Node> items = tests.items();
  if (items.empty()) tests.fail("is an empty array; write at least one test");
  if (const auto framework = model.find("framework"); framework && !options.framework.empty()) {
    problems.attempt([&] {
      if (framework->as_string() == options.framework) return;
      framework->fail(fmt::format("found {}; expected {}, the framework of this run", framework->found(),
                                  in_quotes(options.framework)));
    });
  }
  std::size_t bytes = 0;
  for (const BenchmarkSpec& spec : specs.benchmarks) bytes += command_bytes(spec);
  for (std::size_t id = 0; id < items.size(); ++id) {
    if (specs.benchmarks.size() >= most_benchmarks || bytes > most_command_bytes) {
      items[id].fail(fmt::format("is past {} benchmarks or {} bytes of commands; split the suite",
                                 most_benchmarks, most_command_bytes));
    }
    problems.attempt([&] {
      const PlaceholderScope scope{items[id], model, meta, id, options.string_map, options.programs};
      note_ignored(items[id], test_ignored, specs);
      specs.benchmarks.push_back(read_test(scope, problems));
      bytes += command_bytes(specs.benchmarks.back());
    });
  }
}

}  // namespace tandem::specs
