#include "builders/git/repack.hpp"

#include <fmt/format.h>
#include <git2/sys/odb_backend.h>

#include <algorithm>
#include <chrono>
#include <unordered_set>

#include "builders/git/remote.hpp"
#include "builders/git/repository.hpp"
#include "runners/process/process.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using git::Handle;
using git::Out;

std::vector<fs::path> packs_of(const fs::path& mirror) {
  std::error_code error;
  std::vector<fs::path> packs = paths_in(mirror / "objects/pack", error);
  std::erase_if(packs, [](const fs::path& file) { return file.extension() != ".pack"; });
  if (error && error != std::errc::no_such_file_or_directory) {
    throw Error(fmt::format("cannot list the packs of '{}': {}", mirror.string(), error.message()));
  }
  return packs;
}

/// An hour after the first failure, then twice as long each time, up to a week.
bool is_put_off(const git::MirrorCount& failed) {
  const auto last = failed.last();
  if (!last) return false;
  constexpr std::size_t most_doublings = 7;
  constexpr std::chrono::hours longest{24 * 7};
  const std::size_t doublings = std::clamp<std::size_t>(failed.count(), 1, most_doublings + 2) - 1;
  const auto wait = std::min(longest, std::chrono::hours{1} * (1 << doublings));
  const auto since = fs::file_time_type::clock::now() - *last;
  return since >= since.zero() && since < wait;
}

/// The new pack lies beside the old ones until it is whole.
void check_room(const fs::path& mirror, const std::vector<fs::path>& packs) {
  std::uintmax_t needed = 0;
  for (const fs::path& pack : packs) needed += fs::file_size(pack);
  const std::uintmax_t room = fs::space(mirror).available;
  if (room < needed) {
    throw Error(fmt::format("there is room for {} bytes and it takes up to {}", room, needed));
  }
}

/// Every commit that some reference of the mirror leads to.
std::unordered_set<std::string> reachable(git_repository* repository) {
  Handle<git_revwalk> walk;
  if (git_revwalk_new(Out(walk), repository) != 0) git::fail("walk through the mirror");
  if (git_revwalk_push_glob(walk.get(), "refs/*") != 0) git::fail("walk from the references of the mirror");
  std::unordered_set<std::string> ids;
  git_oid id;
  int code = 0;
  while ((code = git_revwalk_next(&id, walk.get())) == 0) ids.insert(git::hex(id));
  if (code != GIT_ITEROVER) git::fail("walk through the mirror");
  return ids;
}

/// A commit of another repository, as of a mirror that was made anew, has nothing to be kept.
void pin(git_repository* repository, const std::set<std::string>& keep) {
  if (keep.empty()) return;
  const auto known = reachable(repository);
  for (const std::string& commit : keep) {
    if (commit.size() != GIT_OID_HEXSZ || known.contains(commit)) continue;
    git_oid id;
    if (git_oid_fromstr(&id, commit.c_str()) != 0 || !git::holds_commit(repository, id)) continue;
    Handle<git_reference> created;
    if (git_reference_create(Out(created), repository, (git::pin_folder + commit).c_str(), &id, 1,
                             "tandem: keep") != 0) {
      git::fail("keep commit " + commit);
    }
  }
}

/// No shell, no hook and no setting of the user; one thread, so that most of the host stays quiet.
std::optional<std::string> repack_by_git(const fs::path& program, const fs::path& mirror,
                                         const RepackOptions& options, const std::stop_token& stop) {
  runners::Command command;
  command.argv = {program,
                  "-c",
                  "core.hooksPath=/dev/null",
                  "-c",
                  "core.fsmonitor=false",
                  "-c",
                  "pack.threads=1",
                  "-c",
                  "pack.windowMemory=256m",
                  "-c",
                  "repack.writeBitmaps=false",
                  fmt::format("--git-dir={}", fs::absolute(mirror).string()),
                  "repack",
                  "-a",
                  "-d",
                  "-q",
                  "--keep-unreachable"};
  command.environment = {
      "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent",    "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1",
      "GIT_CONFIG_GLOBAL=/dev/null",       "GIT_TERMINAL_PROMPT=0"};
  runners::Limits limits;
  limits.deadline = options.deadline;
  const auto finished = runners::run_command(command, limits, stop);
  if (finished.succeeded()) return std::nullopt;
  return fmt::format("git repack {}: {}", describe(finished), printable(finished.errors, 500));
}

std::vector<git_oid> all_objects(git_repository* repository) {
  Handle<git_odb> odb;
  if (git_repository_odb(Out(odb), repository) != 0) git::fail("open the objects of the mirror");
  std::vector<git_oid> ids;
  const auto take = [](const git_oid* id, void* list) {
    static_cast<std::vector<git_oid>*>(list)->push_back(*id);
    return 0;
  };
  if (git_odb_foreach(odb.get(), take, &ids) != 0) git::fail("list the objects of the mirror");
  const auto before = [](const git_oid& one, const git_oid& other) { return git_oid_cmp(&one, &other) < 0; };
  const auto same = [](const git_oid& one, const git_oid& other) { return git_oid_equal(&one, &other) != 0; };
  std::sort(ids.begin(), ids.end(), before);
  ids.erase(std::unique(ids.begin(), ids.end(), same), ids.end());
  return ids;
}

/// Reads every object from this pack alone; libgit2 compares each with its id.
void read_all_back(const fs::path& index, const std::vector<git_oid>& ids, const std::stop_token& stop) {
  Handle<git_odb> odb;
  git_odb* made = nullptr;
  if (git_odb_new(&made) != 0) git::fail("make a store of objects");
  odb.reset(made);
  git_odb_backend* pack = nullptr;
  if (git_odb_backend_one_pack(&pack, index.c_str()) != 0) git::fail("open the new pack");
  if (git_odb_add_backend(odb.get(), pack, 1) != 0) git::fail("open the new pack");
  for (const git_oid& id : ids) {
    if (stop.stop_requested()) throw Error("stopped on request");
    Handle<git_odb_object> object;
    if (git_odb_read(Out(object), odb.get(), &id) != 0) git::fail("read the new pack's " + git::hex(id));
  }
}

void repack_by_library(git_repository* repository, const fs::path& mirror, const std::stop_token& stop) {
  const std::vector<fs::path> old = packs_of(mirror);
  // A pack that cannot be read now would be missing from the list of what is to be kept.
  git::check_packs(mirror);
  const std::vector<git_oid> ids = all_objects(repository);
  Handle<git_packbuilder> builder;
  if (git_packbuilder_new(Out(builder), repository) != 0) git::fail("make a pack");
  git_packbuilder_set_threads(builder.get(), 1);
  for (const git_oid& id : ids) {
    if (stop.stop_requested()) throw Error("stopped on request");
    if (git_packbuilder_insert(builder.get(), &id, nullptr) != 0) git::fail("pack " + git::hex(id));
  }
  const auto go_on = [](int, std::uint32_t, std::uint32_t, void* token) {
    return static_cast<const std::stop_token*>(token)->stop_requested() ? -1 : 0;
  };
  std::stop_token token = stop;
  git_packbuilder_set_callbacks(builder.get(), go_on, &token);
  if (git_packbuilder_write(builder.get(), nullptr, 0, nullptr, nullptr) != 0) git::fail("write a pack");
  const fs::path fresh =
      mirror / "objects/pack" / fmt::format("pack-{}.pack", git_packbuilder_name(builder.get()));
  read_all_back(fs::path(fresh).replace_extension(".idx"), ids, stop);
  git::check_packs(mirror);
  for (const fs::path& pack : old) {
    if (pack == fresh) continue;
    // The index goes first: without it nobody looks for the pack.
    for (const char* extension : {".idx", ".pack", ".rev", ".bitmap", ".keep"}) {
      fs::remove(fs::path(pack).replace_extension(extension));
    }
  }
}

void repack_now(const fs::path& mirror, const std::set<std::string>& keep, const RepackOptions& options,
                const std::stop_token& stop) {
  check_room(mirror, packs_of(mirror));
  Handle<git_repository> repository;
  if (git::open(repository, mirror) != 0) git::fail(fmt::format("open the mirror '{}'", mirror.string()));
  pin(repository.get(), keep);
  const auto program = find_on_path("git", options.search_path.empty() ? search_path() : options.search_path);
  if (!program) return repack_by_library(repository.get(), mirror, stop);
  repository.reset();
  if (const auto failure = repack_by_git(*program, mirror, options, stop)) throw Error(*failure);
}

void repack(const fs::path& mirror, const std::set<std::string>& keep, const RepackOptions& options,
            const std::stop_token& stop) {
  const git::MirrorCount failed(mirror, "tandem-repack-failed");
  if (packs_of(mirror).size() <= options.most_packs || is_put_off(failed)) return;
  const OwnedDescriptor held = git::lock_mirror(mirror);
  git::remove_leftovers(mirror);
  try {
    repack_now(mirror, keep, options, stop);
  } catch (const std::exception&) {
    git::remove_leftovers(mirror);
    if (!stop.stop_requested()) failed.add();
    throw;
  }
  failed.forget();
}

}  // namespace

std::optional<std::string> keep_packs_few(const fs::path& mirror, const std::set<std::string>& keep,
                                          const RepackOptions& options, const std::stop_token& stop) {
  try {
    if (!fs::exists(mirror / "objects")) return std::nullopt;  // there is none, or it is of another kind
    git::start();
    repack(mirror, keep, options, stop);
    for (const fs::path& module : paths_in(git::modules_of(mirror))) {
      if (fs::exists(module / "objects") && module.extension().empty()) repack(module, {}, options, stop);
    }
  } catch (const std::exception& error) {
    return fmt::format("the mirror '{}' could not be repacked: {}", mirror.string(), error.what());
  }
  return std::nullopt;
}

}  // namespace tandem::builders
