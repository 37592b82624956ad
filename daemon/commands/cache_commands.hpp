#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/commands/compare.hpp"

namespace tandem::daemon::commands {

/// `tandem cache list|verify|prune|add`.
struct CacheOptions {
  enum class Action { list, verify, prune, add } action = Action::list;
  std::optional<std::filesystem::path> state_dir;
  std::optional<std::filesystem::path> exec_dir;  ///< nothing: <state_dir>/cache
  Format format = Format::text;
  std::optional<std::uint64_t> budget;  ///< prune: bytes that may stay
  std::string commit;                   ///< prune: the beginning of one whose entries go; add: the whole id
  bool dry_run = false;
  std::string framework;
  std::string platform = "linux";
  std::filesystem::path program;
  std::vector<std::filesystem::path> files;  ///< what belongs beside the program
};

/// Writes to standard output what was found or done and returns the exit code of the design: 4 if something
/// is damaged, or is in use where it should have been dropped. Throws `InputError`.
int run_cache_command(const CacheOptions& options);

}  // namespace tandem::daemon::commands
