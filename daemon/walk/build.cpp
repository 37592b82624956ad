#include "daemon/walk/build.hpp"

#include <algorithm>
#include <utility>

#include "daemon/walk/identical.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon {

using builders::BuildFailure;
using builders::Executable;

void Builds::clear() {
  executables_.clear();
  unbuilt_.clear();
}

const Executable* Builds::build(const builders::Commit& commit, const std::stop_token& stop) {
  if (const auto known = executables_.find(commit.id); known != executables_.end()) return &known->second;
  Status& status = context_.status;
  status.phase = "building";
  context_.show();
  auto result = context_.builder.build(commit, stop);
  store::StoredBuild build;
  build.commit = commit.id;
  build.at = context_.now();
  if (auto* executable = std::get_if<Executable>(&result)) {
    build.succeeded = true;
    build.identity = identity_of(*executable, settings_.tests);
    context_.store.save_build(settings_.key, build);
    if (!executable->repaired.empty()) {
      context_.store.add_event({settings_.key.watch, "cache", executable->repaired, context_.now()});
      status.last_error = executable->repaired;
      status.last_error_at = context_.now();
    }
    return &executables_.emplace(commit.id, std::move(*executable)).first->second;
  }
  const auto& failure = std::get<BuildFailure>(result);
  if (failure.kind == BuildFailure::Kind::stopped) return nullptr;
  // None of these is the commit's doing: it is built again when the host works again, or after a while.
  if (builders::is_of_host(failure.kind)) throw HostError(failure.sentence);
  if (builders::may_pass_later(failure.kind)) {
    unbuilt_.insert_or_assign(commit.id, failure);
    return nullptr;
  }
  build.kind = builders::name_of(failure.kind);
  build.sentence = failure.sentence;
  build.log = failure.log.string();
  build.last_lines = failure.last_lines;
  context_.store.save_build(settings_.key, build);
  constexpr std::size_t most_shown = 20;
  auto& shown = status.failed_builds;
  shown.insert(shown.begin(),
               {settings_.key.platform, commit.id, build.kind, build.sentence, build.log, build.last_lines});
  shown.resize(std::min(shown.size(), most_shown));
  context_.show();
  return nullptr;
}

std::optional<BuildFailure> Builds::unbuilt(const std::string& commit) const {
  const auto found = unbuilt_.find(commit);
  return found == unbuilt_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tandem::daemon
