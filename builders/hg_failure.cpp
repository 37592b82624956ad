#include <algorithm>
#include <array>
#include <utility>

#include "builders/hg_fetch.hpp"

namespace tandem::builders {
namespace {

using FetchKind = FetchFailure::Kind;

/// The first row whose words occur counts. Those of refusal stand before those of the network, because ssh
/// and hg say both: why, and that the connection ended.
constexpr std::array<std::pair<std::string_view, FetchKind>, 41> words_of_kinds{{
    {"No space left", FetchKind::disk},
    {"quota exceeded", FetchKind::disk},
    {"Read-only file system", FetchKind::disk},
    {"unknown revision", FetchKind::no_branch},
    {"unknown branch", FetchKind::no_branch},
    {"ambiguous identifier", FetchKind::no_branch},
    {"filtered revision", FetchKind::no_branch},
    {"hidden revision", FetchKind::no_branch},
    {"authorization", FetchKind::refused},
    {"Authorization", FetchKind::refused},
    {"HTTP Error 401", FetchKind::refused},
    {"HTTP Error 403", FetchKind::refused},
    {"Permission denied", FetchKind::refused},
    {"Host key verification failed", FetchKind::refused},
    {"certificate", FetchKind::refused},
    {"requires features unknown", FetchKind::refused},
    {"required features are not", FetchKind::refused},
    {"uses the largefiles extension", FetchKind::refused},
    {"largefiles", FetchKind::refused},
    {"remote error", FetchKind::refused},
    {"integrity check failed", FetchKind::corrupt},
    {"censored", FetchKind::corrupt},
    {"unknown parent", FetchKind::corrupt},
    {"unknown compression", FetchKind::corrupt},
    {"partial read of revlog", FetchKind::corrupt},
    {"is corrupted", FetchKind::corrupt},
    {"no node", FetchKind::corrupt},
    {"decompress", FetchKind::corrupt},
    {"not a Mercurial bundle", FetchKind::corrupt},
    {"invalid chunk", FetchKind::corrupt},
    {"abandoned transaction", FetchKind::corrupt},
    {"index 00", FetchKind::corrupt},
    {"not found", FetchKind::unreachable},
    {"HTTP Error", FetchKind::unreachable},
    {"does not appear to be an hg repo", FetchKind::unreachable},
    {"no suitable response from remote hg", FetchKind::unreachable},
    {"stream ended unexpectedly", FetchKind::unreachable},
    {"error: ", FetchKind::unreachable},
    {"Connection", FetchKind::unreachable},
    {"timed out", FetchKind::unreachable},
    {"unexpected response", FetchKind::unreachable},
}};

}  // namespace

FetchKind kind_of_hg_failure(std::string_view words) {
  const auto* row = std::find_if(words_of_kinds.begin(), words_of_kinds.end(), [&](const auto& candidate) {
    return words.find(candidate.first) != std::string_view::npos;
  });
  return row == words_of_kinds.end() ? FetchKind::internal : row->second;
}

}  // namespace tandem::builders
