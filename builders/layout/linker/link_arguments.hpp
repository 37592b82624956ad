#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::builders {

/// What a linker's command line asks for, as far as the wrapper must know.
struct LinkArguments {
  /// trial: a configure check of CMake, autoconf or meson, whose output nobody keeps.
  enum class What { query, relocatable, trial, final_link } what = What::final_link;
  std::filesystem::path output;     ///< absolute
  std::string kind;                 ///< "program" or "library"
  std::vector<std::string> inputs;  ///< arguments that are no options
  enum class BuildId { absent, by_content } build_id = BuildId::absent;
};

/// `arguments` are those after the program's name; response files (@file) are read from `directory`.
[[nodiscard]] LinkArguments understand(const std::vector<std::string>& arguments,
                                       const std::filesystem::path& directory);

/// The words of a response file, as the GNU tools and lld split them: by white space, with quotes of both
/// kinds and backslashes.
[[nodiscard]] std::vector<std::string> response_words(std::string_view text);

}  // namespace tandem::builders
