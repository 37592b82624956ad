#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "builders/git/remote.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders::git {
namespace {

constexpr std::size_t largest_gitmodules = std::size_t{1} << 20;
constexpr std::size_t most_modules = 1000;
constexpr std::size_t longest_value = 4000;

/// git's configuration syntax as far as .gitmodules needs it.
class ConfigText {
 public:
  explicit ConfigText(std::string_view text) : text_(text.substr(0, largest_gitmodules)) {}

  /// Section header with its quoted name, or key and value.
  struct Line {
    enum class Kind { section, other_section, value, other } kind = Kind::other;
    std::string name;
    std::string value;
  };

  bool next(Line& line) {
    skip(" \t\r\n");
    if (text_.empty()) return false;
    line = {};
    if (text_.front() == '[') {
      section(line);
    } else if (std::isalpha(static_cast<unsigned char>(text_.front())) != 0) {
      value(line);
    } else {
      drop_line();
    }
    return true;
  }

 private:
  void skip(std::string_view these) {
    text_.remove_prefix(std::min(text_.find_first_not_of(these), text_.size()));
  }
  void drop_line() { text_.remove_prefix(std::min(text_.find('\n'), text_.size())); }

  std::string word() {
    std::string found;
    while (!text_.empty() && (std::isalnum(static_cast<unsigned char>(text_.front())) != 0 ||
                              text_.front() == '-' || text_.front() == '.')) {
      found += static_cast<char>(std::tolower(static_cast<unsigned char>(text_.front())));
      text_.remove_prefix(1);
    }
    return found;
  }

  void section(Line& line) {
    line.kind = Line::Kind::other_section;
    text_.remove_prefix(1);
    const std::string kind = word();
    skip(" \t");
    if (kind != "submodule" || !text_.starts_with('"')) return drop_line();
    text_.remove_prefix(1);
    while (!text_.empty() && text_.front() != '"' && text_.front() != '\n') {
      if (text_.front() == '\\' && text_.size() > 1) text_.remove_prefix(1);
      line.name += text_.front();
      text_.remove_prefix(1);
    }
    if (!text_.starts_with("\"]")) return drop_line();
    text_.remove_prefix(2);
    line.kind = Line::Kind::section;
  }

  void value(Line& line) {
    line.name = word();
    skip(" \t");
    if (!text_.starts_with('=')) return drop_line();
    text_.remove_prefix(1);
    skip(" \t");
    line.kind = Line::Kind::value;
    bool quoted = false;
    std::size_t kept = 0;  // trailing blanks outside quotes do not belong to the value
    for (; !text_.empty() && text_.front() != '\n'; text_.remove_prefix(1)) {
      char c = text_.front();
      if (c == '"') {
        quoted = !quoted;
        continue;
      }
      if (!quoted && (c == '#' || c == ';')) break;
      if (c == '\\' && text_.size() > 1) {
        text_.remove_prefix(1);
        c = text_.front();
        if (c == '\n') continue;
        c = c == 't' ? '\t' : c == 'n' ? '\n' : c;
      }
      if (line.value.size() < longest_value) line.value += c;
      if (quoted || std::isspace(static_cast<unsigned char>(c)) == 0) kept = line.value.size();
    }
    line.value.resize(kept);
    drop_line();
  }

  std::string_view text_;
};

bool stays_inside(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) return false;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return true;
}

bool is_local(std::string_view url) {
  return url.starts_with("file://") || !is_url(url);
}

/// Scheme and host with port, in small letters.
std::pair<std::string, std::string> server_of(std::string_view url) {
  const auto scheme_end = url.find("://");
  std::string scheme = "ssh";  // user@host:path
  std::string_view host = url.substr(0, url.find(':'));
  if (scheme_end != std::string_view::npos) {
    scheme = url.substr(0, scheme_end);
    host = url.substr(scheme_end + 3);
    host = host.substr(0, host.find('/'));
  }
  if (const auto at = host.rfind('@'); at != std::string_view::npos) host.remove_prefix(at + 1);
  return {lower_case(scheme), lower_case(host)};
}

/// One component less; the colon of user@host:path counts as a slash.
void chop(std::string& url, const std::string& written) {
  const auto slash = url.rfind('/');
  const auto colon = url.rfind(':');
  const bool scp = url.find("://") == std::string::npos && is_url(url);
  const auto scheme = url.find("://");
  const std::size_t least = scheme == std::string::npos ? 0 : scheme + 3;
  if (slash != std::string::npos && slash >= least && (!scp || slash > colon)) {
    url.resize(slash);
  } else if (scp && colon != std::string::npos && colon + 1 < url.size()) {
    url.resize(colon + 1);
  } else {
    throw InputError(fmt::format("its URL '{}' leads above the URL of its parent", printable(written, 500)));
  }
}

std::string resolved(std::string parent, const std::string& written) {
  while (parent.size() > 1 && parent.ends_with('/')) parent.pop_back();
  std::string_view rest = written;
  for (;;) {
    if (rest.starts_with("../")) {
      rest.remove_prefix(3);
      chop(parent, written);
    } else if (rest.starts_with("./")) {
      rest.remove_prefix(2);
    } else {
      break;
    }
  }
  return fmt::format("{}{}{}", parent, parent.ends_with(':') ? "" : "/", rest);
}

}  // namespace

std::vector<GitModule> read_gitmodules(std::string_view text) {
  std::vector<std::pair<std::string, GitModule>> modules;
  ConfigText lines(text);
  GitModule* current = nullptr;
  for (ConfigText::Line line; lines.next(line);) {
    if (line.kind == ConfigText::Line::Kind::section) {
      const auto same = [&](const auto& module) { return module.first == line.name; };
      auto found = std::find_if(modules.begin(), modules.end(), same);
      if (found == modules.end()) {
        if (modules.size() == most_modules) break;
        found = modules.emplace(modules.end(), line.name, GitModule{});
      }
      current = &found->second;
    } else if (line.kind == ConfigText::Line::Kind::value && current != nullptr) {
      if (line.name == "path") current->path = line.value;
      if (line.name == "url") current->url = line.value;
    } else if (line.kind == ConfigText::Line::Kind::other_section) {
      current = nullptr;
    }
  }
  std::vector<GitModule> sound;
  for (auto& [name, module] : modules) {
    while (module.path.ends_with('/')) module.path.pop_back();
    if (!module.url.empty() && stays_inside(module.path)) sound.push_back(std::move(module));
  }
  return sound;
}

std::string submodule_url(const std::string& parent, const std::string& written) {
  const bool relative = written.starts_with("./") || written.starts_with("../");
  const std::string url = relative ? resolved(parent, written) : written;
  const auto refuse = [&](const char* why) {
    throw InputError(fmt::format("its URL '{}' {}", printable(without_credentials(written), 500), why));
  };
  const bool plain =
      std::none_of(url.begin(), url.end(), [](unsigned char c) { return c < ' ' || c == 127; });
  if (!plain || url.starts_with('-') || url.size() > longest_value) refuse("is not a URL");
  if (is_local(url)) {
    const bool absolute = url.starts_with("file:///") || url.starts_with('/');
    if (!absolute) refuse("is neither a URL nor begins with ./ or ../");
    if (!is_local(parent)) refuse("is a file of this machine, but the repository that names it is not");
    return url;
  }
  constexpr std::string_view allowed[] = {"http", "https", "ssh", "git+ssh", "ssh+git", "git"};
  const std::string scheme = server_of(url).first;
  if (std::find(std::begin(allowed), std::end(allowed), scheme) == std::end(allowed)) {
    refuse("is not one of http, https, ssh and git");
  }
  return url;
}

bool is_same_host(std::string_view one, std::string_view other) {
  return !is_local(one) && !is_local(other) && server_of(one) == server_of(other);
}

}  // namespace tandem::builders::git
