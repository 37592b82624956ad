#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::builders {

/// Where a mirror fetches from. Secrets stay in their files: only paths are handed on.
struct Source {
  std::string url;             ///< URL or absolute path; may hold credentials, so it is never shown
  std::string shown;           ///< the same without credentials, for messages and the status
  std::string branch;          ///< a branch, else a tag
  std::filesystem::path seed;  ///< a local clone whose objects spare the first download; empty: none

  enum class Kind { git, hg } kind = Kind::git;
  std::filesystem::path key_file = {};    ///< a private key for ssh; empty: the agent
  std::filesystem::path token_file = {};  ///< `user:password` or a token for http; empty: what the URL holds
};

/// What a person gave to name a source.
struct SourceRequest {
  Source::Kind kind = Source::Kind::git;
  std::string repo_dir;                      ///< a URL or the path of a repository
  std::string remote_repository = "origin";  ///< the remote of a clone at `repo_dir`
  std::string branch;
  std::filesystem::path key_file = {};
  std::filesystem::path token_file = {};
};

/// Turns what a person gave into a source. A URL is taken as it is. A path must be a repository: if it has
/// the remote `remote_repository`, that remote's URL is fetched, seeded from the clone; else its own branch.
/// The repository at the path is read, never written. Throws InputError: not a repository, owned by another
/// user, shallow, partial, no such branch, a key or token file that is missing or that others can read.
[[nodiscard]] Source resolve_source(const SourceRequest& request);

/// The source that a request means once its URL is known.
[[nodiscard]] Source source_at(const SourceRequest& request, const std::string& url,
                               const std::filesystem::path& seed = {});

/// "scheme://…" or "user@host:path".
[[nodiscard]] bool is_url(std::string_view text);

/// Empty for a source that is not on this file system.
[[nodiscard]] std::filesystem::path local_path_of(const std::string& url);

/// What stands before '@' in a URL with a scheme: a user, `user:password` or a token.
[[nodiscard]] std::string_view user_information(std::string_view url);

/// The URL without its user information.
[[nodiscard]] std::string without_user_information(std::string url);

/// The URL without user, password and query, where these may be secret.
[[nodiscard]] std::string without_credentials(std::string_view url);

/// `text` with every occurrence of the URL, of its user information and of a password replaced.
[[nodiscard]] std::string conceal(std::string text, std::string_view url, std::string_view password = {});

/// What proves to an http server who asks.
struct Login {
  std::string user;
  std::string password;
};

/// The login in the token file, `user:password` or a token on one line; without such a file the one in the
/// URL, in which %XX stands for what a URL cannot hold. Nothing if there is neither. Throws InputError if the
/// file holds anything else, cannot be read, or can be read by others.
[[nodiscard]] std::optional<Login> login_of(std::string_view url, const std::filesystem::path& token_file);

/// What keeps a file from holding a secret, as a sentence that begins with its path; empty if nothing does.
[[nodiscard]] std::string secret_problem(const std::filesystem::path& file);

/// One sentence that names the branches which exist, the most similar first.
[[nodiscard]] std::string missing_branch(std::string_view shown, std::string_view branch,
                                         std::vector<std::string> available);

}  // namespace tandem::builders
