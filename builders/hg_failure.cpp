#include <algorithm>
#include <array>
#include <utility>

#include "builders/hg_fetch.hpp"

namespace tandem::builders {
namespace {

using Kind = FetchFailure::Kind;

/// The first row whose words occur counts. Those of refusal stand before those of the network, because ssh
/// and hg say both: why, and that the connection ended.
constexpr std::array<std::pair<std::string_view, Kind>, 41> words_of_kinds{{
    {"No space left", Kind::disk},
    {"quota exceeded", Kind::disk},
    {"Read-only file system", Kind::disk},
    {"unknown revision", Kind::no_branch},
    {"unknown branch", Kind::no_branch},
    {"ambiguous identifier", Kind::no_branch},
    {"filtered revision", Kind::no_branch},
    {"hidden revision", Kind::no_branch},
    {"authorization", Kind::refused},
    {"Authorization", Kind::refused},
    {"HTTP Error 401", Kind::refused},
    {"HTTP Error 403", Kind::refused},
    {"Permission denied", Kind::refused},
    {"Host key verification failed", Kind::refused},
    {"certificate", Kind::refused},
    {"requires features unknown", Kind::refused},
    {"required features are not", Kind::refused},
    {"uses the largefiles extension", Kind::refused},
    {"largefiles", Kind::refused},
    {"remote error", Kind::refused},
    {"integrity check failed", Kind::corrupt},
    {"censored", Kind::corrupt},
    {"unknown parent", Kind::corrupt},
    {"unknown compression", Kind::corrupt},
    {"partial read of revlog", Kind::corrupt},
    {"is corrupted", Kind::corrupt},
    {"no node", Kind::corrupt},
    {"decompress", Kind::corrupt},
    {"not a Mercurial bundle", Kind::corrupt},
    {"invalid chunk", Kind::corrupt},
    {"abandoned transaction", Kind::corrupt},
    {"index 00", Kind::corrupt},
    {"not found", Kind::unreachable},
    {"HTTP Error", Kind::unreachable},
    {"does not appear to be an hg repo", Kind::unreachable},
    {"no suitable response from remote hg", Kind::unreachable},
    {"stream ended unexpectedly", Kind::unreachable},
    {"error: ", Kind::unreachable},
    {"Connection", Kind::unreachable},
    {"timed out", Kind::unreachable},
    {"unexpected response", Kind::unreachable},
}};

}  // namespace

Kind kind_of_hg_failure(std::string_view words) {
  const auto* row = std::find_if(words_of_kinds.begin(), words_of_kinds.end(), [&](const auto& candidate) {
    return words.find(candidate.first) != std::string_view::npos;
  });
  return row == words_of_kinds.end() ? Kind::internal : row->second;
}

}  // namespace tandem::builders
