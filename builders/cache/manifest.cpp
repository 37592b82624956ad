#include "builders/cache/manifest.hpp"

#include <fmt/format.h>
#include <stdio.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "builders/cache/files.hpp"
#include "builders/work_directory.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/names.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ManifestKind = ManifestFile::Kind;

constexpr int schema = 1;
constexpr std::size_t most_files = 200'000;
constexpr std::size_t most_text = std::size_t{128} << 20;

constexpr Name<ManifestKind> kind_names[] = {
    {ManifestKind::data, "data"}, {ManifestKind::program, "program"}, {ManifestKind::link, "link"}};

bool leads_out(const fs::path& relative) {
  return relative.empty() || relative.is_absolute() || *relative.lexically_normal().begin() == "..";
}

json to_json(const std::vector<ManifestFile>& files) {
  json list = json::array();
  for (const ManifestFile& file : files) {
    list.push_back({{"path", file.path},
                    {"kind", name_in(kind_names, file.kind)},
                    {"size", file.size},
                    {"sha256", file.sha256}});
  }
  return list;
}

std::vector<ManifestFile> files_from(const json& list) {
  if (!list.is_array()) throw Error("the manifest is not readable: its files are no list");
  if (list.size() > most_files) throw Error(fmt::format("the manifest names {} files", list.size()));
  std::vector<ManifestFile> files;
  for (const json& entry : list) {
    ManifestFile file;
    entry.at("path").get_to(file.path);
    const std::string kind = entry.at("kind");
    const auto known = value_in<ManifestKind>(kind_names, kind);
    if (!known) throw Error(fmt::format("the manifest has a file of kind '{}'", printable(kind, 40)));
    file.kind = *known;
    entry.at("size").get_to(file.size);
    entry.at("sha256").get_to(file.sha256);
    if (file.path.find('\0') != std::string::npos || leads_out(file.path)) {
      throw Error(fmt::format("the manifest names a file outside, '{}'", printable(file.path, 100)));
    }
    files.push_back(std::move(file));
  }
  return files;
}

/// Fields that older manifests do not have.
template <class T>
void get_if_there(const json& document, const char* name, T& value) {
  if (document.contains(name)) document.at(name).get_to(value);
}

/// What differs between the files there and those in the manifest, a sentence.
std::optional<std::string> damage_between(const fs::path& folder, const std::vector<ManifestFile>& wanted) {
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

std::string cache_key(const CacheKeyParts& parts) {
  Sha256 hash;
  hash.add_field("tandem executable 2");
  hash.add_field(parts.commit);
  hash.add_field(fmt::format("{}", parts.submodules.size()));
  for (const auto& [path, id] : parts.submodules) {
    hash.add_field(path);
    hash.add_field(id);
  }
  hash.add_field(parts.platform);
  hash.add_field(parts.framework_hash);
  hash.add_field(parts.sdk_hash);
  hash.add_field(parts.toolchain);
  hash.add_field(parts.cxxflags);
  hash.add_field(parts.ldflags);
  hash.add_field(fmt::format("{}", parts.seed));
  hash.add_field(fmt::format("{}", parts.variables.size()));
  for (const std::string& variable : parts.variables) hash.add_field(variable);
  hash.add_field(parts.sources_hash);
  hash.add_field(parts.linker);
  hash.add_field(parts.isolation);
  return hash.finish();
}

std::variant<std::vector<ManifestFile>, std::string> take_inventory(const fs::path& directory,
                                                                    Hashing hashing) {
  std::vector<ManifestFile> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
    const fs::path relative = entry.path().lexically_relative(directory);
    const fs::file_status status = entry.symlink_status();
    ManifestFile file;
    file.path = relative.generic_string();
    if (file.path != printable(file.path, file.path.size())) {
      return fmt::format("the file name '{}' is not printable UTF-8", printable(file.path, 200));
    }
    if (fs::is_symlink(status)) {
      const fs::path target = fs::read_symlink(entry.path());
      if (target.is_absolute() || leads_out(relative.parent_path() / target)) {
        return fmt::format("'{}' is a symbolic link out of the directory, to '{}'", file.path,
                           target.string());
      }
      file.kind = ManifestKind::link;
      file.size = target.string().size();
      file.sha256 = sha256_of(target.string());
    } else if (fs::is_regular_file(status)) {
      const bool executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
      file.kind = executable ? ManifestKind::program : ManifestKind::data;
      file.size = fs::file_size(entry.path());
      if (hashing == Hashing::yes) file.sha256 = sha256_of_file(entry.path());
    } else if (fs::is_directory(status)) {
      continue;
    } else {
      return fmt::format("'{}' is neither a file nor a directory nor a link", file.path);
    }
    files.push_back(std::move(file));
    if (files.size() > most_files) return fmt::format("there are more than {} files", most_files);
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

std::string to_json(const Manifest& manifest) {
  const json document = {{"schema", schema},
                         {"key", manifest.key},
                         {"commit", manifest.commit},
                         {"framework", manifest.framework},
                         {"platform", manifest.platform},
                         {"program", manifest.program},
                         {"files", to_json(manifest.files)},
                         {"links", to_json(manifest.links)},
                         {"layout_unresolved", manifest.layout_unresolved},
                         {"layout", manifest.layout},
                         {"fingerprint", manifest.fingerprint},
                         {"built", manifest.built},
                         {"added_by_hand", manifest.added_by_hand}};
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Manifest manifest_from_json(const std::string& text) {
  if (text.size() > most_text) throw Error("the manifest is too long");
  try {
    const json document = json::parse(text);
    if (document.at("schema") != schema) throw Error("the manifest has another schema");
    Manifest manifest;
    document.at("key").get_to(manifest.key);
    document.at("commit").get_to(manifest.commit);
    document.at("framework").get_to(manifest.framework);
    document.at("platform").get_to(manifest.platform);
    document.at("program").get_to(manifest.program);
    manifest.files = files_from(document.at("files"));
    if (document.contains("links")) manifest.links = files_from(document.at("links"));
    get_if_there(document, "layout_unresolved", manifest.layout_unresolved);
    get_if_there(document, "layout", manifest.layout);
    get_if_there(document, "fingerprint", manifest.fingerprint);
    get_if_there(document, "built", manifest.built);
    get_if_there(document, "added_by_hand", manifest.added_by_hand);
    const auto is_program = [&](const ManifestFile& file) { return file.path == manifest.program; };
    if (std::none_of(manifest.files.begin(), manifest.files.end(), is_program)) {
      throw Error("the manifest does not name its program among the files");
    }
    return manifest;
  } catch (const json::exception& error) {
    throw Error(fmt::format("the manifest is not readable: {}", printable(error.what(), 300)));
  }
}

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
    if (const auto wrong = damage_between(place / programs_name, manifest.files)) return *wrong;
    if (!manifest.links.empty()) {
      if (const auto wrong = damage_between(place / links_name, manifest.links)) return *wrong;
    }
    return manifest;
  } catch (const Error& error) {
    return error.what();
  } catch (const std::system_error& error) {
    return error.what();
  }
}

std::string move_aside(const fs::path& exec_dir, const fs::path& place, const Expected& expected,
                       const OwnedDescriptor& held, const std::string& damage) {
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
