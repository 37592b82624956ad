#include "builders/cache/executable_cache.hpp"

#include <fmt/format.h>
#include <stdio.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "builders/cache/files.hpp"
#include "builders/identity/identity.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<ManifestFile>;
using Published = std::variant<Executable, std::string>;

Executable executable_of(const fs::path& place, Manifest manifest) {
  Executable executable;
  executable.commit = manifest.commit;
  executable.platform = manifest.platform;
  executable.key = manifest.key;
  executable.directory = place / programs_name;
  executable.program = executable.directory / manifest.program;
  for (const ManifestFile& file : manifest.files) {
    const bool beside = file.path.find('/') == std::string::npos;
    if (beside && file.path != manifest.program) {
      executable.further_programs.emplace(file.path, executable.directory / file.path);
    }
  }
  executable.manifest = std::move(manifest.files);
  if (!manifest.links.empty()) executable.links = place / links_name;
  executable.layout_unresolved = manifest.layout_unresolved;
  if (manifest.links.empty() && executable.layout_unresolved.empty()) {
    executable.layout_unresolved = "what its programs were linked from was not kept";
  }
  executable.layout = manifest.layout;
  executable.fingerprint = manifest.fingerprint;
  executable.added_by_hand = manifest.added_by_hand;
  return executable;
}

/// What a layout has from the executable that it is a layout of.
Executable layout_of(const Executable& executable, Executable layout) {
  layout.key = fmt::format("{}-{}", executable.key.substr(0, executable.key.find('-')), layout.layout);
  layout.links = executable.links;
  layout.layout_unresolved.clear();
  layout.added_by_hand = executable.added_by_hand;
  return layout;
}

/// Whatever is at the place, verified; moved away if it is not what it has to be.
ExecutableCache::Lookup look_up(const fs::path& exec_dir, const fs::path& place, const Expected& expected) {
  // Held, so that one who makes room does not take it away half-read.
  const auto held = hold(place, Hold::in_use);
  std::error_code error;
  if (held.get() < 0 && !fs::exists(fs::symlink_status(place, error))) return {};
  auto examined = examine(place, expected);
  if (auto* manifest = std::get_if<Manifest>(&examined)) {
    touch(place);
    Executable executable = executable_of(place, std::move(*manifest));
    executable.from_cache = true;
    return {std::move(executable), {}};
  }
  return {std::nullopt, move_aside(exec_dir, place, expected, held, std::get<std::string>(examined))};
}

/// A copy of the programs in a new place of its own, or a sentence if they cannot be kept.
std::variant<Files, std::string> copy_programs(const fs::path& from, const fs::path& to) {
  // What cannot be kept is refused before it is copied: a link may lead anywhere.
  if (auto refused = take_inventory(from, Hashing::no); std::holds_alternative<std::string>(refused)) {
    return refused;
  }
  copy_durably(from, to);
  return take_inventory(to);
}

/// Puts what is ready in its place, unless there is something sound already.
Published move_into_place(const fs::path& exec_dir, const fs::path& fresh, const fs::path& place,
                          Manifest manifest) {
  const auto held = hold(fresh, Hold::in_use);  // A lock goes along when a directory is moved.
  constexpr int attempts = 16;
  for (int attempt = 1;; ++attempt) {
    // One who makes room may remove an empty directory above, even between two of those made here.
    std::error_code error;
    fs::create_directories(place.parent_path(), error);
    if (error == std::errc::no_such_file_or_directory && attempt < attempts) continue;
    if (error) throw std::system_error(error, "cannot make " + place.parent_path().string());
    if (::rename(fresh.c_str(), place.c_str()) == 0) break;
    if (errno == ENOENT && attempt < attempts) continue;
    if ((errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR) || attempt == attempts) {
      throw std::system_error(errno, std::generic_category(), "cannot publish " + place.string());
    }
    auto theirs = look_up(exec_dir, place, {manifest.key, manifest.commit, manifest.layout});
    if (theirs.executable) return std::move(*theirs.executable);
  }
  for (fs::path folder = place.parent_path(); folder != exec_dir && folder.has_relative_path();
       folder = folder.parent_path()) {
    synchronise(folder);
  }
  synchronise(exec_dir);
  return executable_of(place, std::move(manifest));
}

Published keep(const fs::path& exec_dir, const fs::path& place, Manifest manifest, const fs::path& directory,
               const Links& links) {
  const StagingDirectory staging(exec_dir);
  const fs::path fresh = staging.path() / "entry";
  fs::create_directory(fresh);
  auto programs = copy_programs(directory, fresh / programs_name);
  if (auto* problem = std::get_if<std::string>(&programs)) return std::move(*problem);
  manifest.files = std::get<Files>(std::move(programs));
  manifest.layout_unresolved = links.unresolved;
  if (!links.directory.empty()) {
    // Programs whose links cannot be kept are still worth keeper.
    auto kept = copy_programs(links.directory, fresh / links_name);
    if (auto* files = std::get_if<Files>(&kept)) {
      manifest.links = std::move(*files);
    } else {
      manifest.layout_unresolved =
          "what its programs were linked from cannot be kept: " + std::get<std::string>(kept);
    }
  }
  manifest.built = now_seconds();
  if (manifest.layout.empty()) manifest.fingerprint = fingerprint(executable_of(fresh, manifest));
  write_durably(fresh / manifest_name, to_json(manifest));
  touch(fresh);
  synchronise(fresh);
  return move_into_place(exec_dir, fresh, place, std::move(manifest));
}

Manifest manifest_for(const CacheEntry& entry, const std::string& program) {
  Manifest manifest;
  manifest.key = entry.key;
  manifest.commit = entry.commit;
  manifest.framework = entry.framework;
  manifest.platform = entry.platform;
  manifest.program = program;
  return manifest;
}

std::string name_of_seed(std::uint64_t seed) {
  return fmt::format("{:016x}", seed);
}

}  // namespace

ExecutableCache::ExecutableCache(const fs::path& exec_dir) : exec_dir_(fs::absolute(exec_dir)) {}

ExecutableCache::Lookup ExecutableCache::find(const CacheEntry& entry) const {
  Lookup built;
  if (!entry.key.empty())
    built = look_up(exec_dir_, place_of(exec_dir_, entry), {entry.key, entry.commit, {}});
  if (built.executable) return built;
  CacheEntry brought = entry;
  brought.key = key_by_hand(entry);
  Lookup added = look_up(exec_dir_, place_of(exec_dir_, brought), {brought.key, entry.commit, {}});
  if (added.executable) added.executable->repaired = built.damage;
  if (added.damage.empty()) added.damage = built.damage;
  return added;
}

Published ExecutableCache::publish(const CacheEntry& entry, const fs::path& directory,
                                   const std::string& program, const Links& links) const {
  return keep(exec_dir_, place_of(exec_dir_, entry), manifest_for(entry, program), directory, links);
}

Published ExecutableCache::add_by_hand(const CacheEntry& entry, const fs::path& directory,
                                       const std::string& program) const {
  CacheEntry brought = entry;
  brought.key = key_by_hand(entry);
  Manifest manifest = manifest_for(brought, program);
  manifest.added_by_hand = true;
  return keep(exec_dir_, place_of(exec_dir_, brought), std::move(manifest), directory,
              {{}, "it was added by hand, without what it was linked from"});
}

ExecutableCache::Lookup ExecutableCache::find_layout(const Executable& executable, std::uint64_t seed) const {
  const fs::path entry = entry_of(executable);
  const std::string layout = name_of_seed(seed);
  const auto held = hold(entry, Hold::in_use);
  const std::string key = executable.key.substr(0, executable.key.find('-'));
  Lookup found = look_up(exec_dir_, entry / layouts_name / layout, {key, executable.commit, layout});
  if (found.executable) {
    touch(entry);
    found.executable = layout_of(executable, std::move(*found.executable));
  }
  return found;
}

Published ExecutableCache::publish_layout(const Executable& executable, std::uint64_t seed,
                                          const fs::path& directory) const {
  const fs::path entry = entry_of(executable);
  const auto held = hold(entry, Hold::in_use);
  if (held.get() < 0) {
    throw Error(
        fmt::format("'{}' was dropped from the cache while it was being relinked; build commit {} again",
                    entry.string(), executable.commit));
  }
  Manifest manifest;
  manifest.key = executable.key.substr(0, executable.key.find('-'));
  manifest.commit = executable.commit;
  manifest.platform = executable.platform;
  manifest.program = executable.program.lexically_relative(executable.directory).generic_string();
  manifest.layout = name_of_seed(seed);
  const fs::path place = entry / layouts_name / manifest.layout;
  Published published = keep(exec_dir_, place, std::move(manifest), directory, {});
  if (auto* layout = std::get_if<Executable>(&published)) return layout_of(executable, std::move(*layout));
  return published;
}

std::optional<InUse> ExecutableCache::pin(const Executable& executable) const {
  auto entry = hold(entry_of(executable), Hold::in_use);
  if (entry.get() < 0) return std::nullopt;
  if (executable.layout.empty()) return InUse{std::move(entry), {}};
  auto layout = hold(executable.directory.parent_path(), Hold::in_use);
  if (layout.get() < 0) return std::nullopt;
  return InUse{std::move(entry), std::move(layout)};
}

void ExecutableCache::clean() const {
  clean_staging(exec_dir_);
}

std::string key_by_hand(const CacheEntry& entry) {
  Sha256 hash;
  hash.add_field("tandem executable added by hand 1");
  hash.add_field(entry.framework);
  hash.add_field(entry.platform);
  hash.add_field(entry.commit);
  return hash.finish();
}

}  // namespace tandem::builders
