#include "builders/build_script.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "specs/error.hpp"

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

}  // namespace tandem::builders
