#pragma once

#include <filesystem>
#include <string>

namespace tandem::builders {

/// `<state_dir>/logs/build-<commit>-<platform>.log`, where everything that the script printed is kept.
[[nodiscard]] std::filesystem::path build_log(const std::filesystem::path& state_dir,
                                              const std::string& commit, const std::string& platform);

/// The last lines of a log, at most 20 and 8 KiB, as printable text. Empty if there is no log.
[[nodiscard]] std::string last_lines(const std::filesystem::path& log);

/// Whether a compiler says at the end of the log that the kernel killed one of its parts, which it does
/// because the host has no memory left. Such a script ends like one whose source is wrong.
[[nodiscard]] bool tells_of_memory(const std::string& last_lines);

}  // namespace tandem::builders
