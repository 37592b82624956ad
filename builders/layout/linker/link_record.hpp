#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::builders {

/// What the wrapper leaves of one final link: the directory `link-<time>-<pid>` with this record in `record`,
/// lld's own response file in `arguments`, and the content of inputs[k] in the file `k`. Directories that
/// are still being written are called `part-…`. Everything here was written inside a foreign build.
struct LinkRecord {
  std::string output;               ///< absolute, as the build sees it
  std::string build_id;             ///< of the output, in hexadecimal digits; empty if it has none
  std::string reason;               ///< why the inputs are not kept; empty if they are
  std::vector<std::string> inputs;  ///< paths below the root, without the first slash
  std::vector<std::string> system;  ///< the same for files of the system, whose content is not kept
};

inline constexpr const char* record_name = "record";
inline constexpr const char* arguments_name = "arguments";
inline constexpr const char* finished_prefix = "link-";

/// Throws std::system_error if the disk fails.
void write_record(const std::filesystem::path& file, const LinkRecord& record);

/// Nothing if the text is not a whole record.
[[nodiscard]] std::optional<LinkRecord> record_from(const std::string& text);

/// What a linker's command line asks for, as far as the wrapper must know.
struct LinkArguments {
  /// trial: a configure check of CMake, autoconf or meson, whose output nobody keeps.
  enum class What { query, relocatable, trial, final_link } what = What::final_link;
  std::filesystem::path output;     ///< absolute
  std::vector<std::string> inputs;  ///< arguments that are no options
  enum class BuildId { absent, by_content } build_id = BuildId::absent;
};

/// `arguments` are those after the program's name; response files (@file) are read from `directory`.
[[nodiscard]] LinkArguments understand(const std::vector<std::string>& arguments,
                                       const std::filesystem::path& directory);

/// The words of a response file, as the GNU tools and lld split them: by white space, with quotes of both
/// kinds and backslashes.
[[nodiscard]] std::vector<std::string> response_words(std::string_view text);

// What follows is defined in the wrapper alone.

/// Calls `entry` with path and content of every file of a tar archive as lld's --reproduce writes it: ustar,
/// with a pax header before a file whose path is long. Throws std::runtime_error if it is anything else.
void for_each_entry(std::string_view archive,
                    const std::function<void(const std::string& path, std::string_view content)>& entry);

/// Takes lld's archive apart into `directory`: the arguments, the inputs of the build and only the names of
/// those of the system, which are listed in `record`. Sets record.reason instead if the inputs are not what
/// the real linker would have linked. Throws std::exception if the archive or the disk is broken.
void keep_inputs(const std::filesystem::path& archive, const std::filesystem::path& directory,
                 LinkRecord& record);

/// The build id of a 64-bit ELF file in hexadecimal digits; empty if it has none.
[[nodiscard]] std::string build_id_of(const std::filesystem::path& file);

/// True if the file, an object or an archive, holds GCC's intermediate code, which only GCC's plugin reads.
[[nodiscard]] bool needs_gcc_plugin(const std::filesystem::path& file);

inline constexpr const char* gcc_lto_reason =
    "an object holds GCC's intermediate code (-flto), which lld does not read";

}  // namespace tandem::builders
