#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/json/document.hpp"

namespace tandem::specs {

/// What `{names}` in the texts of one benchmark may stand for. Looked up in this order: the string map (the
/// command line wins), `{ID}`, parameters, fields of the test, of the model, of the suite's meta, names known
/// to the runner.
///
/// Of inputs: {inputs.data.shapes} is this benchmark's shape of one, "1,3,224,224"; {inputs} are their names
/// ("data,mask"), {inputs.shapes} their shapes ("1,3;1,1") and {inputs.type} is the type of the first.
struct PlaceholderScope {
  Node test;
  Node model;
  std::optional<Node> meta;
  std::optional<Node> inputs;  ///< of the test
  std::size_t id = 0;          ///< place among the benchmarks of its file
  std::size_t shape = 0;       ///< which one of each input
  std::map<std::string, std::string> parameters;
  const std::map<std::string, std::string>& string_map;
  const std::vector<std::string>& programs;  ///< built beside {program}
};

/// Which placeholders a text keeps.
enum class Keep {
  nothing,        ///< a name or a variable, which must be known before anything runs
  runners,        ///< those that the runner replaces
  runners_first,  ///< and any name as the first word, for it is a program
};

/// Replaces what is known at load time, repeatedly, and leaves the runner's placeholders as they are:
/// {program}, other programs, {TGTDIR}, {HOSTDIR}, {BUILDDIR}, {TEMPDIR}, {INDEX}, {DEVICEHASH}, and files of
/// the model or test ({files.graph}).
///
/// Anything else that is unknown, and a placeholder that leads back to itself, throws ProblemError at `where`
/// with the chain that leads to it.
[[nodiscard]] std::string expand_placeholders(const Node& where, const std::string& text,
                                              const PlaceholderScope& scope, Keep keep);

/// "1,3,224,224": the sizes of one shape.
[[nodiscard]] std::string shape_text(const Node& shape, std::string_view separator);

/// Whether a name always has a meaning of its own, so that nothing else may be called so.
[[nodiscard]] bool is_reserved_placeholder(std::string_view name);

/// `{name}` in a text; the name is letters, digits, `_`, `.` and `|`, as FAI-PEP writes it.
struct Placeholder {
  std::size_t begin = 0;  ///< of the brace
  std::size_t end = 0;    ///< after the closing brace
  std::string name;
};

[[nodiscard]] std::optional<Placeholder> next_placeholder(std::string_view text, std::size_t from = 0);

/// Splits a command into words as Python's shlex.split does: blanks separate; '…' keeps everything; "…" keeps
/// everything but \" and \\; outside of quotes a backslash keeps the next character. There is no shell: no
/// variables, no pipes, no patterns. An open quote or a last backslash throws InputError.
[[nodiscard]] std::vector<std::string> split_words(std::string_view command);

}  // namespace tandem::specs
