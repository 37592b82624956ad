#include "daemon/service/commit_builds.hpp"

#include <fmt/format.h>

#include "builders/cache/budget.hpp"
#include "builders/fetch.hpp"
#include "builders/git/repack.hpp"
#include "daemon/service/storage_rules.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

/// What open regressions of the daemon rest on stays. Nothing, that is no limit, if they cannot be read.
std::shared_ptr<builders::CacheBudget> budget_beside_the_daemon(const config::Settings& settings) {
  if (settings.cache_budget == 0) return nullptr;
  try {
    return std::make_shared<builders::CacheBudget>(settings.exec_dir, settings.cache_budget,
                                                   commits_of_living(settings.state_dir / "tandem.db"));
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

CommitBuilds::CommitBuilds(const config::Settings& settings, const Installation& installation,
                           const Isolation& isolation, std::optional<specs::BuildSection> section,
                           const std::stop_token& stop)
    : context_{settings,
               settings.watches.front(),
               installation,
               isolation,
               settings.state_dir / "mirrors" / ("run-" + settings.watches.front().name),
               {},
               std::move(section)},
      watch_(settings.watches.front()) {
  context_.source = source_of(watch_);
  const auto fetched = builders::fetch(
      context_.mirror, context_.source,
      {installation.program, std::chrono::duration_cast<std::chrono::nanoseconds>(settings.fetch_timeout)},
      stop);
  if (const auto* failure = std::get_if<builders::FetchFailure>(&fetched)) throw Error(failure->sentence);
  // No store names commits of this mirror. That it could not be repacked costs descriptors, not this run.
  static_cast<void>(builders::keep_packs_few(context_.mirror, {}, {}, stop));
  repository_ = builders::open_repository(context_.mirror);
  budget_ = budget_beside_the_daemon(settings);
}

builders::Commit CommitBuilds::find(const std::string& name) const {
  if (auto commit = repository_->find(name)) return *commit;
  throw InputError(
      fmt::format("there is no commit {} in {}; give a hash, a branch or a tag, or the path of a program",
                  name, context_.source.shown));
}

builders::Executable CommitBuilds::build(const builders::Commit& commit, const std::string& platform,
                                         const std::stop_token& stop) const {
  builders::BuildSettings build = build_settings(context_, platform);
  build.budget = budget_;
  builders::ScriptBuilder builder(std::move(build));
  auto built = builder.build(commit, stop);
  if (const auto* failure = std::get_if<builders::BuildFailure>(&built)) {
    throw Error(fmt::format("{} does not build for {}: {}\n{}", commit.id.substr(0, 12), platform,
                            failure->sentence, failure->last_lines));
  }
  return std::get<builders::Executable>(std::move(built));
}

}  // namespace tandem::daemon
