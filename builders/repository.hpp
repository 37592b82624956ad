#pragma once

#include <cstddef>
#include <filesystem>
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

  /// How many first-parent steps lead from `descendant` down to `ancestor`: 0 if they are the same.
  [[nodiscard]] virtual std::optional<std::size_t> first_parent_distance(
      const std::string& ancestor, const std::string& descendant) const = 0;

  /// By any parents; a commit is not its own ancestor.
  [[nodiscard]] virtual bool is_strict_ancestor(const std::string& ancestor,
                                                const std::string& descendant) const = 0;

  /// The best common ancestor.
  [[nodiscard]] virtual std::optional<std::string> merge_base(const std::string& one,
                                                              const std::string& other) const = 0;

  /// Writes the commit's tree into an empty directory: exact bytes without filters, modes, symbolic links,
  /// the commit's time on every file, no `.git`. Everything is read back and compared with its object ids
  /// before this returns nothing, which means success. The caller removes what a failure leaves.
  [[nodiscard]] virtual std::optional<CheckoutFailure> checkout(const Commit& commit,
                                                                const std::filesystem::path& empty_directory,
                                                                const std::stop_token& stop = {}) const = 0;
};

/// Opens a mirror of either kind; for git this costs less than a millisecond, so open it again after each
/// fetch. Throws Error if it cannot be read.
[[nodiscard]] std::unique_ptr<Repository> open_repository(const std::filesystem::path& mirror);

/// The reference of the mirror that holds a fetched branch.
[[nodiscard]] std::string mirror_reference(std::string_view branch);

}  // namespace tandem::builders
