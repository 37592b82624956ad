#include <fmt/format.h>

#include <array>
#include <optional>

#include "runners/results/adapter.hpp"
#include "specs/foundation/numbers.hpp"

namespace tandem::runners {
namespace {

constexpr std::size_t most_fields = 64;
constexpr std::size_t longest_problem = 4000;
constexpr std::string_view names_template = "Output template: ";

/// A number that benchdnn can write, as it counts here. Those that only describe the problem are not kept.
struct Quantity {
  std::string_view field;
  std::string_view metric;  ///< empty: passed over
  std::string_view unit;
  double factor;      ///< from benchdnn's unit to ours
  char first_choice;  /// the mode that carries the plain name: '-' shortest, '0' average, '+' longest
};
constexpr std::array<Quantity, 15> quantities = {{{"time", "time", "ns", 1e6, '-'},
                                                  {"flops", "flops", "flop/s", 1, '-'},
                                                  {"bw", "bandwidth", "B/s", 1, '-'},
                                                  {"clocks", "clocks", "clocks", 1, '-'},
                                                  // Created with a cold cache: the longest.
                                                  {"ctime", "creation_time", "ns", 1e6, '+'},
                                                  {"prim_ctime", "creation_time", "ns", 1e6, '+'},
                                                  {"cptime", "primitive_creation_time", "ns", 1e6, '+'},
                                                  {"cpdtime", "descriptor_creation_time", "ns", 1e6, '+'},
                                                  {"freq", "", "", 1, '-'},
                                                  {"ops", "", "", 1, '-'},
                                                  {"ibytes", "", "", 1, '-'},
                                                  {"obytes", "", "", 1, '-'},
                                                  {"iobytes", "", "", 1, '-'},
                                                  {"idx", "", "", 1, '-'},
                                                  {"mb", "", "", 1, '-'}}};

struct Field {
  std::string name;
  char mode = '-';
  double unit = 1;
  const Quantity* quantity = nullptr;  ///< nothing: text
  std::string metric;                  ///< what its numbers are called; empty: passed over
  std::string after;                   ///< the literal text between it and the next field
};

struct Pattern {
  std::string before;
  std::vector<Field> fields;
  std::size_t wide = 0;  ///< the one field whose text may hold the literals between fields: the problem
};

Field field_named(std::string_view written) {
  Field field;
  std::string_view name = written;
  if (!name.empty() && std::string_view("-0+").find(name.front()) != std::string_view::npos) {
    field.mode = name.front();
    name.remove_prefix(1);
  }
  if (!name.empty() && std::string_view("KMG").find(name.front()) != std::string_view::npos) {
    field.unit = name.front() == 'K' ? 1e3 : name.front() == 'M' ? 1e6 : 1e9;
    name.remove_prefix(1);
  }
  field.name = name;
  for (const Quantity& quantity : quantities) {
    if (quantity.field == name) field.quantity = &quantity;
  }
  return field;
}

/// Fields of one quantity in several modes: one has the plain name, the others say what they are.
void name_metrics(Pattern& pattern) {
  for (Field& field : pattern.fields) {
    if (field.quantity == nullptr || field.quantity->metric.empty()) continue;
    const Field* plain = nullptr;
    for (const Field& other : pattern.fields) {
      if (other.quantity == nullptr || other.quantity->metric != field.quantity->metric) continue;
      const auto is_choice = [](const Field& one) { return one.mode == one.quantity->first_choice; };
      if (plain == nullptr || (!is_choice(*plain) && is_choice(other))) plain = &other;
    }
    const char* prefix = field.mode == '-' ? "shortest_" : field.mode == '0' ? "average_" : "longest_";
    field.metric = fmt::format("{}{}", plain->mode == field.mode ? "" : prefix, field.quantity->metric);
  }
}

void choose_wide(Pattern& pattern) {
  for (const std::string_view name : {"name", "attr", "desc", "DESC", "prb"}) {
    for (std::size_t i = 0; i < pattern.fields.size(); ++i) {
      if (pattern.fields[i].name == name) pattern.wide = i;
    }
  }
}

std::optional<Pattern> parse_template(std::string_view text) {
  Pattern pattern;
  std::string* literal = &pattern.before;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      *literal += text[at];
      continue;
    }
    const auto end = text.find('%', at + 1);
    const bool touches = !pattern.fields.empty() && literal->empty();
    if (end == std::string_view::npos || touches || pattern.fields.size() == most_fields) return std::nullopt;
    pattern.fields.push_back(field_named(text.substr(at + 1, end - at - 1)));
    literal = &pattern.fields.back().after;
    at = end;
  }
  if (pattern.fields.empty()) return std::nullopt;
  name_metrics(pattern);
  choose_wide(pattern);
  return pattern;
}

using Texts = std::vector<std::string_view>;

/// Cuts a line at the literals: up to the wide field from the left, behind it from the right.
std::optional<Texts> match(std::string_view line, const Pattern& pattern) {
  const std::size_t count = pattern.fields.size();
  Texts texts(count);
  if (!line.starts_with(pattern.before)) return std::nullopt;
  line.remove_prefix(pattern.before.size());
  for (std::size_t i = 0; i < pattern.wide; ++i) {
    const auto end = line.find(pattern.fields[i].after);
    if (end == std::string_view::npos) return std::nullopt;
    texts[i] = line.substr(0, end);
    line.remove_prefix(end + pattern.fields[i].after.size());
  }
  if (!line.ends_with(pattern.fields.back().after)) return std::nullopt;
  line.remove_suffix(pattern.fields.back().after.size());
  for (std::size_t i = count - 1; i > pattern.wide; --i) {
    const auto begin = line.rfind(pattern.fields[i - 1].after);
    if (begin == std::string_view::npos) return std::nullopt;
    texts[i] = line.substr(begin + pattern.fields[i - 1].after.size());
    line = line.substr(0, begin);
  }
  texts[pattern.wide] = line;
  for (std::size_t i = 0; i < count; ++i) {
    if (pattern.fields[i].quantity != nullptr && !pattern.fields[i].metric.empty() &&
        !number_from<double>(texts[i]))
      return std::nullopt;
  }
  return texts;
}

/// The problem; where the template has none, all text that describes one. Never the implementation, which may
/// be what a commit changes.
std::string problem_of(const Pattern& pattern, const Texts& texts) {
  std::string problem;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Field& field = pattern.fields[i];
    if (field.name == "prb") return shortened(texts[i], longest_problem);
    if (field.quantity != nullptr || field.name == "impl" || field.name == "engine" || texts[i].empty())
      continue;
    problem += (problem.empty() ? "" : " ") + std::string(texts[i]);
  }
  return problem.empty() ? "benchdnn" : shortened(problem, longest_problem);
}

bool keep(SeriesCollector& series, const Pattern& pattern, const Texts& texts) {
  const std::string problem = problem_of(pattern, texts);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Field& field = pattern.fields[i];
    if (field.metric.empty()) continue;
    const double number = *number_from<double>(texts[i]);
    const auto direction = specs::usual_direction(field.metric, field.quantity->unit);
    // A rate of 0 says that benchdnn does not count the operations or bytes of this problem.
    if (direction == specs::Direction::higher_is_better && number == 0) continue;
    const specs::Metric metric{field.metric, std::string(field.quantity->unit), direction};
    if (!series.add(problem, metric, number * field.unit * field.quantity->factor)) return false;
  }
  return true;
}

/// What "def" means where benchdnn does not say it: of primitives that count operations, and of the others.
std::vector<Pattern> patterns_of(const std::string& text) {
  std::vector<std::string_view> texts = {text};
  if (text.empty() || text == "def") {
    texts = {
        "perf,%engine%,%impl%,%name%,%prb%,%Gops%,%Gfreq%,%-time%,%-Gflops%,%0time%,%0Gflops%",
        "perf,%engine%,%impl%,%name%,%prb%,%-time%,%0time%",
    };
  }
  std::vector<Pattern> patterns;
  for (const std::string_view each : texts) {
    if (auto pattern = parse_template(each)) patterns.push_back(std::move(*pattern));
  }
  return patterns;
}

/// The template that a command line asks for with --perf-template=….
ResultAdapter::Arguments template_asked(const std::vector<std::string>& command) {
  constexpr std::string_view option = "--perf-template=";
  ResultAdapter::Arguments found;
  for (const std::string& word : command) {
    if (word.starts_with(option)) found["template"] = word.substr(option.size());
  }
  return found;
}

ReadSeries read_benchdnn(std::string_view output, const ResultAdapter::Arguments& arguments) {
  const auto asked = arguments.find("template");
  SeriesCollector series;
  std::string wrong;
  std::vector<Pattern> patterns = patterns_of(asked == arguments.end() ? std::string() : asked->second);
  for_each_line(output, [&](std::string_view line, std::size_t number) {
    if (line.starts_with(names_template)) {
      patterns = patterns_of(std::string(line.substr(names_template.size())));
      if (patterns.empty()) wrong = fmt::format("the template in output line {} cannot be followed", number);
      return wrong.empty();
    }
    for (const Pattern& pattern : patterns) {
      const auto texts = match(line, pattern);
      if (!texts) continue;
      if (!keep(series, pattern, *texts)) wrong = SeriesCollector::too_much;
      return wrong.empty();
    }
    if (line.starts_with("perf,")) {
      wrong = fmt::format("output line {} does not fit the performance template of benchdnn: {}", number,
                          shortened(line, 80));
    }
    return wrong.empty();
  });
  if (!wrong.empty()) return wrong;
  return series.take();
}

/// Any text with commas could be taken for benchdnn's lines, so it has to name its template.
bool names_its_template(std::string_view output) {
  bool found = false;
  for_each_line(output, [&](std::string_view line, std::size_t /*number*/) {
    found = line.starts_with(names_template) &&
            !patterns_of(std::string(line.substr(names_template.size()))).empty();
    return !found;
  });
  return found;
}

}  // namespace

/// The performance lines of oneDNN's benchdnn (--mode=P). The benchmark is the problem descriptor.
///
/// benchdnn 2.x and 3.x print the template they use ("Output template: …"), which then counts for the lines
/// below it; before it, or without it, the argument "template" does ("def", "csv", or text with fields such
/// as "perf,%prb%,%-time%"), and without that the default of 2.x. Times are in ns: "time" is the first of the
/// shortest, the average and the longest that the template has, the others are metrics of their own; so are
/// flops and bandwidth (higher is better) and the times of creation. A "perf," line that does not fit the
/// template is an error; other text is passed over.
extern const ResultAdapter benchdnn_adapter = {.name = "benchdnn",
                                               .read = read_benchdnn,
                                               .protocol = Protocol::benchdnn,
                                               .recognises = names_its_template,
                                               .arguments_of = template_asked};

}  // namespace tandem::runners
