#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tandem::daemon::harness {

/// One build as FAI-PEP's info JSON names it.
struct InfoBuild {
  std::string commit;                                     ///< empty: the program's file name
  std::int64_t commit_time = 0;                           ///< 0: not known
  std::filesystem::path program;                          ///< empty: the commit is to be built
  std::map<std::string, std::filesystem::path> programs;  ///< beside it, by placeholder
  std::map<std::string, std::string> string_map;
  std::string diff;
  std::string version;
};

/// What `--info` says. Fields that it does not say stay empty.
struct RunInfo {
  std::optional<InfoBuild> treatment;
  std::optional<InfoBuild> control;
  std::vector<std::filesystem::path> shared_libs;
  std::vector<std::string> regressed_types;
  std::string run_type;
  std::string user;
};

/// Reads `--info`: JSON text, or the path of a file that holds it. Throws InputError with the place of what
/// is wrong.
[[nodiscard]] RunInfo read_run_info(const std::string& text_or_file);

}  // namespace tandem::daemon::harness
