#include "daemon/build_ground.hpp"

#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <thread>

namespace tandem::daemon {
namespace {

/// Empty if it is in none of the folders.
std::filesystem::path find_on_path(const std::string& search_path, const char* program) {
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto file = std::filesystem::path(folder) / program;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

}  // namespace

builders::Source source_of(const config::WatchSettings& watch) {
  return builders::resolve_source(
      {.kind = watch.repo == "hg" ? builders::Source::Kind::hg : builders::Source::Kind::git,
       .repo_dir = watch.repo_dir,
       .remote_repository = watch.remote_repository,
       .branch = watch.branch,
       .key_file = watch.key_file,
       .token_file = watch.token_file});
}

builders::BuildSettings build_settings(const BuildGround& ground, const std::string& platform) {
  const Installation& installation = ground.installation;
  const config::Settings& settings = ground.settings;
  const config::WatchSettings& watch = ground.watch;
  builders::BuildSettings build;
  build.state_dir = settings.state_dir;
  build.exec_dir = settings.exec_dir;
  build.mirror = ground.mirror;
  build.source = ground.source;
  build.fetch.program = installation.program;
  build.fetch.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(settings.fetch_timeout);
  build.frameworks_dir = watch.frameworks_dir.empty() ? installation.frameworks_dir : watch.frameworks_dir;
  build.framework = watch.framework;
  build.platform = platform;
  build.sdk_dir = installation.sdk_dir;
  build.jobs = settings.jobs > 0 ? static_cast<unsigned>(settings.jobs)
                                 : std::max(1U, std::thread::hardware_concurrency());
  build.cxxflags = settings.cxxflags;
  build.ldflags = settings.ldflags;
  build.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(settings.build_timeout);
  build.section = ground.section;
  build.git = watch.needs_git ? builders::BuildSettings::Git::provided : builders::BuildSettings::Git::absent;
  build.sandbox = ground.isolation.tools;
  build.foreign = ground.isolation.foreign;
  // One watch's objects, or its junk, must not become another's.
  build.ccache_dir = settings.state_dir / "ccache" / "watches" / watch.name;
  build.ccache_bytes = settings.ccache_budget;
  build.readable = settings.sandbox_read;
  build.memory_bytes = settings.build_memory;
  build.disk_bytes = settings.build_disk;
  build.processes = static_cast<std::size_t>(settings.build_processes);
  if (settings.layouts > 1) {
    build.linker = installation.linker;
    build.lld = find_on_path(build.search_path, "ld.lld");
    if (build.lld.empty()) build.linker.clear();
  }
  return build;
}

}  // namespace tandem::daemon
