#include "builders/hg/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "builders/hg/mirror.hpp"
#include "builders/hg/program.hpp"
#include "builders/token.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;

std::string scheme_of(const std::string& url) {
  const auto colon = url.find("://");
  return colon == std::string::npos ? "" : url.substr(0, colon);
}

void check_url(const std::string& url) {
  const std::string scheme = scheme_of(url);
  if (scheme.empty()) {
    throw InputError(fmt::format("Mercurial does not know the form '{}'; write ssh://user@host/path", url));
  }
  if (scheme != "http" && scheme != "https" && scheme != "ssh" && scheme != "file") {
    throw InputError(
        fmt::format("Mercurial cannot fetch by {}://; write a URL with http, https or ssh, or a path",
                    printable(scheme, 40)));
  }
  // It becomes a line of a file of settings.
  const bool sound =
      std::all_of(url.begin(), url.end(), [](unsigned char c) { return c > ' ' && c != 0x7F; });
  if (!sound) throw InputError("the URL of the repository holds a space or a control character");
}

/// A directory of ours that is gone at the end.
class PrivateDirectory {
 public:
  PrivateDirectory() : path_((fs::temp_directory_path() / "tandem-hg-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw Error("cannot make a temporary directory");
  }
  ~PrivateDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;
  [[nodiscard]] fs::path path() const { return path_; }

 private:
  std::string path_;
};

/// Whether a repository on this file system has the branch, asked before the daemon starts to poll.
void check_branch(const fs::path& path, const std::string& branch) {
  const PrivateDirectory place;
  hg::make_view(path, place.path() / "view", hg::Depth::names);
  hg::Call call;
  call.directory = place.path();
  call.deadline = std::chrono::minutes{2};
  call.arguments = {"-R", "view", "identify", "--rev", branch, "--id", "--", "view"};
  const auto looked_up = hg::run(call);
  if (looked_up.succeeded()) return;
  const std::string why = hg::reason(looked_up);
  if (why.find("unknown revision") == std::string::npos &&
      why.find("ambiguous identifier") == std::string::npos) {
    throw InputError(fmt::format("the repository '{}' cannot be read: {}", path.string(), why));
  }
  call.arguments = {"--config", hg::with_our_commands(place.path()), "tandem-names", "view"};
  std::istringstream lines(hg::run(call).output);
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) names.push_back(printable(line, 200));
  throw InputError(missing_branch(path.string(), branch, std::move(names)));
}

/// hg gives its ssh command to a shell.
std::string quoted(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return safe + "'";
}

}  // namespace

fs::path hg::local_path_of(const std::string& url) {
  constexpr std::string_view scheme = "file://";
  if (url.starts_with(scheme)) return url.substr(scheme.size());
  return is_url(url) ? fs::path() : fs::path(url);
}

hg::Access hg::access_of(const Source& source) {
  Access access;
  const std::string scheme = scheme_of(source.url);
  std::string url = source.url;
  // A server may name other places to load from; only what the user named is asked.
  access.settings = "[ui]\nclonebundles = false\n";
  if (scheme == "ssh") {
    const std::string key = source.key_file.empty() ? ""
                                                    : fmt::format(" -i {} -o IdentitiesOnly=yes",
                                                                  quoted(source.key_file.string()));
    access.settings += fmt::format("ssh = ssh{} -o BatchMode=yes\n", key);
  }
  if (scheme.starts_with("http")) {
    const std::string in_url(user_information(url));
    if (!in_url.empty()) url.erase(scheme.size() + 3, in_url.size() + 1);
    std::string user = decoded(std::string_view(in_url).substr(0, in_url.find(':')));
    std::string password = in_url.find(':') == std::string::npos
                               ? ""
                               : decoded(std::string_view(in_url).substr(in_url.find(':') + 1));
    if (!source.token_file.empty()) {
      password = read_token(source.token_file);
      if (const auto colon = password.find(':'); colon != std::string::npos) {
        user = password.substr(0, colon);
        password.erase(0, colon + 1);
      } else if (user.empty()) {
        user = "x-access-token";  // servers that take tokens take any user
      }
    }
    if (!user.empty()) {
      access.settings += fmt::format(
          "[auth]\nsource.schemes = {}\nsource.prefix = {}\nsource.username = {}\nsource.password = {}\n",
          scheme, url.substr(scheme.size() + 3), user, password);
      if (!password.empty()) access.secrets.push_back(password);
    }
  }
  access.settings += fmt::format("[paths]\nsource = {}\n", url);
  return access;
}

Source resolve_hg_source(const SourceRequest& request) {
  if (!hg::find_program()) throw InputError(hg::not_installed);
  const auto absolute_or_none = [](const fs::path& path) { return path.empty() ? path : fs::absolute(path); };
  const auto found_at = [&](const std::string& url, const fs::path& seed) {
    return Source{url,
                  without_credentials(url),
                  request.branch,
                  seed,
                  Source::Kind::hg,
                  absolute_or_none(request.key_file),
                  absolute_or_none(request.token_file)};
  };
  std::error_code ignored;
  if (is_url(request.repo_dir) && !fs::exists(request.repo_dir, ignored)) {
    check_url(request.repo_dir);
    return found_at(request.repo_dir, {});
  }

  std::string path = fs::absolute(request.repo_dir).lexically_normal().string();
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (!fs::is_directory(fs::path(path) / ".hg", ignored)) {
    throw InputError(
        fmt::format("'{}' is not a Mercurial repository; give the directory that holds .hg, or a URL", path));
  }
  const bool usual = request.remote_repository == "origin" || request.remote_repository.empty();
  const std::string remote = hg::path_setting(path, usual ? "default" : request.remote_repository);
  if (is_url(remote)) {
    check_url(remote);
    return found_at(remote, path);
  }
  if (!remote.empty()) {
    const fs::path other = (fs::path(path) / remote).lexically_normal();
    if (fs::is_directory(other / ".hg", ignored)) return found_at(other, path);
    throw InputError(
        fmt::format("the repository '{}' was cloned from '{}', which is not there any more; give a "
                    "URL instead, or remove `default` from its .hg/hgrc",
                    path, other.string()));
  }
  check_branch(path, request.branch);
  return found_at(path, {});
}

}  // namespace tandem::builders
