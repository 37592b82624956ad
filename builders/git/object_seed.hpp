#pragma once

#include <filesystem>

namespace tandem::builders {

/// Puts every object of the object directory `from` (and of its alternates) into the new object directory
/// `to` by hard links, or copies where links are not possible, writing nothing in `from`. False if no
/// complete set could be had, because `from` is being repacked or holds only a part of its history: `to` must
/// then be thrown away, since a tip whose history is missing looks as if nothing were left to fetch.
[[nodiscard]] bool seed_objects(const std::filesystem::path& from, const std::filesystem::path& to);

/// The first object file in the folders of single objects whose compressed data does not end properly, as a
/// crash leaves it; empty if there is none. libgit2 1.5 would read such a file for ever.
[[nodiscard]] std::filesystem::path find_cut_object(const std::filesystem::path& objects);

/// True if there is any single object, outside packs.
[[nodiscard]] bool has_single_objects(const std::filesystem::path& objects);

}  // namespace tandem::builders
