#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace tandem::builders {

/// One captured link as it is kept: `<links>/<number>.link`, a text of lines, beside `<links>/objects/`,
/// where each input of the build lies once under its SHA-256. Inputs that are files of the system are not
/// kept but taken from there again, if they are still the same.
struct KeptLink {
  std::vector<std::string> programs;   ///< what it made, below the executable's directory; copies are several
  std::vector<std::string> arguments;  ///< for lld, paths relative to the root
  struct Input {
    std::string path;  ///< below the root, without the first slash
    std::string sha256;
  };
  std::vector<Input> objects;
  struct SystemInput {
    Input input;
    std::string stamp;  ///< what `stamp_of` said; while it says the same, the content is not read again
  };
  std::vector<SystemInput> system;
};

/// Which state of a file this is: inode, size and times.
[[nodiscard]] std::string stamp_of(const std::filesystem::path& file);

[[nodiscard]] std::string to_text(const KeptLink& link);

/// Throws Error that says what is wrong with the text: a path that leads out, an unknown line.
[[nodiscard]] KeptLink kept_link_from(const std::string& text);

/// The arguments of a captured link, from lld's own response file, as far as they may be used again: what
/// would write files or run other code is left out or refused, since a foreign build chose them. `inputs` are
/// the captured files. The second form is a sentence: the link cannot be repeated in another order.
[[nodiscard]] std::variant<std::vector<std::string>, std::string> options_to_repeat(
    const std::string& response, const std::vector<std::string>& inputs);

/// True if a path from a capture stays below the directory it is laid out in.
[[nodiscard]] bool stays_below(const std::string& path);

}  // namespace tandem::builders
