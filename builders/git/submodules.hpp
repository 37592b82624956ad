#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "builders/git/handles.hpp"
#include "builders/git/remote.hpp"

/// The submodules of commits and their mirrors; only repository_*.cpp include this.
namespace tandem::builders::git {

/// A commit inside a commit may hold another: this many levels are followed.
inline constexpr std::size_t deepest_submodule = 8;

struct Submodule {
  std::string path;
  std::string id;
  std::string url;     ///< as written
  std::string mirror;  ///< the name of its mirror in the directory of submodules
};

/// Where the mirrors of all submodules below a mirror lie, side by side.
[[nodiscard]] std::filesystem::path modules_of(const std::filesystem::path& mirror);

/// The submodules that a commit records and describes in .gitmodules. `parent` is the name of the mirror that
/// holds the commit, empty for the first. Throws Error if the mirror is damaged.
[[nodiscard]] std::vector<Submodule> submodules_of(git_repository* repository, const git_oid& commit,
                                                   const std::string& parent);

/// The child's side of fetch_submodules. Throws Stop.
void bring_submodules(const std::filesystem::path& mirror, const std::string& commit, const Errand& parent);

}  // namespace tandem::builders::git
