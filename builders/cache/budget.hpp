#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
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

/// Layouts with this seed or a larger one were linked for one confirmation and are not asked for again.
inline constexpr std::uint64_t first_fresh_layout = std::uint64_t{1} << 32;

/// Removes one layout, unless a process holds it or it cannot be removed: it is pruned later then.
void drop_layout(const std::filesystem::path& exec_dir, const std::filesystem::path& directory);

/// Removes what killed confirmations left behind: every fresh layout that no process holds.
void drop_fresh_layouts(const std::filesystem::path& exec_dir);

/// Keeps a cache within its budget while entries are added, so that it exceeds it by one at most. May be used
/// by several threads.
class CacheBudget {
 public:
  /// All builders of a process that add to this cache share one. The commits in `keep` stay.
  CacheBudget(std::filesystem::path exec_dir, std::uint64_t bytes, std::set<std::string> keep)
      : exec_dir_(std::move(exec_dir)), bytes_(bytes), keep_(std::move(keep)) {}

  /// Prunes now. These commits stay from now on.
  [[nodiscard]] Pruned prune(std::set<std::string> keep);
  /// Prunes if the cache is too large with this entry or layout, which is held by its user. Trouble with the
  /// disk is left to `prune` to tell.
  void added(const std::filesystem::path& directory);

 private:
  std::mutex mutex_;
  std::filesystem::path exec_dir_;
  std::uint64_t bytes_;
  std::optional<std::uint64_t> taken_;  ///< as far as is known; nothing: not looked at yet
  std::set<std::string> keep_;
};

}  // namespace tandem::builders
