#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tandem::builders {

/// What the wrapper leaves of one final link: the directory `link-<time>-<pid>` with this record in `record`,
/// lld's own response file in `arguments`, and the content of inputs[k] in the file `k`. Directories that
/// are still being written are called `part-…`. Everything here was written inside a foreign build.
struct LinkRecord {
  std::string output;               ///< absolute, as the build sees it
  std::string directory;            ///< where the linker was called
  std::string kind;                 ///< "program" or "library"
  std::string asked;                ///< the name the linker was called by: "ld.gold"
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

}  // namespace tandem::builders
