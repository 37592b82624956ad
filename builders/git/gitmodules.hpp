#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem::builders {

/// One entry of a .gitmodules file.
struct GitModule {
  std::string path;
  std::string url;  ///< as written; may be relative to the URL of the repository that holds the file
};

/// The entries of a .gitmodules file that have a path and a URL, in the order of their first line. The file
/// comes with the commit: what cannot be understood is left out, and so is a path that would leave the tree.
[[nodiscard]] std::vector<GitModule> read_gitmodules(std::string_view text);

/// The URL of a submodule, as git resolves it against the URL of its parent. Throws InputError for what is
/// not http, https, ssh or git, and for a file unless the parent is one.
[[nodiscard]] std::string submodule_url(const std::string& parent, const std::string& written);

/// True if both are asked over the same protocol at the same host and port: only then may one see what
/// identifies the daemon to the other.
[[nodiscard]] bool is_same_host(std::string_view one, std::string_view other);

}  // namespace tandem::builders
