#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::builders {

/// Where a mirror fetches from.
struct Source {
  std::string url;             ///< URL or absolute path; may hold credentials, so it is never shown
  std::string shown;           ///< the same without credentials, for messages and the status
  std::string branch;          ///< a branch, else a tag
  std::filesystem::path seed;  ///< a local clone whose objects spare the first download; empty: none
};

/// Turns what a person gave as `repo_dir` into a source. A URL is taken as it is. A path must be a
/// repository: if it has the remote `remote_repository`, that remote's URL is fetched, seeded from the clone;
/// else its own branch. The repository at the path is read, never written. Throws InputError: not a
/// repository, owned by another user, shallow, no such branch.
[[nodiscard]] Source resolve_source(const std::string& repo_dir, const std::string& remote_repository,
                                    const std::string& branch);

/// "scheme://…" or "user@host:path".
[[nodiscard]] bool is_url(std::string_view text);

/// The URL without user, password and query, where these may be secret.
[[nodiscard]] std::string without_credentials(std::string_view url);

/// `text` with every occurrence of the URL and of its user information replaced.
[[nodiscard]] std::string conceal(std::string text, std::string_view url);

/// One sentence that names the branches which exist, the most similar first.
[[nodiscard]] std::string missing_branch(std::string_view shown, std::string_view branch,
                                         std::vector<std::string> available);

}  // namespace tandem::builders
