#pragma once

#include <filesystem>
#include <string>

namespace tandem::builders::hg {

/// How much of a repository a view shows: `names` is enough to look up branches, bookmarks and tags.
enum class Depth { names, everything };

/// Makes `place` a repository that shows the commits of the one at `repository`. hg writes caches and locks
/// into every local repository that it reads, and would obey its settings: in a view both directories are
/// its own, and only the files of the history are links to the original, which is thus never written to.
/// `place` must not exist. Throws InputError if there is no repository in a form that can be shown.
void make_view(const std::filesystem::path& repository, const std::filesystem::path& place, Depth depth);

/// What the repository's own settings call `name` in their [paths]; empty if nothing. Files that these
/// settings include are not followed.
[[nodiscard]] std::string path_setting(const std::filesystem::path& repository, const std::string& name);

}  // namespace tandem::builders::hg
