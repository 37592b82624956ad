#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::builders {

/// One commit as version control tells it. Texts are valid UTF-8 on one line; times are seconds since 1970
/// UTC.
struct Commit {
  std::string id;            ///< 40 hexadecimal digits
  std::string first_parent;  ///< empty for a root
  std::string tree;
  std::string subject;
  std::string author_name;
  std::string author_email;
  std::int64_t author_time = 0;
  std::int64_t committer_time = 0;
};

/// One of a list of commits, with the places of its parents in the list.
struct ListedCommit {
  Commit commit;
  std::vector<std::size_t> parents;
};

/// Every commit after its parents; where that leaves a choice, the older committer time comes first, then the
/// smaller id. Throws Error if they are more than ten million.
[[nodiscard]] std::vector<Commit> parents_first(std::vector<ListedCommit> listed);

/// What a commit changes against its first parent; the root against nothing. What is too large is not read:
/// of git, a file of more than 2 MiB and a commit of more than 20 000 files or 256 MiB; of Mercurial, a
/// commit whose difference exceeds 64 MiB. It counts in `files` alone.
struct CommitFacts {
  static constexpr std::size_t most_files = 1000;

  /// The paths touched, made printable: old and new name of a rename, sorted, the first `most_files`.
  std::vector<std::string> files;
  std::size_t lines = 0;  ///< added and removed; binary files have none
  /// Equal for the same change elsewhere, as after a rebase: neither line numbers nor white space count.
  /// Empty for an empty change, a merge, or where not all content was read.
  std::string patch_id;
  std::string reverse_patch_id;      ///< the patch id of the change that undoes it
  std::vector<std::string> reverts;  ///< ids that its message says it reverts, as `reverted_ids`
};

/// The ids after "This reverts commit" (of git) and "Backed out changeset" (of Mercurial) in a message, full
/// or abbreviated to at least seven digits, in lower case, in the order of the text, each once.
[[nodiscard]] std::vector<std::string> reverted_ids(std::string_view message);

/// How much rather than others a commit has changed the speed, before anything is measured: 0.05 if it
/// touches only documentation, tests, licences or the settings of services and editors; otherwise from 1 for
/// one line to 3 for 65 535 and more. 1 where nothing is known.
[[nodiscard]] double culprit_weight(const CommitFacts& facts);

}  // namespace tandem::builders
