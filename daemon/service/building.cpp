#include "daemon/service/building.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <thread>

namespace tandem::daemon {

Building::Building(const builders::BuildSettings& settings, bool same_host, const runners::CpuChoice& cpus)
    : front_(std::make_unique<builders::ScriptBuilder>(settings)) {
  if (same_host) {
    sentence_ = "no: same_host forbids building while measuring";
    return;
  }
  // Without process ids of its own, what a build leaves behind would be taken for the benchmark's.
  if (!settings.sandbox) {
    sentence_ = "no: building while measuring needs the sandbox";
    return;
  }
  builders::BuildSettings beside = settings;
  beside.cpus = cpus.supervisor;
  if (beside.cpus.empty()) {
    sentence_ = "no: every processor measures";
    return;
  }
  beside.jobs = std::min(settings.jobs, static_cast<unsigned>(beside.cpus.size()));
  sentence_ = fmt::format("yes: on {} of {} processors", beside.cpus.size(),
                          beside.cpus.size() + cpus.measured.size());
  behind_ = std::make_unique<builders::ScriptBuilder>(std::move(beside));
  ahead_ = std::make_unique<BuildAhead>(*front_, *behind_);
}

builders::Builder& Building::builder() {
  if (ahead_) return *ahead_;
  return *front_;
}

void Building::expect(std::vector<builders::Commit> commits) {
  if (ahead_) ahead_->queue(std::move(commits));
}

runners::RunnerHook Building::pause_during_launches() {
  const auto pause = [this](const runners::LaunchPlan* launch,
                            const std::stop_token& stop) -> std::shared_ptr<void> {
    if (launch == nullptr || !ahead_) return nullptr;
    const runners::SliceShape& shape = launch->shape;
    const bool more_than_one_processor = shape.waiting == runners::SliceShape::Waiting::frozen ||
                                         shape.pairing == runners::Pairing::duet ||
                                         shape.pairing == runners::Pairing::process_together;
    if (!more_than_one_processor) return nullptr;
    return std::make_shared<BuildAhead::Quiet>(*ahead_, stop);
  };
  return {.before = pause};
}

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

builders::BuildSettings build_settings(const BuildContext& context, const std::string& platform) {
  const Installation& installation = context.installation;
  const config::Settings& settings = context.settings;
  const config::WatchSettings& watch = context.watch;
  builders::BuildSettings build;
  build.state_dir = settings.state_dir;
  build.exec_dir = settings.exec_dir;
  build.mirror = context.mirror;
  build.source = context.source;
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
  build.section = context.section;
  build.git = watch.needs_git ? builders::BuildSettings::Git::provided : builders::BuildSettings::Git::absent;
  build.sandbox = context.isolation.tools;
  build.foreign = context.isolation.foreign;
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
