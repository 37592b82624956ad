#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "builders/hg/history.hpp"
#include "builders/repository.hpp"

namespace tandem::builders {

/// The mirror of a Mercurial branch, read with the `hg` program. A branch is what hg looks up by that name: a
/// bookmark, a tag, or a named branch, of several heads the newest. The first parent is p1, the tree is the
/// manifest, and the one date that hg knows serves as both times. Needs no process but for `checkout`,
/// `facts` and names that are tags.
///
/// A checkout is verified down from the commit's id: text and parents of the commit give its id, those of the
/// manifest the id that the commit names, those of every file, with the bytes read back from the disk, the id
/// that the manifest names; kinds and executable bits too, and nothing more or less may be there.
/// Subrepositories, largefiles and lfs are refused.
class HgRepository final : public Repository {
 public:
  explicit HgRepository(const std::filesystem::path& mirror);

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
  [[nodiscard]] std::map<std::string, std::string> tags() const override;
  [[nodiscard]] CommitFacts facts(const std::string& commit) const override;
  [[nodiscard]] std::map<std::string, std::string> submodule_ids(const std::string& commit) const override;
  [[nodiscard]] std::optional<CheckoutFailure> checkout(const Commit& commit,
                                                        const std::filesystem::path& empty_directory,
                                                        const std::stop_token& stop) const override;

 private:
  [[nodiscard]] std::size_t position(const std::string& id) const;  ///< throws Error if there is none

  std::filesystem::path mirror_;
  hg::Tips tips_;
  hg::History history_;
  mutable std::optional<hg::Tips> tags_;  ///< asked for once
};

}  // namespace tandem::builders
