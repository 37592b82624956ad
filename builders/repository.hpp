#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "builders/commit.hpp"

namespace tandem::builders {

/// Why a commit's tree could not be written out. `sentence` is for a person.
struct CheckoutFailure {
  enum class Kind { submodules, large_files, unsafe_path, too_large, corrupt, disk, stopped };
  Kind kind = Kind::corrupt;
  std::string sentence;
};

/// A mirror made by `fetch`, opened for reading. Belongs to one thread. Every function throws Error if the
/// mirror is damaged.
class Repository {
 public:
  Repository() = default;
  virtual ~Repository() = default;
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;

  /// The commit that the branch had when it was last fetched.
  [[nodiscard]] virtual std::optional<std::string> tip(const std::string& branch) const = 0;

  /// A commit by fetched branch, tag, hash or beginning of a hash (at least 4 digits). Throws InputError if
  /// the beginning fits several.
  [[nodiscard]] virtual std::optional<Commit> find(const std::string& name) const = 0;

  /// The commits from `after` (exclusive; empty: from the root) to `tip` along first parents, oldest first.
  /// Nothing if `after` does not lie on that line, as after a force-push.
  [[nodiscard]] virtual std::optional<std::vector<Commit>> first_parents(
      const std::string& tip, const std::string& after = {}) const = 0;

  /// Every commit that can be reached from `tip` and not from `after` (empty: all of them) by any parents.
  /// Parents come before their children; where that leaves a choice, the older committer time comes first,
  /// then the smaller id. Throws Error past ten million commits.
  [[nodiscard]] virtual std::vector<Commit> all_commits(const std::string& tip,
                                                        const std::string& after = {}) const = 0;

  /// How many first-parent steps lead from `descendant` down to `ancestor`: 0 if they are the same.
  [[nodiscard]] virtual std::optional<std::size_t> first_parent_distance(
      const std::string& ancestor, const std::string& descendant) const = 0;

  /// By any parents; a commit is not its own ancestor.
  [[nodiscard]] virtual bool is_strict_ancestor(const std::string& ancestor,
                                                const std::string& descendant) const = 0;

  /// The best common ancestor.
  [[nodiscard]] virtual std::optional<std::string> merge_base(const std::string& one,
                                                              const std::string& other) const = 0;

  /// The commit of every tag that is mirrored, by the tag's name.
  [[nodiscard]] virtual std::map<std::string, std::string> tags() const = 0;

  /// What the commit changes, for the search of a culprit and for finding the same change elsewhere.
  [[nodiscard]] virtual CommitFacts facts(const std::string& commit) const = 0;

  /// The submodules of a commit by path, those inside others too as far as their mirrors are there. They
  /// belong to the key of what is built.
  [[nodiscard]] virtual std::map<std::string, std::string> submodule_ids(
      const std::string& /*commit*/) const {
    return {};
  }

  /// Writes the commit's tree into an empty directory: exact bytes without filters, modes, symbolic links,
  /// submodules (brought by `fetch_submodules`), the commit's time on every file, no `.git`. What is written
  /// is compared with the commit before this returns nothing, which means success. The caller removes what a
  /// failure leaves.
  [[nodiscard]] virtual std::optional<CheckoutFailure> checkout(const Commit& commit,
                                                                const std::filesystem::path& empty_directory,
                                                                const std::stop_token& stop = {}) const = 0;
};

/// Opens a mirror of either kind; for git this costs less than a millisecond, so open it again after each
/// fetch. Throws Error if it cannot be read.
[[nodiscard]] std::unique_ptr<Repository> open_repository(const std::filesystem::path& mirror);

/// Gives a checked-out tree a small `.git` for build scripts that ask git: HEAD detached at the commit, the
/// tags of the mirror, an index that matches the files. Its objects are those of the mirror, named by path in
/// objects/info/alternates: whoever runs git in the tree must show `<mirror>/objects` read-only at the same
/// path. Throws Error.
void provide_git(const std::filesystem::path& mirror, const Commit& commit,
                 const std::filesystem::path& tree);

/// For a mirror of which an object is damaged: renames it and the mirrors of its submodules to `….damaged`,
/// in place of an earlier one. The next fetch makes the mirror again, from the source alone. Throws Error.
void set_mirror_aside(const std::filesystem::path& mirror);

/// The reference of the mirror that holds a fetched branch.
[[nodiscard]] std::string mirror_reference(std::string_view branch);

}  // namespace tandem::builders
