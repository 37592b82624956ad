#include "builders/cache/budget.hpp"

#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "builders/cache/files.hpp"
#include "builders/cache/listing.hpp"
#include "specs/foundation/descriptor.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using What = Dropped::What;

Dropped candidate(What what, const StoredEntry& stored) {
  return {what,         stored.entry.framework, stored.entry.platform, stored.entry.commit, stored.directory,
          stored.bytes, stored.last_used};
}

/// Moves directories out of the cache one by one; they are removed at the end, when nobody waits any more.
class Removal {
 public:
  Removal(const fs::path& exec_dir, Pruning pruning) : exec_dir_(exec_dir) {
    if (pruning == Pruning::rehearsal || !fs::exists(exec_dir)) return;
    staging_.emplace(exec_dir);
    alone_ = lock_removals(exec_dir);
  }

  void measure(const std::vector<StoredEntry>& entries, const std::vector<StoredDamage>& damaged) {
    for (const StoredEntry& stored : entries) result_.bytes_before += stored.bytes;
    for (const StoredDamage& damage : damaged) result_.bytes_before += damage.bytes;
    result_.bytes_after = result_.bytes_before;
  }

  /// The least recently used first, until there is room.
  void drop_until(std::uint64_t bytes, std::vector<Dropped> candidates, const std::set<std::string>& keep) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Dropped& a, const Dropped& b) { return a.last_used < b.last_used; });
    for (const Dropped& one : candidates) {
      if (result_.bytes_after <= bytes) return;
      if (one.what == What::entry && keep.contains(one.commit)) {
        ++result_.kept;
      } else {
        drop(one);
      }
    }
  }

  void drop(const Dropped& one) {
    const auto held = hold(one.directory, Hold::removal);
    if (held.get() < 0) {
      std::error_code error;
      if (fs::exists(one.directory, error)) ++result_.in_use;
      return;
    }
    if (staging_) {
      const fs::path out = staging_->path() / fmt::format("{}", result_.dropped.size());
      if (::rename(one.directory.c_str(), out.c_str()) != 0) {
        throw std::system_error(errno, std::generic_category(), "cannot remove " + one.directory.string());
      }
      remove_empty_folders(one.directory.parent_path());
    }
    result_.bytes_after -= std::min(result_.bytes_after, one.bytes);
    result_.dropped.push_back(one);
  }

  Pruned finish() { return std::move(result_); }

 private:
  void remove_empty_folders(fs::path folder) const {
    while (folder != exec_dir_ && folder.has_relative_path() && ::rmdir(folder.c_str()) == 0) {
      folder = folder.parent_path();
    }
  }

  fs::path exec_dir_;
  std::optional<StagingDirectory>
      staging_;  // Outlives the lock, so that the lock is not held while files are removed.
  OwnedDescriptor alone_;
  Pruned result_;
};

}  // namespace

Pruned prune(const fs::path& directory, std::uint64_t bytes, const std::set<std::string>& keep,
             Pruning pruning) {
  const fs::path exec_dir = fs::absolute(directory);
  if (pruning == Pruning::real) clean_staging(exec_dir);
  Removal removal(exec_dir, pruning);
  std::vector<StoredEntry> entries = list_entries(exec_dir);
  const std::vector<StoredDamage> damaged = list_damaged(exec_dir);
  removal.measure(entries, damaged);

  std::vector<Dropped> useless;
  for (const StoredDamage& damage : damaged) {
    useless.push_back({What::damaged, {}, {}, {}, damage.directory, damage.bytes, damage.last_used});
  }
  removal.drop_until(bytes, std::move(useless), keep);

  std::vector<Dropped> layouts;
  for (const StoredEntry& stored : entries) {
    for (const StoredLayout& layout : stored.layouts) {
      Dropped one = candidate(What::layout, stored);
      one.directory = layout.directory;
      one.bytes = layout.bytes;
      one.last_used = layout.last_used;
      layouts.push_back(std::move(one));
    }
  }
  removal.drop_until(bytes, std::move(layouts), keep);

  std::vector<Dropped> whole;
  for (const StoredEntry& stored : entries) {
    Dropped one = candidate(What::entry, stored);
    // A layout is left only if it is in use; what is dropped with the entry is the rest.
    for (const StoredLayout& layout : stored.layouts) one.bytes -= std::min(one.bytes, layout.bytes);
    whole.push_back(std::move(one));
  }
  removal.drop_until(bytes, std::move(whole), keep);
  return removal.finish();
}

Pruned drop_commit(const fs::path& directory, const std::string& commit_prefix, Pruning pruning) {
  const fs::path exec_dir = fs::absolute(directory);
  Removal removal(exec_dir, pruning);
  const std::vector<StoredEntry> entries = list_entries(exec_dir);
  removal.measure(entries, list_damaged(exec_dir));
  for (const StoredEntry& stored : entries) {
    if (stored.entry.commit.starts_with(commit_prefix)) removal.drop(candidate(What::entry, stored));
  }
  return removal.finish();
}

void drop_layout(const fs::path& exec_dir, const fs::path& directory) {
  try {
    Removal removal(fs::absolute(exec_dir), Pruning::real);
    Dropped one;
    one.what = What::layout;
    one.directory = directory;
    removal.drop(one);
  } catch (const std::system_error&) {
    // The cache may be read-only by now, or another process was faster.
  }
}

void drop_fresh_layouts(const fs::path& exec_dir) {
  std::error_code error;
  if (!fs::exists(exec_dir, error)) return;
  try {
    for (const StoredEntry& stored : list_entries(fs::absolute(exec_dir))) {
      for (const StoredLayout& layout : stored.layouts) {
        const std::string name = layout.directory.filename().string();
        if (std::strtoull(name.c_str(), nullptr, 16) >= first_fresh_layout) {
          drop_layout(exec_dir, layout.directory);
        }
      }
    }
  } catch (const std::system_error&) {
    // What cannot be listed now is pruned with the rest.
  }
}

Pruned CacheBudget::prune(std::set<std::string> keep) {
  const std::lock_guard lock(mutex_);
  keep_ = std::move(keep);
  Pruned pruned = builders::prune(exec_dir_, bytes_, keep_);
  taken_ = pruned.bytes_after;
  return pruned;
}

void CacheBudget::added(const fs::path& directory) {
  const std::lock_guard lock(mutex_);
  if (taken_) {
    *taken_ += size_on_disk(directory);
    if (*taken_ <= bytes_) return;
  }
  try {
    taken_ = builders::prune(exec_dir_, bytes_, keep_).bytes_after;
  } catch (const std::system_error&) {
    taken_.reset();
  }
}

}  // namespace tandem::builders
