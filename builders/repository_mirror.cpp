#include <fcntl.h>
#include <fmt/format.h>
#include <git2.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

#include "builders/object_seed.hpp"
#include "builders/repository_handles.hpp"
#include "specs/error.hpp"

namespace tandem::builders::git {
namespace {

namespace fs = std::filesystem;

/// Lock files and half-written packs of a fetch that was killed.
void remove_leftovers(const fs::path& mirror) {
  std::error_code error;
  const auto sweep = [](const fs::path& directory) {
    std::error_code ended;
    for (fs::recursive_directory_iterator entry(directory, ended), end; !ended && entry != end;
         entry.increment(ended)) {
      const std::string name = entry->path().filename();
      std::error_code ignored;
      if (name.ends_with(".lock") || name.find("_git2_") != std::string::npos) {
        fs::remove(entry->path(), ignored);
      }
    }
  };
  sweep(mirror / "refs");
  sweep(mirror / "objects" / "pack");
  for (const char* name : {"packed-refs.lock", "config.lock", "HEAD.lock"}) fs::remove(mirror / name, error);
}

/// References put the seeded objects into the negotiation, so that the server sends only what is new.
void seed_references(git_repository* clone, git_repository* mirror) {
  const auto collect = [](const char* name, void* list) {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  std::vector<std::string> names;
  git_reference_foreach_name(clone, collect, &names);
  for (const std::string& name : names) {
    git_oid id;
    Handle<git_reference> created;
    const bool branch = name.starts_with("refs/heads/") || name.starts_with("refs/remotes/");
    if (!branch || git_reference_name_to_id(&id, clone, name.c_str()) != 0) continue;
    const std::string kept = "refs/seed/" + name.substr(std::string_view("refs/").size());
    static_cast<void>(git_reference_create(Out(created), mirror, kept.c_str(), &id, 1, nullptr));
  }
}

bool seed_from(const fs::path& path, git_repository* mirror) {
  Handle<git_repository> clone;
  if (open(clone, path) != 0 || git_repository_is_shallow(clone.get()) == 1) return false;
  const fs::path objects = fs::path(git_repository_commondir(clone.get())) / "objects";
  if (!seed_objects(objects, fs::path(git_repository_path(mirror)) / "objects")) return false;
  seed_references(clone.get(), mirror);
  return true;
}

/// Makes the mirror beside its place and renames it, so that it is either whole or missing.
void create(const fs::path& mirror, const std::vector<fs::path>& seeds) {
  const fs::path fresh = mirror.string() + ".new";
  const auto make = [&](const std::vector<fs::path>& used) {
    fs::remove_all(fresh);
    Handle<git_repository> repository;
    if (git_repository_init(Out(repository), fresh.c_str(), 1) != 0)
      fail("make the mirror " + mirror.string());
    for (const fs::path& seed : used) {
      if (!seed.empty() && !seed_from(seed, repository.get())) return false;
    }
    return true;
  };
  // A seed that cannot serve costs a full download, nothing else.
  if (!make(seeds)) make({});
  fs::rename(fresh, mirror);
}

}  // namespace

runners::OwnedDescriptor lock_mirror(const fs::path& mirror) {
  fs::create_directories(mirror.parent_path());
  const std::string path = mirror.string() + ".lock";
  runners::OwnedDescriptor descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (descriptor.get() < 0 || ::flock(descriptor.get(), LOCK_EX) != 0) {
    throw Error(fmt::format("cannot lock '{}': {}", path, std::strerror(errno)));
  }
  return descriptor;
}

Handle<git_repository> open_or_create_mirror(const fs::path& mirror, const std::vector<fs::path>& seeds) {
  remove_leftovers(mirror);
  Handle<git_repository> repository;
  if (fs::exists(mirror)) {
    const int opened = open(repository, mirror);
    if (opened == 0) return repository;
    if (opened == GIT_EOWNER) throw Error(owner_sentence(mirror));
    // All in it can be fetched again; the last such mirror is kept for a look.
    const fs::path aside = mirror.string() + ".damaged";
    fs::remove_all(aside);
    fs::rename(mirror, aside);
  }
  create(mirror, seeds);
  if (open(repository, mirror) != 0) fail("open the mirror " + mirror.string());
  return repository;
}

}  // namespace tandem::builders::git
