#include "builders/build_script.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/hashes.hpp"

namespace tandem::builders {

namespace {

namespace fs = std::filesystem;

void check_name(const char* what, const std::string& name) {
  const fs::path path = name;
  const bool leads_out =
      path.is_absolute() || std::any_of(path.begin(), path.end(), [](const fs::path& part) {
        return part == ".." || part == "." || part.empty() || part.string().front() == '.';
      });
  if (name.empty() || leads_out) {
    throw InputError(fmt::format("'{}' cannot be the name of a {}: give a name like 'linux'", name, what));
  }
}

constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20;

std::string lines(const std::vector<std::string>& texts, const fs::path& below = {}) {
  std::string all;
  for (const std::string& text : texts) {
    if (!all.empty()) all += '\n';
    all += below.empty() ? text : (below / text).string();
  }
  return all;
}

}  // namespace

BuildScript find_build_script(const fs::path& frameworks_dir, const std::string& framework,
                              const std::string& platform) {
  check_name("framework", framework);
  check_name("platform", platform);
  const fs::path folder = fs::absolute(frameworks_dir) / framework;
  const fs::path special = folder / platform / "build.sh";
  const fs::path general = folder / "build.sh";
  std::error_code ignored;
  for (const fs::path& script : {special, general}) {
    if (fs::is_regular_file(script, ignored)) return {script, folder};
  }
  throw InputError(fmt::format(
      "there is no build script for framework '{}' on platform '{}': neither '{}' nor '{}' exists", framework,
      platform, special.string(), general.string()));
}

std::vector<std::string> start_of(const BuildScript& script) {
  std::ifstream file(script.script);
  const bool names_interpreter = file.get() == '#' && file.get() == '!';
  if (names_interpreter && ::access(script.script.c_str(), X_OK) == 0) return {script.script};
  return {"/bin/sh", script.script};
}

std::vector<UserSource> read_user_sources(const specs::BuildSection& section) {
  std::vector<UserSource> sources;
  std::uintmax_t bytes = 0;
  for (const std::string& path : section.sources) {
    const fs::path place = section.folder / path;
    std::ifstream file(place, std::ios::binary);
    const std::uintmax_t room = most_bytes - bytes;
    UserSource source{path, {}};
    std::error_code error;
    if (const auto size = fs::file_size(place, error); !error && size <= room) {
      source.content.resize(size);
      file.read(source.content.data(), static_cast<std::streamsize>(size));
      source.content.resize(static_cast<std::size_t>(file.gcount()));
    } else if (!error) {
      throw InputError(fmt::format("{}: the sources that \"build\" names have more than {} bytes together",
                                   section.file, most_bytes));
    }
    if (error || !file) {
      throw InputError(
          fmt::format("{}: the source '{}' cannot be read; put it back or take it out of \"build\"",
                      section.file, place.string()));
    }
    bytes += source.content.size();
    sources.push_back(std::move(source));
  }
  return sources;
}

std::string hash_of(const std::vector<UserSource>& sources) {
  Sha256 hash;
  for (const UserSource& source : sources) {
    hash.add_field(source.path);
    hash.add_field(source.content);
  }
  return hash.finish();
}

void write_user_sources(const std::vector<UserSource>& sources, const fs::path& folder) {
  for (const UserSource& source : sources) {
    const fs::path place = folder / source.path;
    fs::create_directories(place.parent_path());
    write_file(place, source.content);
  }
}

std::vector<std::string> variables_of(const specs::BuildSection& section, const fs::path& folder) {
  std::vector<std::string> variables;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) variables.push_back(fmt::format("TANDEM_BUILD_{}={}", name, value));
  };
  add("TARGET", section.target);
  add("OPTIONS", lines(section.options));
  add("SOURCES", lines(section.sources, folder));
  add("INCLUDE", lines(section.include));
  add("LIBRARIES", lines(section.libraries));
  if (section.standard) add("STANDARD", std::to_string(*section.standard));
  return variables;
}

}  // namespace tandem::builders
