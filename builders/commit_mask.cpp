#include "builders/commit_mask.hpp"

#include <algorithm>

namespace tandem::builders {
namespace {

constexpr std::size_t shortest = 7;  // git's own abbreviation

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

std::vector<FileRange> find_commit_ids(std::string_view bytes, FileRange range, const std::string& commit) {
  std::vector<FileRange> found;
  if (commit.size() < shortest || !std::all_of(commit.begin(), commit.end(), is_hex)) return found;
  const std::string_view text = bytes.substr(0, range.end);
  const std::string_view start = std::string_view(commit).substr(0, shortest);
  for (std::size_t at = text.find(start, range.begin); at != std::string_view::npos;
       at = text.find(start, at)) {
    std::size_t end = at;
    // One digit more than a commit id has is enough to see that it is none. The word may go on behind the
    // range, and then it is another one.
    while (end < bytes.size() && end - at <= commit.size() && is_hex(bytes[end])) ++end;
    const bool whole = (at == 0 || !is_hex(bytes[at - 1])) && end <= range.end && end - at <= commit.size() &&
                       bytes.substr(at, end - at) == std::string_view(commit).substr(0, end - at);
    if (whole) found.push_back({at, end});
    at = whole ? end : at + 1;
  }
  return found;
}

}  // namespace tandem::builders
