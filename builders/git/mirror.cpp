#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

#include "builders/git/repository.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders::git {
namespace {

namespace fs = std::filesystem;

/// What the host refuses now proves no damage: no descriptors are left, the disk fails, it is another user's.
void check_errno(const fs::path& file) {
  const int code = errno;
  const std::string sentence = fmt::format("cannot read '{}': {}", file.string(), std::strerror(code));
  if (code == ENOENT || code == ENOTDIR) throw Error(sentence);
  throw HostError(sentence);
}

/// The twenty bytes that begin so far before the end of a file.
std::string bytes_before_end(const fs::path& file, off_t distance) {
  const OwnedDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const auto cut = [&] { throw Error(fmt::format("cannot read '{}': it is cut short", file.string())); };
  struct stat status {};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) check_errno(file);
  if (status.st_size < distance) cut();
  std::string bytes(GIT_OID_RAWSZ, '\0');
  const ssize_t count = ::pread(descriptor.get(), bytes.data(), bytes.size(), status.st_size - distance);
  if (count < 0) check_errno(file);
  if (count != static_cast<ssize_t>(bytes.size())) cut();
  return bytes;
}

bool is_for_the_host(const git_error* error) {
  return error != nullptr && (error->klass == GIT_ERROR_OS || error->klass == GIT_ERROR_NOMEMORY);
}

/// libgit2 could not open it. Throws Error unless the mirror itself is the reason.
void check_that_it_is_damaged(const fs::path& mirror) {
  const std::string sentence =
      fmt::format("cannot open the mirror '{}': {}", mirror.string(), last_message());
  const bool for_the_host = is_for_the_host(git_error_last());
  for (const char* part : {"HEAD", "objects", "refs"}) {
    const fs::path file = mirror / part;
    const OwnedDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (descriptor.get() >= 0) continue;
    if (errno == ENOENT || errno == ENOTDIR) return;
    check_errno(file);
  }
  if (for_the_host) throw HostError(sentence);
  // The settings of the user and of the host are read with those of the mirror.
  Handle<git_config> settings;
  if (git_config_open_ondisk(Out(settings), (mirror / "config").c_str()) != 0) {
    if (is_for_the_host(git_error_last())) throw HostError(sentence);
    return;
  }
  throw Error(sentence);
}

/// References put the seeded objects into the negotiation, so that the server sends only what is new.
void seed_references(git_repository* clone, git_repository* mirror) {
  for (const char* folder : {"refs/heads/", "refs/remotes/"}) {
    for (const std::string& name : references_below(clone, folder)) {
      git_oid id;
      Handle<git_reference> created;
      if (git_reference_name_to_id(&id, clone, name.c_str()) != 0) continue;
      const std::string kept = "refs/seed/" + name.substr(std::string_view("refs/").size());
      static_cast<void>(git_reference_create(Out(created), mirror, kept.c_str(), &id, 1, nullptr));
    }
  }
}

bool seed_from(const fs::path& path, git_repository* mirror) {
  Handle<git_repository> clone;
  if (open(clone, path) != 0 || git_repository_is_shallow(clone.get()) == 1) return false;
  const fs::path objects = fs::path(git_repository_commondir(clone.get())) / "objects";
  if (!seed_objects(objects, fs::path(git_repository_path(mirror)) / "objects")) return false;
  try {
    seed_references(clone.get(), mirror);
  } catch (const Error&) {
    return false;
  }
  return true;
}

/// Moves single objects, which only a seed brings, into one pack: a crash cuts single files short, and
/// libgit2 never ends reading such a file. False if one is cut already.
bool pack_single_objects(git_repository* mirror) {
  const fs::path objects = fs::path(git_repository_path(mirror)) / "objects";
  const std::vector<fs::path> files = single_objects(objects);
  if (files.empty()) return true;
  if (!find_cut_object(objects).empty()) return false;
  Handle<git_packbuilder> builder;
  if (git_packbuilder_new(Out(builder), mirror) != 0) fail("make a pack");
  git_packbuilder_set_threads(builder.get(), 1);
  for (const fs::path& file : files) {
    const git_oid id = parse_id(file.parent_path().filename().string() + file.filename().string());
    if (git_packbuilder_insert(builder.get(), &id, nullptr) != 0) return false;
  }
  if (git_packbuilder_write(builder.get(), nullptr, 0, nullptr, nullptr) != 0) return false;
  for (const fs::path& file : files) fs::remove(file);
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
    return pack_single_objects(repository.get());
  };
  // A seed that cannot serve costs a full download, nothing else.
  if (!make(seeds)) make({});
  fs::rename(fresh, mirror);
}

fs::path damaged_name(const fs::path& path) {
  return path.string() + ".damaged";
}

/// Where an earlier damaged mirror lies, of which not all could be brought back.
fs::path older_name(const fs::path& path, int number) {
  return fmt::format("{}.{}", damaged_name(path).string(), number);
}

std::set<std::string> pins_of(const fs::path& mirror) {
  const fs::path folder = mirror / pin_folder;
  std::set<std::string> ids;
  std::error_code error;
  for (const fs::path& file : paths_in(folder, error)) {
    const std::string id = file.filename();
    if (id.size() == GIT_OID_HEXSZ && is_lower_hex(id)) ids.insert(id);
  }
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory) {
    throw HostError(fmt::format("cannot list '{}': {}", folder.string(), error.message()));
  }
  return ids;
}

void put_aside(const fs::path& path) {
  if (!fs::exists(path)) return;
  const auto earlier = pins_of(damaged_name(path));
  const auto now = pins_of(path);
  if (std::includes(now.begin(), now.end(), earlier.begin(), earlier.end())) {
    fs::remove_all(damaged_name(path));
  } else {
    int number = 2;
    while (fs::exists(older_name(path, number))) ++number;
    fs::rename(damaged_name(path), older_name(path, number));
  }
  fs::rename(path, damaged_name(path));
  // When it was put aside, not when it was last fetched into.
  std::error_code ignored;
  fs::last_write_time(damaged_name(path), fs::file_time_type::clock::now(), ignored);
}

/// What leads to a pinned commit and not to the tip, out of a damaged mirror. False if it cannot be had.
bool bring_back(const fs::path& mirror, const fs::path& damaged, const std::string& id,
                const std::string& tip) {
  Handle<git_repository> both;
  Handle<git_odb> odb;
  Handle<git_revwalk> walk;
  Handle<git_packbuilder> builder;
  const git_oid wanted = parse_id(id);
  const git_oid here = parse_id(tip);
  // The mirror's own objects are looked for first, so that damage to what both hold does not matter.
  if (open(both, mirror) != 0 || git_repository_odb(Out(odb), both.get()) != 0) return false;
  if (git_odb_add_disk_alternate(odb.get(), (damaged / "objects").c_str()) != 0) return false;
  if (git_revwalk_new(Out(walk), both.get()) != 0) return false;
  if (git_packbuilder_new(Out(builder), both.get()) != 0) return false;
  if (git_revwalk_push(walk.get(), &wanted) != 0 || git_revwalk_hide(walk.get(), &here) != 0) return false;
  git_packbuilder_set_threads(builder.get(), 1);
  if (git_packbuilder_insert_walk(builder.get(), walk.get()) != 0) return false;
  if (git_packbuilder_object_count(builder.get()) > 0 &&
      git_packbuilder_write(builder.get(), nullptr, 0, nullptr, nullptr) != 0) {
    return false;
  }
  Handle<git_reference> created;
  return git_reference_create(Out(created), both.get(), (pin_folder + id).c_str(), &wanted, 1,
                              "tandem: bring back") == 0;
}

}  // namespace

void bring_back_pins(const fs::path& mirror, const std::string& tip) {
  try {
    std::vector<fs::path> damaged{damaged_name(mirror)};
    for (int number = 2; fs::exists(older_name(mirror, number)); ++number) {
      damaged.push_back(older_name(mirror, number));
    }
    std::set<std::string> here = pins_of(mirror);
    for (const fs::path& one : damaged) {
      for (const std::string& id : pins_of(one)) {
        if (!here.contains(id) && bring_back(mirror, one, id, tip)) here.insert(id);
      }
    }
  } catch (const std::exception&) {
    return;  // The damaged mirror is kept, and the next fetch tries again.
  }
}

void remove_leftovers(const fs::path& mirror) {
  std::error_code error;
  const auto sweep = [](const fs::path& directory) {
    std::error_code ended;
    for (fs::recursive_directory_iterator entry(directory, ended), end; !ended && entry != end;
         entry.increment(ended)) {
      const std::string name = entry->path().filename();
      std::error_code ignored;
      if (name.ends_with(".lock") || name.find("_git2_") != std::string::npos || name.starts_with("tmp_") ||
          name.starts_with(".tmp-")) {
        fs::remove(entry->path(), ignored);
      }
    }
  };
  sweep(mirror / "refs");
  sweep(mirror / "objects" / "pack");
  for (const char* name : {"packed-refs.lock", "config.lock", "HEAD.lock"}) fs::remove(mirror / name, error);
}

void check_packs(const fs::path& mirror) {
  const fs::path folder = mirror / "objects/pack";
  std::error_code error;
  const std::vector<fs::path> files = paths_in(folder, error);
  if (error) throw HostError(fmt::format("cannot list '{}': {}", folder.string(), error.message()));
  for (const fs::path& index : files) {
    if (index.extension() != ".idx") continue;
    const fs::path pack = fs::path(index).replace_extension(".pack");
    // An index ends with the checksum that its pack ends with, and then with its own.
    const std::string in_index = bytes_before_end(index, 2 * GIT_OID_RAWSZ);
    if (in_index != bytes_before_end(pack, GIT_OID_RAWSZ)) {
      throw Error(
          fmt::format("cannot read '{}': it is not the pack that its index was made for", pack.string()));
    }
  }
}

bool holds_commit(git_repository* repository, const git_oid& id) {
  Handle<git_commit> commit;
  const int found = git_commit_lookup(Out(commit), repository, &id);
  if (found == 0) return true;
  if (found != GIT_ENOTFOUND) fail("read commit " + hex(id));
  check_packs(git_repository_commondir(repository));
  return false;
}

std::string what_is_lacking(git_repository* repository) {
  if (git_repository_is_shallow(repository) == 1) {
    return "is shallow: it lacks the older commits; run `git fetch --unshallow` in it, or give a URL instead";
  }
  const fs::path packs = fs::path(git_repository_commondir(repository)) / "objects" / "pack";
  for (const fs::path& file : paths_in(packs)) {
    // git marks each pack of a partial clone so.
    if (file.extension() != ".promisor") continue;
    return "is a partial clone: it lacks files of older commits; clone it again without --filter, or give a "
           "URL instead";
  }
  return {};
}

std::size_t MirrorCount::count() const {
  std::size_t number = 0;
  std::ifstream(file_) >> number;
  return number;
}

void MirrorCount::add() const {
  const std::size_t number = count() + 1;
  std::ofstream(file_) << number << '\n';
}

void MirrorCount::forget() const {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

std::optional<fs::file_time_type> MirrorCount::last() const {
  std::error_code error;
  const auto time = fs::last_write_time(file_, error);
  return error ? std::nullopt : std::optional(time);
}

OwnedDescriptor lock_mirror(const fs::path& mirror) {
  fs::create_directories(mirror.parent_path());
  const std::string path = mirror.string() + ".lock";
  OwnedDescriptor descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
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
    if (opened == GIT_EOWNER) throw Error(owner_sentence(mirror));
    if (opened != 0) {
      check_that_it_is_damaged(mirror);
    } else if (pack_single_objects(repository.get())) {
      return repository;
    } else if (find_cut_object(mirror / "objects").empty() && is_for_the_host(git_error_last())) {
      throw HostError(fmt::format("cannot read the mirror '{}': {}", mirror.string(), last_message()));
    }
    // All in it but what was pinned can be fetched again; the last such mirror is kept for a look.
    put_aside(mirror);
  }
  // A seed may be where the damage came from: hard links share it.
  const bool was_damaged = fs::exists(damaged_name(mirror));
  create(mirror, was_damaged ? std::vector<fs::path>() : seeds);
  if (open(repository, mirror) != 0) fail("open the mirror " + mirror.string());
  return repository;
}

}  // namespace tandem::builders::git

namespace tandem::builders {

void set_mirror_aside(const std::filesystem::path& mirror) {
  const OwnedDescriptor held = git::lock_mirror(mirror);
  try {
    git::put_aside(mirror);
    git::put_aside(mirror.string() + ".modules");
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(fmt::format("cannot put the damaged mirror '{}' aside: {}", mirror.string(), error.what()));
  }
}

}  // namespace tandem::builders
