#include "builders/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "builders/hashes.hpp"
#include "builders/printable.hpp"
#include "specs/error.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Kind = ManifestFile::Kind;

constexpr int schema = 1;

const char* name_of(Kind kind) {
  return kind == Kind::data ? "data" : kind == Kind::program ? "program" : "link";
}

Kind kind_named(const std::string& name) {
  for (const Kind kind : {Kind::data, Kind::program, Kind::link}) {
    if (name == name_of(kind)) return kind;
  }
  throw Error(fmt::format("the manifest has a file of kind '{}'", printable(name, 40)));
}

bool leads_out(const fs::path& relative) {
  return relative.empty() || relative.is_absolute() || *relative.lexically_normal().begin() == "..";
}

}  // namespace

std::variant<std::vector<ManifestFile>, std::string> take_inventory(const fs::path& directory) {
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
      file.kind = Kind::link;
      file.size = target.string().size();
      file.sha256 = sha256_of(target.string());
    } else if (fs::is_regular_file(status)) {
      const bool executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
      file.kind = executable ? Kind::program : Kind::data;
      file.size = fs::file_size(entry.path());
      file.sha256 = sha256_of_file(entry.path());
    } else if (fs::is_directory(status)) {
      continue;
    } else {
      return fmt::format("'{}' is neither a file nor a directory nor a link", file.path);
    }
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

std::string to_json(const Manifest& manifest) {
  json files = json::array();
  for (const ManifestFile& file : manifest.files) {
    files.push_back(
        {{"path", file.path}, {"kind", name_of(file.kind)}, {"size", file.size}, {"sha256", file.sha256}});
  }
  const json document = {{"schema", schema},
                         {"key", manifest.key},
                         {"commit", manifest.commit},
                         {"framework", manifest.framework},
                         {"platform", manifest.platform},
                         {"program", manifest.program},
                         {"files", files}};
  return document.dump(2) + "\n";
}

Manifest manifest_from_json(const std::string& text) {
  try {
    const json document = json::parse(text);
    if (document.at("schema") != schema) throw Error("the manifest has another schema");
    Manifest manifest;
    document.at("key").get_to(manifest.key);
    document.at("commit").get_to(manifest.commit);
    document.at("framework").get_to(manifest.framework);
    document.at("platform").get_to(manifest.platform);
    document.at("program").get_to(manifest.program);
    for (const json& entry : document.at("files")) {
      ManifestFile file;
      entry.at("path").get_to(file.path);
      file.kind = kind_named(entry.at("kind"));
      entry.at("size").get_to(file.size);
      entry.at("sha256").get_to(file.sha256);
      manifest.files.push_back(std::move(file));
    }
    return manifest;
  } catch (const json::exception& error) {
    throw Error(fmt::format("the manifest is not readable: {}", printable(error.what(), 300)));
  }
}

}  // namespace tandem::builders
