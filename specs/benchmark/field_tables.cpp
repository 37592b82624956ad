#include <array>
#include <utility>

#include "specs/benchmark/fields.hpp"
#include "specs/benchmark/spec.hpp"

namespace tandem::specs::shapes {
namespace {

// The words that the tables are written in.

constexpr double longest_seconds = 366.0 * 24 * 3600;
constexpr double most_iterations = 1e9;
constexpr double most_repeats = 1e6;
constexpr double most_tries = 100;
constexpr double last_cpu = 65535;
constexpr double largest_dimension = 9007199254740992.0;  // 2^53
constexpr double largest_number = std::numeric_limits<double>::max();
constexpr std::size_t most_commands = 100;
constexpr std::size_t most_build_entries = 256;
constexpr std::array pairing_names = {"auto", "alternate", "duet", "process", "process_together"};

Shape of(Shape::Type type) {
  Shape shape;
  shape.type = type;
  return shape;
}
Shape anything() {
  return of(Shape::Type::anything);
}
Shape null() {
  return of(Shape::Type::null);
}
Shape text() {
  return of(Shape::Type::text);
}
Shape text(const TextRule& rule) {
  Shape shape = text();
  shape.rule = &rule;
  return shape;
}
template <std::size_t count>
Shape choice(const std::array<const char*, count>& names) {
  Shape shape = text();
  shape.choices.assign(names.begin(), names.end());
  return shape;
}
Shape name() {
  return of(Shape::Type::name);
}
Shape command() {
  return of(Shape::Type::command);
}
Shape scalar() {
  return of(Shape::Type::scalar);
}
Shapes flag() {
  return {of(Shape::Type::flag), text(flag_word_rule)};
}
Shape number(double low, double high) {
  Shape shape = of(Shape::Type::number);
  shape.low = low;
  shape.high = high;
  return shape;
}
Shape whole(double low, double high) {
  Shape shape = number(low, high);
  shape.type = Shape::Type::whole;
  return shape;
}
Shape whole_but(double low, double high, std::int64_t except) {
  Shape shape = whole(low, high);
  shape.except = except;
  return shape;
}
Shape list(Shapes items, std::size_t least = 0, std::size_t most = 0) {
  Shape shape = of(Shape::Type::list);
  shape.items = std::move(items);
  shape.least_items = least;
  shape.most_items = most;
  return shape;
}
Shape map(Shapes values) {
  Shape shape = of(Shape::Type::map);
  shape.items = std::move(values);
  return shape;
}
Shape map(Shapes values, const TextRule& keys) {
  Shape shape = map(std::move(values));
  shape.key_rule = &keys;
  return shape;
}
Shape environment() {
  return map({scalar()}, environment_rule);
}
Shape object(const ObjectKind& (*kind)()) {
  Shape shape = of(Shape::Type::object);
  shape.object = kind;
  return shape;
}

}  // namespace
}  // namespace tandem::specs::shapes

namespace tandem::specs {
namespace {

using namespace shapes;

const ObjectKind& converter_kind() {
  static const ObjectKind kind = {"converter",
                                  {{"name", {name()}, "Which converter reads the text", Need::required},
                                   {"args", {map({scalar()})}, "What it is told, such as \"identifier\""}}};
  return kind;
}

const ObjectKind& file_kind() {
  static const ObjectKind kind = {
      "file",
      {{"filename", {name()}, "Its name, without folders"},
       {"location",
        {name()},
        "A URL, a path under the model root (\"//…\"), a path relative to this file, or an absolute one"},
       {"md5", {text(md5_rule), null()}, "Its digest; checked before use"},
       {"sha256", {text(sha256_rule), null()}, "Its digest; checked before use"},
       {"converter", {object(converter_kind)}, "Reads results out of a written file"},
       {"upload", flag(), "Files are not sent anywhere", Need::optional, Effect::none},
       {"target", {scalar()}, "Libraries are not copied to another place", Need::optional, Effect::none}}};
  return kind;
}

Shapes files() {
  return {map({object(file_kind), list({object(file_kind)})})};
}

const ObjectKind& host_commands_kind() {
  static const ObjectKind kind = {"host_commands",
                                  {{"commands",
                                    {command(), list({command()}, 0, most_commands)},
                                    "Run one after the other; they are not measured"},
                                   {"command", {command()}, "The same for one command"},
                                   {"files", files(), "Files that they read"},
                                   {"platform_args", {object(platform_args_kind)}, "How they are run"}},
                                  OtherKeys::refused,
                                  {{"commands", "command"}}};
  return kind;
}

const ObjectKind& input_kind() {
  static const ObjectKind kind = {"input",
                                  {{"shapes",
                                    {list({list({whole(-1, largest_dimension)})}, 1)},
                                    "Sizes of its dimensions; each shape is a benchmark of its own",
                                    Need::required},
                                   {"type", {name()}, "Of its elements"}}};
  return kind;
}

std::vector<Field> model_fields(Need need) {
  return {
      {"name", {name()}, "With metric and identifier, what results are filed under", need},
      {"format", {name()}, "With the name, where files are cached"},
      {"framework", {name()}, "Whose programs run it"},
      {"files", files(), "What programs read; {files.KEY} is where a file lies"},
      {"libraries", {list({object(file_kind)}), map({object(file_kind)})}, "Shared libraries"},
      {"group", {text()}, "A label for reports"},
      {"cooldown", {number(0, longest_seconds)}, "Seconds before the next benchmark"},
      {"repeat", {whole(1, most_repeats)}, "Launches at least; {INDEX} counts them from 0"},
      {"timeout", {number(0.001, longest_seconds)}, "Seconds for one launch"},
      {"command_args", {text()}, "Added to every command with {program}"},
      {"platform_args", {object(platform_args_kind)}, "How programs are run"},
      {"preprocess", {object(host_commands_kind)}, "Commands before the first launch"},
      {"postprocess", {object(host_commands_kind)}, "Commands after the last launch"},
      {"converter", {object(converter_kind)}, "Reads results out of what programs print"},
      {"log_output", flag(), "Shows what programs print"},
      {"protocol", {choice(protocol_names)}, "How programs hand over their samples"},
      {"margin", {number(0.0001, 1)}, "The change worth knowing, as a share: 0.01 is 1 %"},
      {"pairing", {choice(pairing_names)}, "How the two sides share the machine"},
      {"direction", {choice(direction_names)}, "Which way its metrics are better"},
      {"tags", {list({name()})}, "Labels to choose benchmarks by"},
      {"category", {anything()}, "For readers", Need::optional, Effect::described},
      {"description", {anything()}, "For readers", Need::optional, Effect::described},
      {"kind", {anything()}, "For readers", Need::optional, Effect::described},
      {"platform", {anything()}, "A platform of phones", Need::optional, Effect::phone},
      {"app", {anything()}, "An application of Android", Need::optional, Effect::phone},
  };
}

Field default_args_field() {
  return {"default_args",
          {map({scalar(), null(), list({scalar()})}, command_flag_rule)},
          "Flags of the command line, with or without dashes; a flag that is given wins"};
}

}  // namespace

const ObjectKind& platform_args_kind() {
  static const ObjectKind kind = {
      "platform_args",
      {{"timeout", {number(0.001, longest_seconds)}, "Seconds for one run"},
       {"log_output", flag(), "Shows what is printed"},
       {"ignore_status", flag(), "An exit status other than 0 is sound"},
       {"retry", {whole(0, most_tries)}, "Runs in all while a command before or after the program fails"},
       {"env", {environment()}, "Environment variables"},
       {"taskset", {text(cpu_mask_rule)}, "A hexadecimal mask of the processors to run on"}},
      OtherKeys::noticed};
  return kind;
}

const ObjectKind& model_kind() {
  static const ObjectKind kind = {"model", model_fields(Need::required), OtherKeys::free};
  return kind;
}

const ObjectKind& meta_kind() {
  static const ObjectKind kind = {"meta", model_fields(Need::optional), OtherKeys::free};
  return kind;
}

const ObjectKind& test_kind() {
  static const ObjectKind kind = {
      "test",
      {{"metric", {name()}, "What the test is about: \"delay\", \"accuracy\", …", Need::required},
       {"identifier", {name()}, "Tells it from others; {ID} is its place in the file", Need::required},
       {"iter", {whole_but(-1, most_iterations, 0)}, "Samples to collect; -1: not said"},
       {"warmup", {whole(-1, most_iterations)}, "For {warmup} in commands; -1: not said"},
       {"commands",
        {command(), list({command()}, 1, most_commands), map({map({scalar()})})},
        "Programs and arguments, one after the other; an object is FAI-PEP's old form for one framework"},
       {"command", {command()}, "The same for one command"},
       {"arguments", {text()}, "The same for {program} and these arguments"},
       {"inputs", {map({object(input_kind)})}, "Tensors that it is fed, with one or more shapes each"},
       {"parameters",
        {map({list({scalar()}, 1)}, parameter_name_rule)},
        "Values by name; each combination is a benchmark, {NAME} stands for its value"},
       {"input_files", files(), "What it reads; {input_files.KEY} is where a file lies"},
       {"output_files", files(), "What it writes; {output_files.KEY} is where a file lies"},
       {"files", files(), "What it reads; {files.KEY} is where a file lies"},
       {"preprocess", {object(host_commands_kind)}, "Commands before every launch"},
       {"postprocess", {object(host_commands_kind)}, "Commands after every launch"},
       {"env", {environment()}, "Environment variables of its programs"},
       {"timeout", {number(0.001, longest_seconds)}, "Seconds for one launch"},
       {"statistics", {list({text(statistic_rule)})}, "What reports show of the samples"},
       {"cpu-list",
        {whole(-1, last_cpu), text(cpu_list_rule)},
        "Where it runs; a number of at most 0: anywhere"},
       {"OMP_NUM_THREADS", {whole(-1, last_cpu)}, "Threads of OpenMP; at most 0: not set"},
       {"MKL_NUM_THREADS", {whole(-1, last_cpu)}, "Threads of MKL; at most 0: not set"},
       {"log_output", flag(), "Shows what its programs print"},
       {"platform_args", {object(platform_args_kind)}, "How its programs are run"},
       {"group", {text()}, "A label for reports"},
       {"protocol", {choice(protocol_names)}, "How its programs hand over their samples"},
       {"margin", {number(0.0001, 1)}, "The change worth knowing, as a share: 0.01 is 1 %"},
       {"pairing", {choice(pairing_names)}, "How the two sides share the machine"},
       {"direction", {choice(direction_names)}, "Which way its metrics are better"},
       {"metrics", {list({choice(metric_names)}, 1)}, "What is measured beside time"},
       {"golden", {object(golden_kind)}, "Numbers that its programs must reproduce"},
       {"instructions", {choice(counter_names)}, "How instructions are counted"},
       {"tags", {list({name()})}, "Labels to choose benchmarks by"},
       {"profiler", {anything()}, "Profiles are taken by the daemon", Need::optional, Effect::none},
       {"method", {anything()}, "How power is measured", Need::optional, Effect::phone},
       {"collection_time", {anything()}, "How long power is measured", Need::optional, Effect::phone},
       {"monsoon", {anything()}, "A power monitor", Need::optional, Effect::phone},
       {"voltage", {anything()}, "Of a power monitor", Need::optional, Effect::phone},
       {"degrade", {anything()}, "Slows a phone down", Need::optional, Effect::phone}},
      OtherKeys::refused,
      {{"commands", "command", "arguments"}}};
  return kind;
}

const ObjectKind& build_kind() {
  static const ObjectKind kind = {
      "build",
      {{"target", {name()}, "Of the project's own build"},
       {"options", {list({name()}, 0, most_build_entries)}, "For the configuration or the compiler"},
       {"sources", {list({name()}, 0, most_build_entries)}, "Files of your own beside this one"},
       {"include", {list({name()}, 0, most_build_entries)}, "Directories of the commit's tree"},
       {"libraries", {list({name()}, 0, most_build_entries)}, "To link with"},
       {"standard", {whole(11, 26)}, "Of C++"}}};
  return kind;
}

const ObjectKind& golden_kind() {
  static const ObjectKind kind = {
      "golden",
      {{"file", {name()}, "The right numbers, in the folder of this file or below", Need::required},
       {"output", {name()}, "What the program writes, such as \"{TGTDIR}/output.txt\""},
       {"absolute", {number(0, largest_number)}, "A number is sound within this distance"},
       {"relative", {number(0, largest_number)}, "Or within this share of the right one"},
       {"type", {choice(golden_type_names)}, "Of both files"}}};
  return kind;
}

const ObjectKind& benchmark_kind() {
  static const ObjectKind kind = {
      "benchmark",
      {{"$schema", {text()}, "For editors"},
       {"model", {object(model_kind)}, "What its tests share", Need::required},
       {"tests", {list({object(test_kind)}, 1)}, "What is measured", Need::required},
       {"meta", {object(meta_kind)}, "Added to the model where it says nothing itself"},
       {"build", {object(build_kind)}, "What the generic frameworks build"},
       default_args_field()}};
  return kind;
}

const ObjectKind& suite_kind() {
  static const ObjectKind kind = {
      "suite",
      {{"$schema", {text()}, "For editors"},
       {"meta", {object(meta_kind)}, "Added to each model where it says nothing itself"},
       {"benchmarks", {list({name()}, 1)}, "Benchmark files, relative to this one", Need::required},
       {"build", {object(build_kind)}, "What the generic frameworks build"},
       default_args_field()}};
  return kind;
}

Keys names_of(const ObjectKind& kind) {
  Keys names;
  for (const Field& field : kind.fields) names.push_back(field.name);
  return names;
}

}  // namespace tandem::specs
