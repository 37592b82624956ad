#include "daemon/building.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "runners/process.hpp"
#include "specs/error.hpp"

namespace tandem::daemon {

std::optional<runners::Sandbox> benchmark_sandbox(const Isolation& isolation,
                                                  const config::Settings& settings) {
  if (!isolation.tools) return std::nullopt;
  runners::Sandbox sandbox;
  sandbox.tools = *isolation.tools;
  sandbox.memory_bytes = settings.build_memory / sides;
  sandbox.disk_bytes = settings.build_disk;
  sandbox.processes = static_cast<std::size_t>(settings.build_processes);
  for (const std::filesystem::path& path :
       std::set<std::filesystem::path>(settings.sandbox_read.begin(), settings.sandbox_read.end())) {
    if (std::error_code error; !std::filesystem::exists(path, error)) {
      throw InputError(fmt::format("sandbox_read names {}, which does not exist", path.string()));
    }
    sandbox.mounts.push_back({path, path, runners::Sandbox::Access::read});
  }
  return sandbox;
}

std::vector<std::string> benchmark_environment() {
  constexpr std::array handed_on = {
      "PATH=", "LD_LIBRARY_PATH=", "LD_PRELOAD=", "OMP_", "GOMP_", "KMP_", "MKL_",
      "DNNL_", "MALLOC_",          "OPENBLAS_"};
  std::vector<std::string> environment = {"HOME=/tmp", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TZ=UTC"};
  for (const std::string& variable : runners::current_environment()) {
    if (std::any_of(handed_on.begin(), handed_on.end(),
                    [&](const char* name) { return variable.starts_with(name); })) {
      environment.push_back(variable);
    }
  }
  return environment;
}

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

std::variant<runners::ProgramFacts, runners::RunFailure> QuietRunner::inspect(
    const runners::ProgramPair& pair, runners::Side side, std::stop_token stop) {
  return runner_.inspect(pair, side, std::move(stop));
}

std::variant<runners::BenchmarkFacts, runners::RunFailure> QuietRunner::look_at(
    const runners::ProgramPair& pair, const std::string& benchmark, std::stop_token stop) {
  return runner_.look_at(pair, benchmark, std::move(stop));
}

runners::LaunchResult QuietRunner::launch(const runners::ProgramPair& pair, const runners::Subject& subject,
                                          const runners::LaunchPlan& plan, std::stop_token stop) {
  std::optional<BuildAhead::Quiet> quiet;
  const runners::SliceShape& shape = plan.shape;
  const bool more_than_one_processor = shape.waiting == runners::SliceShape::Waiting::frozen ||
                                       shape.pairing == runners::Pairing::duet ||
                                       shape.pairing == runners::Pairing::process_together;
  if (more_than_one_processor && building_.ahead() != nullptr) quiet.emplace(*building_.ahead(), stop);
  return runner_.launch(pair, subject, plan, std::move(stop));
}

}  // namespace tandem::daemon
