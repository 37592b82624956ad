#include "builders/cache_examination.hpp"

#include <fmt/format.h>
#include <stdio.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include "builders/cache_files.hpp"
#include "builders/cache_places.hpp"
#include "builders/work_slot.hpp"
#include "specs/error.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;

/// What differs between the files there and those in the manifest, a sentence.
std::optional<std::string> difference(const fs::path& folder, const std::vector<ManifestFile>& wanted) {
  const auto inventory = take_inventory(folder);
  if (const auto* problem = std::get_if<std::string>(&inventory)) return *problem;
  const auto& found = std::get<std::vector<ManifestFile>>(inventory);
  if (found == wanted) return std::nullopt;
  for (const ManifestFile& file : wanted) {
    const auto there = std::find_if(found.begin(), found.end(),
                                    [&](const ManifestFile& other) { return other.path == file.path; });
    if (there == found.end() || *there != file) {
      return fmt::format("'{}' is missing or changed", (folder.filename() / file.path).string());
    }
  }
  return fmt::format("'{}' holds files that its manifest does not name", folder.filename().string());
}

}  // namespace

Manifest read_manifest(const fs::path& place) {
  std::ifstream file(place / manifest_name, std::ios::binary);
  if (!file.is_open()) throw Error("it has no manifest");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return manifest_from_json(text);
}

std::variant<Manifest, std::string> examine(const fs::path& place, const Expected& expected) {
  try {
    Manifest manifest = read_manifest(place);
    if (manifest.key != expected.key || manifest.commit != expected.commit ||
        manifest.layout != expected.layout) {
      return "its manifest is of another build";
    }
    if (const auto wrong = difference(place / programs_name, manifest.files)) return *wrong;
    if (!manifest.links.empty()) {
      if (const auto wrong = difference(place / links_name, manifest.links)) return *wrong;
    }
    return manifest;
  } catch (const Error& error) {
    return error.what();
  } catch (const std::system_error& error) {
    return error.what();
  }
}

std::string move_aside(const fs::path& exec_dir, const fs::path& place, const Expected& expected,
                       const runners::OwnedDescriptor& held, const std::string& damage) {
  const fs::path aside = exec_dir / damaged_name /
                         fmt::format("{}-{}{}{}", expected.commit, expected.key.substr(0, key_prefix),
                                     expected.layout.empty() ? "" : "-", expected.layout);
  {
    const auto alone = lock_removals(exec_dir);
    fs::create_directories(aside.parent_path());
    if (held.get() < 0 || still_there(held, place)) {
      remove_tree(aside);
      if (::rename(place.c_str(), aside.c_str()) != 0 && errno != ENOENT) {
        throw std::system_error(errno, std::generic_category(), "cannot move away " + place.string());
      }
    }
  }
  return fmt::format("the cached {} '{}' was damaged ({}) and has been moved to '{}'",
                     expected.layout.empty() ? "executable" : "layout", place.string(), damage,
                     aside.string());
}

}  // namespace tandem::builders
