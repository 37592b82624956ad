#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "specs/foundation/descriptor.hpp"

namespace tandem::builders::hg {

/// One writer at a time per mirror. The lock goes with the process, however that ends. Nothing if another
/// held it until `end` or until the stop.
[[nodiscard]] std::optional<OwnedDescriptor> lock_mirror(const std::filesystem::path& mirror,
                                                         std::chrono::steady_clock::time_point end,
                                                         const std::stop_token& stop);

/// Makes the mirror if it is missing, and mends what a killed fetch left in it; the caller holds its lock.
/// One that is no repository any more is put aside and made again. Throws Error.
void prepare_mirror(const std::filesystem::path& mirror, std::chrono::nanoseconds deadline);

/// Reads the whole mirror and puts it aside if that fails. True if it did.
[[nodiscard]] bool put_aside_if_damaged(const std::filesystem::path& mirror,
                                        std::chrono::nanoseconds deadline, const std::stop_token& stop);

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
