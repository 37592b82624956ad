#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace tandem::builders {

/// Keeps what the final links of one build read, so that its programs can be linked again in another order.
///
/// The compilers find a wrapper first on their linker's path (COMPILER_PATH, which gcc and clang both
/// honour). The wrapper links with lld and keeps its inputs beside; where lld cannot do a link, the linker
/// that was asked for does it and the reason is kept instead.
class LinkCapture {
 public:
  /// `wrapper` is the directory in which it stands as `ld`, seen by the build at the same path, as is `lld`.
  /// `directory` is made here and filled by the build; `inside` is its path as the build sees it.
  LinkCapture(std::filesystem::path wrapper, std::filesystem::path lld, std::filesystem::path directory,
              std::filesystem::path inside);

  /// "NAME=value" for the build.
  [[nodiscard]] std::vector<std::string> environment() const;

  struct Kept {
    std::filesystem::path links;  ///< a directory to be stored with the executable; empty: nothing to store
    std::string unresolved;       ///< why the programs cannot be relinked, a sentence; empty if they can
  };
  /// After the build, when none of its processes is left: keeps the captured links of the programs and
  /// shared libraries in `out`, and removes everything else from `directory`. One program that cannot be
  /// relinked makes the whole `unresolved`; a shared library that was not linked here stays as it is. Throws
  /// std::system_error if the disk fails.
  [[nodiscard]] Kept collect(const std::filesystem::path& out) const;

  /// What one capture may bring; beyond it the programs are `unresolved`.
  static constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30;
  static constexpr std::size_t most_inputs = 100'000;

 private:
  std::filesystem::path wrapper_;
  std::filesystem::path lld_;
  std::filesystem::path directory_;
  std::filesystem::path inside_;
};

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
