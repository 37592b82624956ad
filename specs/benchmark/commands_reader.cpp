#include <fmt/format.h>

#include <algorithm>

#include "specs/benchmark/readers.hpp"

namespace tandem::specs {
namespace {

/// The framework by what the commands are written for, else as the run, the model or its format says.
std::string framework_of(const TestView& view) {
  if (const auto commands = view.test.find("commands")) {
    for (const char* known : {"caffe2", "tflite"}) {
      if (commands->has(known)) return known;
    }
  }
  for (const char* key : {"framework", "format"}) {
    if (const auto value = view.model.find(key)) return value->node().as_string();
  }
  return view.options.framework;
}

bool has_model_file(const TestView& view, const char* key) {
  const auto files = view.model.find("files");
  return files && files->find(key);
}

/// `form` is how one is written: " --{} {}" or " --{}={}".
std::string own_flags(const TestView& view, const std::string& framework,
                      fmt::format_string<std::string&, std::string> form) {
  std::string flags;
  const auto commands = view.test.find("commands");
  const auto given = commands ? commands->find(framework) : std::nullopt;
  if (!given) return flags;
  for (Member& member : given->members()) flags += fmt::format(form, member.key, member.value.scalar_text());
  return flags;
}

/// The members of an object, each as `form` says, with commas.
std::string listed(const Node& object, fmt::format_string<std::string&> form) {
  std::string text;
  for (Member& member : object.members()) text += (text.empty() ? "" : ",") + fmt::format(form, member.key);
  return text;
}

std::string caffe2_command(const TestView& view, const Node& where) {
  const auto inputs = view.test.find("inputs");
  const auto files = view.test.find("input_files");
  if (!inputs && !files) {
    where.fail(
        "cannot be turned into a command without \"inputs\"; write the whole command, such as "
        "\"{program} --iter {iter}\"");
  }
  std::string command = "{program} --net {files.predict} --warmup {warmup} --iter {iter}";
  if (has_model_file(view, "init")) command += " --init_net {files.init}";
  if (files) {
    command += " --input_file " + listed(*files, "{{input_files.{}}}") + " --input " + listed(*files, "{}");
  } else {
    command += " --input_dims \"{inputs.shapes}\" --input \"{inputs}\"";
  }
  if (inputs) command += " --input_type {inputs.type}";
  if (const auto outputs = view.test.find("output_files")) {
    command += " --output " + listed(*outputs, "{}") + " --text_output true --output_folder {TGTDIR}";
  }
  return command + own_flags(view, "caffe2", " --{} {}");
}

std::string tflite_command(const TestView& view) {
  std::string command = "{program} --graph={files.graph} --warmup_runs={warmup} --num_runs={iter}";
  if (view.test.has("inputs")) {
    command += " \"--input_layer={inputs}\" \"--input_layer_shape={inputs.shapes}\"";
  }
  return command + own_flags(view, "tflite", " --{}={}");
}

/// The command that FAI-PEP composes for a test with `inputs` and without commands of its own, or with its
/// old form `"commands": {"caffe2": {FLAG: VALUE}}`; with placeholders. Only Caffe2 and TensorFlow Lite have
/// such a form.
std::string old_command(const TestView& view) {
  const Node where = view.test.find("commands").value_or(view.test.node());
  const std::string framework = framework_of(view);
  if (framework == "caffe2") return caffe2_command(view, where);
  if (framework == "tflite") return tflite_command(view);
  where.fail(
      fmt::format("has no command of its own, and framework {} has no form that one could be made of; write "
                  "\"commands\": [\"{{program}} --iter {{iter}}\"]",
                  in_quotes(framework)));
}

/// The arguments that every command with {program} gets.
std::string added_arguments(const TestView& view) {
  std::string added;
  if (const auto args = view.model.find("command_args"); args && !args->node().as_string().empty())
    added += " " + view.expand(args->node(), Keep::runners);
  if (!view.options.command_args.empty()) added += " " + view.options.command_args;
  return added;
}

/// One command: its placeholders replaced, arguments added, and known to split into words.
std::string read_command(const TestView& view, const Node& node, const std::string& written) {
  std::string command = expand_placeholders(node, written, view.scope, Keep::runners_first);
  if (written.find("{program}") != std::string::npos) command += added_arguments(view);
  if (command.find('\0') != std::string::npos) node.fail("holds a NUL character; remove it");
  std::string wrong;
  try {
    if (split_words(command).empty()) wrong = "is an empty command; write a program and its arguments";
  } catch (const InputError& error) {
    wrong = error.what();
  }
  if (!wrong.empty()) node.fail(wrong);
  return command;
}

/// Every text of a value that is one command or a list of them.
std::vector<Node> command_nodes(const MergedValue& value) {
  if (value.kind() == Kind::string) return {value.node()};
  return value.items();
}

std::vector<std::string> written_commands(const TestView& view, Protocol protocol) {
  const CheckedObject& test = view.test;
  std::vector<std::string> commands;
  const auto list = test.find("commands");
  if (list && list->kind() != Kind::object) {
    for (const Node& node : command_nodes(MergedValue(*list)))
      commands.push_back(read_command(view, node, node.as_string()));
  } else if (const auto command = test.find("command")) {
    commands.push_back(read_command(view, *command, command->as_string()));
  } else if (const auto arguments = test.find("arguments")) {
    // Some of FAI-PEP's own files name the program here, too; it is started once.
    const std::string text = arguments->as_string();
    commands.push_back(
        read_command(view, *arguments, text.starts_with("{program}") ? text : "{program} " + text));
  } else if (list) {
    commands.push_back(read_command(view, *list, old_command(view)));
  } else if (protocol == Protocol::sdk || protocol == Protocol::google_benchmark) {
    commands.push_back(read_command(view, test.node(), "{program}"));
  } else if (test.has("inputs")) {
    commands.push_back(read_command(view, test.node(), old_command(view)));
  } else {
    test.node().fail("has no command; add \"commands\": [\"{program} …\"], or \"protocol\": \"sdk\"");
  }
  return commands;
}

}  // namespace

std::map<std::string, std::string> read_env(const TestView& view, const MergedValue& env) {
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : env.members())
    variables.emplace(name, view.expand(value.node(), Keep::nothing));
  return variables;
}

PlatformArgs read_platform_args(const TestView& view, const MergedValue& args) {
  PlatformArgs read;
  if (const auto timeout = args.find("timeout")) read.timeout = Seconds{timeout->node().as_number()};
  if (const auto log = args.find("log_output")) read.log_output = read_flag(log->node());
  if (const auto ignore = args.find("ignore_status")) read.ignore_status = read_flag(ignore->node());
  if (const auto retry = args.find("retry"))
    read.tries = std::max(1, static_cast<int>(retry->node().as_integer()));
  if (const auto env = args.find("env")) read.env = read_env(view, *env);
  if (const auto mask = args.find("taskset")) read.cpus = cpus_of_mask(mask->node().as_string());
  return read;
}

std::vector<std::string> read_commands(const TestView& view, Protocol protocol) {
  std::vector<std::string> commands = written_commands(view, protocol);
  const auto extra = view.options.string_map.find("pep_extra_args");
  if (commands.size() == 1 && extra != view.options.string_map.end()) commands.front() += " " + extra->second;
  return commands;
}

std::vector<HostCommand> read_host_commands(const TestView& view, const MergedValue& process) {
  HostCommand shared;
  if (const auto args = process.find("platform_args")) {
    PlatformArgs read = read_platform_args(view, *args);
    shared.timeout = read.timeout;
    shared.env = std::move(read.env);
    shared.tries = read.tries;
    shared.ignore_status = read.ignore_status;
  }
  std::vector<HostCommand> commands;
  for (const char* key : {"commands", "command"}) {
    const auto value = process.find(key);
    if (!value) continue;
    for (const Node& node : command_nodes(*value)) {
      HostCommand& command = commands.emplace_back(shared);
      command.text = read_command(view, node, node.as_string());
    }
  }
  return commands;
}

std::vector<int> cpus_of_mask(std::string_view mask) {
  if (mask.starts_with("0x") || mask.starts_with("0X")) mask.remove_prefix(2);
  std::vector<int> cpus;
  int first = 0;
  for (auto digit = mask.rbegin(); digit != mask.rend(); ++digit, first += 4) {
    const int value = *digit <= '9' ? *digit - '0' : (*digit | 0x20) - 'a' + 10;
    for (int bit = 0; bit < 4; ++bit) {
      if ((value >> bit & 1) != 0) cpus.push_back(first + bit);
    }
  }
  return cpus;
}

std::vector<int> read_cpu_list(const Node& node) {
  if (node.kind() == Kind::number) {
    const int cpu = static_cast<int>(node.as_integer());
    return cpu > 0 ? std::vector<int>{cpu} : std::vector<int>{};
  }
  constexpr std::size_t most_cpus = 65536;
  std::vector<int> cpus;
  const std::string text = node.as_string();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string range = text.substr(begin, end - begin);
    const std::size_t dash = std::min(range.find('-'), range.size());
    const int low = std::stoi(range);
    const int high = dash == range.size() ? low : std::stoi(range.substr(dash + 1));
    if (high < low) node.fail(fmt::format("found {}; expected the smaller number first", node.found()));
    if (cpus.size() + static_cast<std::size_t>(high - low) > most_cpus)
      node.fail(fmt::format("lists more than {} processors; write fewer", most_cpus));
    for (int cpu = low; cpu <= high; ++cpu) cpus.push_back(cpu);
    begin = end + 1;
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

}  // namespace tandem::specs
