#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/json_document.hpp"

namespace tandem::specs {

/// What `{names}` in one test's commands may stand for. Looked up in this order: the string map (the command
/// line wins), `{ID}` and `{INDEX}`, fields of the test, of the model, of the suite's meta, names known to
/// the runner.
struct PlaceholderScope {
  Node test;
  Node model;
  std::optional<Node> meta;
  std::size_t id = 0;  ///< place of the test in its file
  std::map<std::string, std::string> string_map;
  std::vector<std::string> programs;  ///< built beside {program}
};

/// Replaces what is known at load time, repeatedly, and leaves the runner's placeholders as they are:
/// {program}, other programs, {TGTDIR}, {HOSTDIR}, {BUILDDIR}, {TEMPDIR}, and files of the model or test
/// ({files.graph}).
///
/// The first word of a command may be any placeholder, for it names a built program. Anything else that is
/// unknown, and a placeholder that leads back to itself, throws ProblemError at `where` with the chain that
/// leads to it.
[[nodiscard]] std::string expand_placeholders(const Node& where, const std::string& command,
                                              const PlaceholderScope& scope);

}  // namespace tandem::specs
