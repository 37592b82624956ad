#pragma once

#include <filesystem>

namespace tandem::builders {

/// Puts every object of the object directory `from` (and of its alternates) into the new object directory
/// `to` by hard links, or copies where links are not possible, writing nothing in `from`. False if no
/// complete set could be had, because `from` is being repacked or holds only a part of its history: `to` must
/// then be thrown away, since a tip whose history is missing looks as if nothing were left to fetch.
[[nodiscard]] bool seed_objects(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace tandem::builders
