#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

namespace tandem::builders {

struct RepackOptions {
  /// Every fetch adds a pack and each one read costs a descriptor; git itself repacks past 50
  /// (gc.autoPackLimit).
  std::size_t most_packs = 50;
  std::string search_path = {};  ///< where `git` is looked for; empty: the caller's PATH
  std::chrono::nanoseconds deadline = std::chrono::hours{1};
};

/// Puts all objects of a git mirror, and of the mirrors of its submodules, into one pack each where there are
/// more packs than `most_packs`. Nothing is ever dropped: commits named in `keep` that no reference leads to
/// get one of ours first (refs/tandem-keep/ID), and objects that nothing leads to stay as well. `git` does
/// the work where it is installed, else libgit2, which removes old packs only after every object was read
/// from the new one. Waits for a fetch that is under way. A sentence says why it failed, such as that the
/// disk has not room for the packs once more; the mirror is then as whole as it was, and left alone for an
/// hour, after each further failure for twice as long, up to a week.
[[nodiscard]] std::optional<std::string> keep_packs_few(const std::filesystem::path& mirror,
                                                        const std::set<std::string>& keep,
                                                        const RepackOptions& options = {},
                                                        const std::stop_token& stop = {});

}  // namespace tandem::builders
