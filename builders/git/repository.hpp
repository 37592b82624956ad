#pragma once

#include <git2.h>

#include <memory>
#include <string>
#include <vector>

#include "builders/repository.hpp"
#include "specs/foundation/descriptor.hpp"

/// What the files of this room share about libgit2; nobody else includes this.
namespace tandem::builders::git {

struct Free {
  void operator()(git_blob* blob) const { git_blob_free(blob); }
  void operator()(git_commit* commit) const { git_commit_free(commit); }
  void operator()(git_config* config) const { git_config_free(config); }
  void operator()(git_diff* diff) const { git_diff_free(diff); }
  void operator()(git_index* index) const { git_index_free(index); }
  void operator()(git_object* object) const { git_object_free(object); }
  void operator()(git_odb* odb) const { git_odb_free(odb); }
  void operator()(git_odb_object* odb_object) const { git_odb_object_free(odb_object); }
  void operator()(git_packbuilder* packbuilder) const { git_packbuilder_free(packbuilder); }
  void operator()(git_patch* patch) const { git_patch_free(patch); }
  void operator()(git_reference* reference) const { git_reference_free(reference); }
  void operator()(git_remote* remote) const { git_remote_free(remote); }
  void operator()(git_repository* repository) const { git_repository_free(repository); }
  void operator()(git_revwalk* revwalk) const { git_revwalk_free(revwalk); }
  void operator()(git_tree* tree) const { git_tree_free(tree); }
  void operator()(git_tree_entry* tree_entry) const { git_tree_entry_free(tree_entry); }
};

template <class T>
using Handle = std::unique_ptr<T, Free>;

/// Lets a C function fill a handle: `git_commit_lookup(Out(commit), …)`. The handle is filled at the end of
/// the whole expression, not before.
template <class T>
class Out {
 public:
  explicit Out(Handle<T>& handle) : handle_(handle) {}
  ~Out() { handle_.reset(filled_); }
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  operator T**() { return &filled_; }

 private:
  Handle<T>& handle_;
  T* filled_ = nullptr;
};

/// Initialises the library once per process.
void start();

/// libgit2's own words about the last failed call on this thread.
[[nodiscard]] std::string last_message();

/// Throws Error "cannot <doing>: <last message>".
[[noreturn]] void fail(const std::string& doing);

/// Opens a repository at exactly this path. Returns libgit2's code; the handle is empty unless it is 0.
[[nodiscard]] int open(Handle<git_repository>& repository, const std::filesystem::path& path);

/// True if libgit2 would not read a repository because somebody else owns it.
[[nodiscard]] bool is_owner_refusal(int code);

/// What to do about it.
[[nodiscard]] std::string owner_sentence(const std::filesystem::path& path);

/// What keeps a repository from serving as a whole one (it is shallow or partial), with what to do, as a
/// predicate; empty if nothing does.
[[nodiscard]] std::string what_is_lacking(git_repository* repository);

[[nodiscard]] std::string hex(const git_oid& id);

/// Throws Error if the text is not a full id.
[[nodiscard]] git_oid parse_id(const std::string& text);

/// Reads one commit. Throws Error if it is missing or damaged.
[[nodiscard]] Commit read_commit(git_repository* repository, const git_oid& id);

/// Throws HostError if a pack of the mirror cannot be read now (no descriptors are left, the disk fails) and
/// Error if it is damaged. libgit2 passes over such a pack and says "not found" of what it holds.
void check_packs(const std::filesystem::path& mirror);

/// Whether the mirror has this commit. Throws Error where that cannot be known.
[[nodiscard]] bool holds_commit(git_repository* repository, const git_oid& id);

/// Lock files and half-written packs of a child that was killed; the caller holds the mirror's lock.
void remove_leftovers(const std::filesystem::path& mirror);

/// One writer at a time per mirror: waits for the lock, which goes with the process, however that ends.
[[nodiscard]] OwnedDescriptor lock_mirror(const std::filesystem::path& mirror);

/// Opens the mirror for writing; the caller holds its lock. Leftovers of a killed fetch are removed. A
/// missing mirror is made, with the objects of those `seeds` that are complete repositories; a damaged one is
/// put aside and made again. One that merely cannot be read now stays. Throws Error or a filesystem error.
[[nodiscard]] Handle<git_repository> open_or_create_mirror(const std::filesystem::path& mirror,
                                                           const std::vector<std::filesystem::path>& seeds);

/// How often something was begun or failed in a row, in a file of the mirror's that goes with it.
class MirrorCount {
 public:
  MirrorCount(const std::filesystem::path& mirror, const char* name) : file_(mirror / name) {}

  [[nodiscard]] std::size_t count() const;
  void add() const;
  void forget() const;
  /// When it was counted last; nothing: not yet.
  [[nodiscard]] std::optional<std::filesystem::file_time_type> last() const;

 private:
  std::filesystem::path file_;
};

/// The names of a repository's references that begin so, sorted.
[[nodiscard]] std::vector<std::string> references_below(git_repository* repository, std::string_view folder);

/// Puts every object of the object directory `from` (and of its alternates) into the new object directory
/// `to` by hard links, or copies where links are not possible, writing nothing in `from`. False if no
/// complete set could be had, because `from` is being repacked or holds only a part of its history: `to` must
/// then be thrown away, since a tip whose history is missing looks as if nothing were left to fetch.
[[nodiscard]] bool seed_objects(const std::filesystem::path& from, const std::filesystem::path& to);

/// The first object file in the folders of single objects whose compressed data does not end properly, as a
/// crash leaves it; empty if there is none. libgit2 1.5 would read such a file for ever.
[[nodiscard]] std::filesystem::path find_cut_object(const std::filesystem::path& objects);

/// Single objects, outside packs.
[[nodiscard]] std::vector<std::filesystem::path> single_objects(const std::filesystem::path& objects);

/// Where references keep commits that the branch may no longer lead to, by their ids.
inline const std::string pin_folder = "refs/tandem-keep/";

/// Takes those commits out of the mirrors that were put aside, once `tip` is in the mirror. What cannot be
/// had stays where it is: a damaged mirror that holds the only copy is not deleted.
void bring_back_pins(const std::filesystem::path& mirror, const std::string& tip);

}  // namespace tandem::builders::git

namespace tandem::builders {

/// The mirror of a git branch, read with libgit2.
class GitRepository final : public Repository {
 public:
  explicit GitRepository(const std::filesystem::path& mirror);

  [[nodiscard]] std::optional<std::string> tip(const std::string& branch) const override;
  [[nodiscard]] std::optional<Commit> find(const std::string& name) const override;
  [[nodiscard]] std::optional<std::vector<Commit>> first_parents(const std::string& tip,
                                                                 const std::string& after) const override;
  [[nodiscard]] std::vector<Commit> all_commits(const std::string& tip,
                                                const std::string& after) const override;
  [[nodiscard]] std::optional<std::size_t> first_parent_distance(
      const std::string& ancestor, const std::string& descendant) const override;
  [[nodiscard]] bool is_strict_ancestor(const std::string& ancestor,
                                        const std::string& descendant) const override;
  [[nodiscard]] std::optional<std::string> merge_base(const std::string& one,
                                                      const std::string& other) const override;
  [[nodiscard]] CommitFacts facts(const std::string& commit) const override;
  [[nodiscard]] std::map<std::string, std::string> submodule_ids(const std::string& commit) const override;
  [[nodiscard]] std::map<std::string, std::string> tags() const override;
  [[nodiscard]] std::optional<CheckoutFailure> checkout(const Commit& commit,
                                                        const std::filesystem::path& empty_directory,
                                                        const std::stop_token& stop) const override;

 private:
  enum class Ambiguous { is_wrong, counts_as_none };
  [[nodiscard]] std::optional<git_oid> commit_of_hash(const std::string& digits, Ambiguous ambiguous) const;

  git::Handle<git_repository> repository_;
  std::filesystem::path path_;
};

}  // namespace tandem::builders
