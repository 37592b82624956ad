#include "builders/cache/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <system_error>
#include <tuple>

#include "builders/cache/files.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;

constexpr int deepest_entry = 16;
constexpr std::size_t shortest_commit = 40;

bool is_seed(const std::string& name) {
  return name.size() == key_prefix && is_lower_hex(name);
}

/// The names of frameworks and platforms may hold a '/', so that an entry is known by its last two names.
bool is_entry(const fs::path& place) {
  const std::string commit = place.parent_path().filename().string();
  return is_seed(place.filename().string()) && commit.size() >= shortest_commit && is_lower_hex(commit);
}

/// The directories in a folder, sorted; links are none.
std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> folders = paths_in(folder);
  std::erase_if(folders, [](const fs::path& path) {
    std::error_code gone;
    return !fs::is_directory(fs::symlink_status(path, gone));
  });
  std::sort(folders.begin(), folders.end());
  return folders;
}

void find_entries(const fs::path& folder, int depth, std::vector<fs::path>& found) {
  for (const fs::path& place : folders_in(folder)) {
    if (depth == 0 && (place.filename() == damaged_name || place.filename() == "incoming")) continue;
    if (is_entry(place)) {
      found.push_back(place);
    } else if (depth < deepest_entry) {
      find_entries(place, depth + 1, found);
    }
  }
}

std::vector<fs::path> places_in(const fs::path& exec_dir) {
  std::vector<fs::path> found;
  find_entries(exec_dir, 0, found);
  return found;
}

std::vector<fs::path> layouts_in(const fs::path& place) {
  std::vector<fs::path> layouts = folders_in(place / layouts_name);
  std::erase_if(layouts, [](const fs::path& layout) { return !is_seed(layout.filename().string()); });
  return layouts;
}

/// What can be said without a manifest.
CacheEntry entry_at(const fs::path& exec_dir, const fs::path& place) {
  const fs::path commit = place.parent_path();
  const fs::path named = commit.parent_path().lexically_relative(exec_dir);
  CacheEntry entry;
  entry.framework = named.begin()->string();
  entry.platform = named.lexically_relative(entry.framework).string();
  entry.commit = commit.filename().string();
  entry.key = place.filename().string();
  return entry;
}

StoredEntry look_at(const fs::path& exec_dir, const fs::path& place) {
  StoredEntry stored;
  stored.directory = place;
  stored.entry = entry_at(exec_dir, place);
  stored.last_used = last_used(place);
  stored.bytes = size_on_disk(place);
  for (const fs::path& layout : layouts_in(place)) {
    stored.layouts.push_back({layout.filename().string(), layout, size_on_disk(layout), last_used(layout)});
  }
  try {
    Manifest manifest = read_manifest(place);
    if (manifest.key.substr(0, key_prefix) != stored.entry.key || manifest.commit != stored.entry.commit) {
      throw Error("its manifest is of another build");
    }
    stored.entry = {manifest.framework, manifest.platform, manifest.commit, manifest.key};
    stored.built = manifest.built;
    stored.added_by_hand = manifest.added_by_hand;
    stored.layout_unresolved = manifest.layout_unresolved;
    if (manifest.links.empty() && stored.layout_unresolved.empty()) {
      stored.layout_unresolved = "what its programs were linked from was not kept";
    }
  } catch (const Error& error) {
    stored.damage = error.what();
  }
  return stored;
}

/// Reads one entry or layout and notes what is wrong with it.
void verify(const fs::path& exec_dir, const fs::path& place, const Expected& expected, Verified& verified) {
  const auto held = hold(place, Hold::in_use);
  std::error_code error;
  if (held.get() < 0 && !fs::exists(fs::symlink_status(place, error))) return;
  const auto examined = examine(place, expected);
  if (expected.layout.empty()) {
    ++verified.entries;
  } else {
    ++verified.layouts;
  }
  const auto* damage = std::get_if<std::string>(&examined);
  if (damage == nullptr) return;
  try {
    verified.damage.push_back(move_aside(exec_dir, place, expected, held, *damage));
  } catch (const std::system_error& stays) {
    verified.damage.push_back(
        fmt::format("'{}' is damaged ({}) and stays: {}", place.string(), *damage, stays.what()));
  }
}

}  // namespace

std::vector<StoredEntry> list_entries(const fs::path& directory) {
  const fs::path exec_dir = fs::absolute(directory);
  std::vector<StoredEntry> entries;
  for (const fs::path& place : places_in(exec_dir)) entries.push_back(look_at(exec_dir, place));
  const auto order = [](const StoredEntry& one) {
    return std::tie(one.entry.framework, one.entry.platform, one.entry.commit, one.entry.key);
  };
  std::sort(entries.begin(), entries.end(),
            [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return entries;
}

std::vector<StoredDamage> list_damaged(const fs::path& exec_dir) {
  std::vector<StoredDamage> damaged;
  for (const fs::path& place : folders_in(fs::absolute(exec_dir) / damaged_name)) {
    // As move_aside names them; whatever else lies there is somebody else's.
    const std::string name = place.filename();
    const auto dash = name.find('-');
    if (dash == std::string::npos || !is_lower_hex(name.substr(0, dash)) ||
        !is_seed(name.substr(dash + 1, key_prefix))) {
      continue;
    }
    damaged.push_back({place, size_on_disk(place), last_used(place)});
  }
  return damaged;
}

Verified verify_entries(const fs::path& directory) {
  const fs::path exec_dir = fs::absolute(directory);
  Verified verified;
  for (const StoredEntry& stored : list_entries(exec_dir)) {
    for (const StoredLayout& layout : stored.layouts) {
      verify(exec_dir, layout.directory, {stored.entry.key, stored.entry.commit, layout.seed}, verified);
    }
    verify(exec_dir, stored.directory, {stored.entry.key, stored.entry.commit, {}}, verified);
  }
  return verified;
}

}  // namespace tandem::builders
