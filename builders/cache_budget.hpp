#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace tandem::builders {

/// What was taken out of the executable cache.
struct Dropped {
  enum class What { damaged, layout, entry } what = What::entry;
  std::string framework;  ///< this and the next two are empty for something damaged
  std::string platform;
  std::string commit;
  std::filesystem::path directory;
  std::uint64_t bytes = 0;
  std::int64_t last_used = 0;  ///< nanoseconds since 1970
};

struct Pruned {
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  std::vector<Dropped> dropped;  ///< in their order
  std::size_t in_use = 0;        ///< would have been dropped, but a process uses them
  std::size_t kept = 0;          ///< would have been dropped, but are to be kept
};

enum class Pruning { real, rehearsal };  ///< rehearsal: says what would be dropped and touches nothing

/// Makes room until the cache takes no more than `bytes` on disk: drops what is damaged, then layouts, then
/// whole entries, each the least recently used first. Never an entry of a commit in `keep`, and nothing that
/// a living process holds (ExecutableCache::pin). Layouts of kept commits may go: they can be linked again.
///
/// Several processes may do so at once. What is dropped leaves its place by rename, so that a killed process
/// leaves no half entry; ExecutableCache::clean removes the rest. Throws std::system_error if the directory
/// cannot be written.
[[nodiscard]] Pruned prune(const std::filesystem::path& exec_dir, std::uint64_t bytes,
                           const std::set<std::string>& keep, Pruning pruning = Pruning::real);

/// Drops every entry of the commits that begin with these digits, unless a process holds it.
[[nodiscard]] Pruned drop_commit(const std::filesystem::path& exec_dir, const std::string& commit_prefix,
                                 Pruning pruning = Pruning::real);

}  // namespace tandem::builders
