#include "specs/benchmark/test_reader.hpp"

#include <algorithm>

#include "specs/benchmark/commands_reader.hpp"
#include "specs/benchmark/field_shapes.hpp"
#include "specs/benchmark/measured_reader.hpp"

namespace tandem::specs {
namespace {

/// The choices of a field are in the order of the enumeration.
template <class Enum>
Enum read_choice(const Node& node, const Keys& choices) {
  return static_cast<Enum>(std::find(choices.begin(), choices.end(), node.as_string()) - choices.begin());
}

/// FAI-PEP writes -1 for "not said".
std::optional<int> read_count(const Node& node) {
  const auto value = node.as_integer();
  return value == -1 ? std::nullopt : std::optional(static_cast<int>(value));
}

/// A text that names something in results.
std::string read_label(const TestView& view, const Node& node, const std::string& text) {
  std::string label = expand_placeholders(node, text, view.scope, Keep::nothing);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(label.begin(), label.end(), is_control)) node.fail("holds a control character; remove it");
  return label;
}

/// The arguments of the test hide those of the model, as in FAI-PEP.
PlatformArgs platform_args_of(const TestView& view) {
  if (const auto args = view.test.find("platform_args")) return read_platform_args(view, MergedValue(*args));
  if (const auto args = view.model.find("platform_args")) return read_platform_args(view, *args);
  return {};
}

std::optional<Seconds> read_timeout(const TestView& view, const PlatformArgs& args) {
  const bool of_test = view.test.has("platform_args");
  if (const auto timeout = view.test.find("timeout")) return Seconds{timeout->as_number()};
  if (of_test && args.timeout) return args.timeout;
  if (const auto timeout = view.model.find("timeout")) return Seconds{timeout->node().as_number()};
  return args.timeout;
}

void read_machine(const TestView& view, Problems& problems, BenchmarkSpec& spec) {
  PlatformArgs args;
  problems.attempt([&] { args = platform_args_of(view); });
  spec.timeout = read_timeout(view, args);
  spec.ignore_status = args.ignore_status;
  spec.log_output = args.log_output.value_or(false);
  if (const auto log = view.nearest("log_output")) spec.log_output = read_flag(*log);
  spec.cpus = args.cpus;
  if (const auto list = view.test.find("cpu-list")) {
    problems.attempt([&] {
      if (auto cpus = read_cpu_list(*list); !cpus.empty()) spec.cpus = std::move(cpus);
    });
  }
  problems.attempt([&] {
    if (const auto env = view.test.find("env")) spec.env = read_env(view, MergedValue(*env));
  });
  for (const char* threads : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
    const auto count = view.test.find(threads);
    if (count && count->as_integer() > 0) spec.env.emplace(threads, std::to_string(count->as_integer()));
  }
  spec.env.merge(args.env);
}

void read_names(const TestView& view, const std::string& suffix, Problems& problems, BenchmarkSpec& spec) {
  const auto label = [&](const std::optional<Node>& node, std::string& to, const std::string& more = "") {
    if (node) problems.attempt([&] { to = read_label(view, *node, node->as_string() + more); });
  };
  const auto of_model = [&](const char* key) {
    const auto value = view.model.find(key);
    return value ? std::optional(value->node()) : std::nullopt;
  };
  label(of_model("name"), spec.model);
  label(of_model("format"), spec.format);
  label(of_model("framework"), spec.framework);
  label(view.nearest("group"), spec.group);
  label(view.test.find("metric"), spec.metric);
  label(view.test.find("identifier"), spec.identifier, suffix);
  const auto tag = [&](const Node& node) {
    if (std::find(spec.tags.begin(), spec.tags.end(), node.as_string()) == spec.tags.end())
      spec.tags.push_back(node.as_string());
  };
  if (const auto tags = view.test.find("tags")) {
    for (const Node& node : tags->items()) tag(node);
  }
  if (const auto tags = view.model.find("tags")) {
    for (const Node& node : tags->items()) tag(node);
  }
}

void read_choices(const TestView& view, BenchmarkSpec& spec) {
  if (const auto node = view.nearest("protocol"))
    spec.protocol = read_choice<Protocol>(*node, shapes::protocol_names());
  if (const auto node = view.nearest("direction"))
    spec.direction = read_choice<Direction>(*node, shapes::direction_names());
  if (const auto node = view.nearest("pairing")) spec.pairing = node->as_string();
  if (const auto node = view.nearest("margin")) spec.margin = node->as_number();
}

void read_host_steps(const TestView& view, Problems& problems, BenchmarkSpec& spec) {
  const auto read = [&](const std::optional<MergedValue>& process, std::vector<HostCommand>& to) {
    if (process) problems.attempt([&] { to = read_host_commands(view, *process); });
  };
  const auto of_test = [&](const char* key) {
    const auto node = view.test.find(key);
    return node ? std::optional(MergedValue(*node)) : std::nullopt;
  };
  read(view.model.find("preprocess"), spec.model_before);
  read(of_test("preprocess"), spec.before);
  read(of_test("postprocess"), spec.after);
  read(view.model.find("postprocess"), spec.model_after);
}

}  // namespace

BenchmarkSpec read_test(const TestView& view, const std::string& suffix, Problems& problems) {
  BenchmarkSpec spec;
  spec.file = view.test.node().file();
  spec.where = view.test.node().position();
  read_names(view, suffix, problems, spec);
  read_choices(view, spec);
  read_machine(view, problems, spec);
  if (const auto iter = view.test.find("iter")) spec.iter = read_count(*iter);
  if (const auto warmup = view.test.find("warmup")) spec.warmup = read_count(*warmup);
  if (const auto repeat = view.model.find("repeat"))
    spec.repeat = static_cast<int>(repeat->node().as_integer());
  if (const auto cooldown = view.model.find("cooldown"))
    spec.cooldown = Seconds{cooldown->node().as_number()};
  if (const auto statistics = view.test.find("statistics")) {
    for (const Node& item : statistics->items()) spec.statistics.push_back(item.as_string());
  }
  read_metrics(view.test, problems, spec);
  if (const auto converter = view.model.find("converter")) spec.converter = read_converter(*converter);
  read_files(view, problems, spec);
  read_host_steps(view, problems, spec);
  problems.attempt([&] { spec.commands = read_commands(view, spec.protocol); });
  return spec;
}

}  // namespace tandem::specs
