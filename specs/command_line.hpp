#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::specs {

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

/// The words of a spec's command with the runner's placeholders replaced. Values are put in after splitting,
/// so a path with blanks stays one word, and are taken as they are. A placeholder without a value throws
/// InputError.
[[nodiscard]] std::vector<std::string> resolve_command(const std::string& command,
                                                       const std::map<std::string, std::string>& values);

}  // namespace tandem::specs
