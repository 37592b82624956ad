#include "builders/source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace {

struct Parts {
  std::string_view scheme;
  std::string_view user_information;  ///< before '@'
  std::string_view rest;
};

Parts url_parts(std::string_view url) {
  Parts parts;
  const auto colon = url.find("://");
  if (colon == std::string_view::npos) return {{}, {}, url};
  parts.scheme = url.substr(0, colon);
  parts.rest = url.substr(colon + 3);
  // The last '@' before the path: passwords may hold one themselves.
  const auto at = parts.rest.substr(0, parts.rest.find('/')).rfind('@');
  if (at != std::string_view::npos) {
    parts.user_information = parts.rest.substr(0, at);
    parts.rest.remove_prefix(at + 1);
  }
  return parts;
}

void replace_in_url(std::string& text, std::string_view from, std::string_view to) {
  if (from.empty()) return;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

bool is_url(std::string_view text) {
  const auto scheme = text.find("://");
  if (scheme != std::string_view::npos) {
    return scheme > 0 && std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(scheme),
                                     [](unsigned char c) { return std::isalnum(c) || c == '+' || c == '-'; });
  }
  // user@host:path as ssh takes it; a slash before the colon makes it a path.
  const auto at = text.find('@');
  const auto colon = text.find(':');
  return at != std::string_view::npos && at > 0 && colon != std::string_view::npos && at < colon &&
         text.find('/') > colon;
}

std::string_view user_information(std::string_view url) {
  return url_parts(url).user_information;
}

std::string without_credentials(std::string_view url) {
  const Parts parts = url_parts(url);
  if (parts.scheme.empty()) return std::string(url);
  const bool only_a_login = (parts.scheme == "ssh" || parts.scheme == "git+ssh") &&
                            parts.user_information.find(':') == std::string_view::npos;
  const bool keep = only_a_login && !parts.user_information.empty();
  const std::string_view rest =
      parts.scheme.starts_with("http") ? parts.rest.substr(0, parts.rest.find_first_of("?#")) : parts.rest;
  return fmt::format("{}://{}{}{}", parts.scheme, keep ? parts.user_information : "", keep ? "@" : "", rest);
}

std::string conceal(std::string text, std::string_view url) {
  replace_in_url(text, url, without_credentials(url));
  const Parts parts = url_parts(url);
  if (parts.user_information.empty()) return text;
  replace_in_url(text, fmt::format("{}@", parts.user_information), "");
  const auto colon = parts.user_information.find(':');
  if (colon != std::string_view::npos) {
    replace_in_url(text, parts.user_information.substr(colon + 1), "…");
  } else if (parts.scheme.starts_with("http")) {
    // A lone user may be a token; one that is short is a login, and an ordinary word of the message.
    constexpr std::size_t shortest_token = 8;
    if (parts.user_information.size() >= shortest_token) replace_in_url(text, parts.user_information, "…");
  }
  return text;
}

std::string missing_branch(std::string_view shown, std::string_view branch,
                           std::vector<std::string> available) {
  if (available.empty())
    return fmt::format("{} has no branch '{}': it has no branches at all", shown, branch);
  constexpr std::size_t named = 6;
  constexpr std::size_t longest_compared = 200;
  const std::string_view wanted = branch.substr(0, longest_compared);
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (std::string& name : available) {
    const std::string_view compared = std::string_view(name).substr(0, longest_compared);
    // 'release' for 'release/1.2' is a near miss although many characters are lacking.
    const bool part = compared.find(wanted) != std::string_view::npos;
    const std::size_t distance = part ? 0 : edit_distance(wanted, compared);
    ranked.emplace_back(distance, std::move(name));
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(named, ranked.size()); ++i) names.push_back(ranked[i].second);
  const std::size_t others = ranked.size() - names.size();
  return fmt::format("{} has no branch '{}'; it has {}{}", shown, branch, fmt::join(names, ", "),
                     others == 0 ? "" : fmt::format(" and {} more", others));
}

}  // namespace tandem::builders
