#include "builders/cache_key.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <sstream>

#include "builders/hashes.hpp"
#include "runners/process.hpp"

namespace tandem::builders {

std::string cache_key(const CacheKeyParts& parts) {
  Sha256 hash;
  hash.add_field("tandem executable 1");
  hash.add_field(parts.commit);
  hash.add_field(parts.platform);
  hash.add_field(parts.framework_hash);
  hash.add_field(parts.sdk_hash);
  hash.add_field(parts.toolchain);
  hash.add_field(parts.cxxflags);
  hash.add_field(parts.ldflags);
  hash.add_field(fmt::format("{}", parts.seed));
  return hash.finish();
}

std::string describe_toolchain(const std::string& search_path) {
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path compiler = std::filesystem::path(folder) / "c++";
    if (folder.empty() || ::access(compiler.c_str(), X_OK) != 0) continue;
    runners::Command command;
    command.argv = {compiler, "--version"};
    command.environment = {"PATH=" + search_path, "LANG=C.UTF-8"};
    runners::Limits limits;
    limits.deadline = std::chrono::seconds{20};
    const runners::Finished finished = run_command(command, limits);
    const std::string version = finished.output.substr(0, finished.output.find('\n'));
    return fmt::format("{} {}", compiler.string(), finished.succeeded() ? version : describe(finished));
  }
  return "none";
}

}  // namespace tandem::builders
