#include "builders/source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;

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

void replace_all_in(std::string& text, std::string_view from, std::string_view to) {
  if (from.empty()) return;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Control characters are left out: a line break would begin a header or a setting of its own.
std::string decoded(std::string_view user_information) {
  std::string plain;
  for (std::size_t i = 0; i < user_information.size(); ++i) {
    const std::string code(user_information.substr(i + 1, 2));
    if (user_information[i] == '%' && code.size() == 2 &&
        code.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos) {
      plain += static_cast<char>(std::stoi(code, nullptr, 16));
      i += 2;
    } else {
      plain += user_information[i];
    }
  }
  std::erase_if(plain, [](unsigned char c) { return c < ' '; });
  return plain;
}

std::string read_token(const fs::path& file) {
  if (const auto problem = secret_problem(file); !problem.empty()) {
    throw InputError("the token file " + problem);
  }
  constexpr std::streamsize longest = 4096;
  std::string text(longest, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), longest);
  text.resize(static_cast<std::size_t>(stream.gcount()));
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  const bool sound = std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= ' '; });
  if (text.empty() || !sound) {
    throw InputError(
        fmt::format("the token file '{}' must hold one line, `user:password` or a token", file.string()));
  }
  return text;
}

}  // namespace

Source source_at(const SourceRequest& request, const std::string& url, const fs::path& seed) {
  const auto absolute = [](const fs::path& path) { return path.empty() ? path : fs::absolute(path); };
  return {url,
          without_credentials(url),
          request.branch,
          seed,
          request.kind,
          absolute(request.key_file),
          absolute(request.token_file)};
}

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

fs::path local_path_of(const std::string& url) {
  constexpr std::string_view scheme = "file://";
  if (url.starts_with(scheme)) return url.substr(scheme.size());
  return is_url(url) ? fs::path() : fs::path(url);
}

std::string_view user_information(std::string_view url) {
  return url_parts(url).user_information;
}

std::string without_user_information(std::string url) {
  const std::size_t length = user_information(url).size();
  if (length > 0) url.erase(url.find("://") + 3, length + 1);
  return url;
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

std::string conceal(std::string text, std::string_view url, std::string_view password) {
  replace_all_in(text, url, without_credentials(url));
  const Parts parts = url_parts(url);
  const std::string_view user = parts.user_information;
  if (!user.empty()) {
    replace_all_in(text, fmt::format("{}@", user), "");
    // A lone user may be a token; one that is short is a login, and an ordinary word of the message.
    constexpr std::size_t shortest_token = 8;
    if (const auto colon = user.find(':'); colon != std::string_view::npos) {
      replace_all_in(text, user.substr(colon + 1), "…");
    } else if (parts.scheme.starts_with("http") && user.size() >= shortest_token) {
      replace_all_in(text, user, "…");
    }
  }
  replace_all_in(text, password, "…");
  return text;
}

std::optional<Login> login_of(std::string_view url, const fs::path& token_file) {
  const std::string_view in_url = user_information(url);
  const auto colon = in_url.find(':');
  std::string user = decoded(in_url.substr(0, colon));
  if (!token_file.empty()) {
    std::string token = read_token(token_file);
    if (const auto split = token.find(':'); split != std::string::npos) {
      return Login{token.substr(0, split), token.substr(split + 1)};
    }
    // Servers that take tokens take any user; this one is what GitHub's applications must use.
    return Login{user.empty() ? "x-access-token" : std::move(user), std::move(token)};
  }
  if (in_url.empty()) return std::nullopt;
  return Login{std::move(user), colon == std::string_view::npos ? "" : decoded(in_url.substr(colon + 1))};
}

std::string secret_problem(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || ::access(file.c_str(), R_OK) != 0) {
    return fmt::format("'{}' cannot be read: {}", file.string(), std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) return fmt::format("'{}' is not a file", file.string());
  if ((status.st_mode & 077U) != 0) {
    return fmt::format("'{0}' can be read or written by other users; run `chmod 600 {0}`", file.string());
  }
  return {};
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
