#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <variant>

#include "builders/fetch.hpp"

namespace tandem::builders {

/// As `fetch`, for Mercurial: every step is a run of `hg` that is killed at the deadline. Only the branch and
/// what it descends from are brought. What a killed fetch left is mended by the next one; a mirror that
/// cannot be mended is put aside as `….damaged` and made again. The repository behind a path is never written
/// to.
[[nodiscard]] std::variant<Tip, FetchFailure> fetch_hg(const std::filesystem::path& mirror,
                                                       const Source& source,
                                                       std::chrono::nanoseconds deadline,
                                                       const std::stop_token& stop);

/// What kind of failure hg's words tell of.
[[nodiscard]] FetchFailure::Kind kind_of_hg_failure(std::string_view words);

}  // namespace tandem::builders
