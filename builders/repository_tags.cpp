#include <fmt/format.h>
#include <git2.h>

#include "builders/printable.hpp"
#include "builders/repository.hpp"
#include "builders/repository_handles.hpp"

namespace tandem::builders {

std::map<std::string, std::string> GitRepository::tags() const {
  struct Found {
    git_repository* repository;
    std::map<std::string, std::string> commits;
  } found{repository_.get(), {}};
  // Tags of trees and blobs name no commit and do not count.
  const auto take = [](const char* name, git_oid* id, void* payload) {
    auto& all = *static_cast<Found*>(payload);
    git::Handle<git_object> object;
    git::Handle<git_object> commit;
    if (git_object_lookup(git::Out(object), all.repository, id, GIT_OBJECT_ANY) != 0) return -1;
    const int peeled = git_object_peel(git::Out(commit), object.get(), GIT_OBJECT_COMMIT);
    if (peeled == GIT_EPEEL || peeled == GIT_EINVALIDSPEC) return 0;
    if (peeled != 0) return -1;
    constexpr std::string_view folder = "refs/tags/";
    const std::string_view whole = name;
    all.commits[printable(whole.starts_with(folder) ? whole.substr(folder.size()) : whole, 500)] =
        git::hex(*git_object_id(commit.get()));
    return 0;
  };
  if (git_tag_foreach(repository_.get(), take, &found) != 0) git::fail("list the tags of the mirror");
  return std::move(found.commits);
}

}  // namespace tandem::builders
