#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "builders/fetch.hpp"
#include "builders/hg/mirror.hpp"
#include "builders/repository.hpp"

namespace tandem::builders {

/// The mirror of a Mercurial branch, read with the `hg` program. A branch is what hg looks up by that name: a
/// bookmark, a tag, or a named branch, of several heads the newest. The first parent is p1, the tree is the
/// manifest, and the one date that hg knows serves as both times. Needs no process but for `checkout`,
/// `facts` and names that are tags.
///
/// hg itself compares what it reads with its ids. A checkout looks at every path before hg writes any, and
/// compares the names afterwards. Subrepositories, largefiles and lfs are refused.
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

/// What kind of failure hg's words tell of.
[[nodiscard]] FetchFailure::Kind kind_of_hg_failure(std::string_view words);

/// As `resolve_source`, for Mercurial. A clone's `default` path is its remote: "origin" and "default" both
/// name it. URLs are http, https, ssh or file. Throws InputError also if hg is not installed.
[[nodiscard]] Source resolve_hg_source(const SourceRequest& request);

namespace hg {

/// The settings with which hg reaches a source that is a URL, under the name `source`. They go into a file
/// that only its owner can read: neither URL nor password is ever an argument.
struct Access {
  std::string settings;
  std::string password;  ///< never to be shown
};
[[nodiscard]] Access access_of(const Source& source);

}  // namespace hg
}  // namespace tandem::builders
