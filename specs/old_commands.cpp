#include "specs/old_commands.hpp"

#include <fmt/format.h>

#include "specs/nearest.hpp"

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

}  // namespace

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

}  // namespace tandem::specs
